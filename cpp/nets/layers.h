// The weights of a network in the layout that the kernels read, and the memory that they work in.
#pragma once

#include <cstddef>
#include <map>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "nets/kernels.h"
#include "nets/safetensors.h"

namespace sandtable::nets {

// Allocates memory that begins at a cache line, so that no vector spans two lines.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  CacheAligned() = default;
  template <class Other>
  CacheAligned(const CacheAligned<Other>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(const CacheAligned&, const CacheAligned&) { return true; }
};
using Floats = std::vector<float, CacheAligned<float>>;

constexpr std::size_t padded(std::size_t channels) { return (channels + kPanel - 1) / kPanel * kPanel; }

// An affine layer with its weights.
class Affine {
 public:
  Affine() = default;
  // Places matrices [outputs, inputs], in torch's layout, side by side. The bias may be empty.
  Affine(std::span<const std::span<const float>> matrices, std::span<const float> bias, std::size_t outputs);

  Layer layer() const {
    return {weights_.data(), inputs_ * kPanel, kPanel, bias_.empty() ? nullptr : bias_.data(), inputs_, outputs_ / kPanel};
  }
  std::size_t outputs() const { return outputs_; }  // rounded up to whole panels

 private:
  std::size_t inputs_ = 0, outputs_ = 0;
  Floats weights_, bias_;
};

// The arrays of a file, by name. A network asks for each of its arrays with the shape that it expects; finish() refuses
// a file that has other arrays too. All functions throw std::invalid_argument.
class Weights {
 public:
  // `what`: the architecture, for messages.
  Weights(std::string what, std::span<const unsigned char> file);

  std::span<const float> array(const std::string& name, const std::vector<std::size_t>& shape);
  // The layer `name`, with a bias or without.
  Affine affine(const std::string& name, std::size_t outputs, std::size_t inputs, bool bias = true);
  // One layer made of two, whose inputs are placed side by side; only the first has a bias.
  Affine joined(const std::string& first, std::size_t first_inputs, const std::string& second, std::size_t second_inputs,
                std::size_t outputs);
  void finish() const;

 private:
  std::string what_;
  std::map<std::string, Tensor> arrays_;
  std::map<std::string, bool> used_;
};

// A layer with one output.
struct Dot {
  Floats weights;
  float bias = 0;

  static Dot read(Weights& weights, const std::string& name, std::size_t inputs);
};

// The value of a position, from the logits of win, tie and loss: the probability of a win minus that of a loss.
float balance_of(const float* logits);

}  // namespace sandtable::nets
