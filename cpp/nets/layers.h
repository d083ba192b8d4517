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

// Memory that begins where a cache line does, so that no vector lies in two.
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
  // Matrices [outputs, inputs] side by side, as torch keeps them, and a bias, which may be empty.
  Affine(std::span<const std::span<const float>> matrices, std::span<const float> bias, std::size_t outputs);

  Layer layer() const {
    return {weights_.data(), inputs_ * kPanel, kPanel, bias_.empty() ? nullptr : bias_.data(), inputs_, outputs_ / kPanel};
  }
  std::size_t outputs() const { return outputs_; }  // whole panels

 private:
  std::size_t inputs_ = 0, outputs_ = 0;
  Floats weights_, bias_;
};

// The arrays of a file by name. Each must be asked for, with its shape; finish() refuses a file that has others too.
// All throw std::invalid_argument.
class Weights {
 public:
  // `what`: the architecture, for messages.
  Weights(std::string what, std::span<const unsigned char> file);

  std::span<const float> array(const std::string& name, const std::vector<std::size_t>& shape);
  // The layer `name`, with a bias or without.
  Affine affine(const std::string& name, std::size_t outputs, std::size_t inputs, bool bias = true);
  // The layers `names` of the inputs of each, side by side; the first has the bias.
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

// What a network answers of logits of win, tie and loss: the chance of a win less that of a loss.
float balance_of(const float* logits);

}  // namespace sandtable::nets
