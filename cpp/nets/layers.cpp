#include "nets/layers.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace sandtable::nets {

Affine::Affine(std::span<const std::span<const float>> matrices, std::span<const float> bias, std::size_t outputs)
    : outputs_(padded(outputs)) {
  for (const auto& matrix : matrices) inputs_ += matrix.size() / outputs;
  weights_.resize(inputs_ * outputs_);
  std::size_t before = 0;
  for (const auto& matrix : matrices) {
    const std::size_t inputs = matrix.size() / outputs;
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t k = 0; k < inputs; ++k)
        weights_[(o / kPanel * inputs_ + before + k) * kPanel + o % kPanel] = matrix[o * inputs + k];
    before += inputs;
  }
  if (bias.empty()) return;
  bias_.assign(bias.begin(), bias.end());
  bias_.resize(outputs_);
}

Weights::Weights(std::string what, std::span<const unsigned char> file) : what_(std::move(what)), arrays_(read_safetensors(file)) {}

std::span<const float> Weights::array(const std::string& name, const std::vector<std::size_t>& shape) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end() || found->second.shape != shape) throw std::invalid_argument("these are not the weights of " + what_);
  used_[name] = true;
  const auto& values = found->second.values;
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
    throw std::invalid_argument("some weights are not finite");
  return values;
}

Affine Weights::affine(const std::string& name, std::size_t outputs, std::size_t inputs, bool bias) {
  const std::span<const float> matrices[] = {array(name + ".weight", {outputs, inputs})};
  return Affine(matrices, bias ? array(name + ".bias", {outputs}) : std::span<const float>(), outputs);
}

Affine Weights::joined(const std::string& first, std::size_t first_inputs, const std::string& second,
                       std::size_t second_inputs, std::size_t outputs) {
  const std::span<const float> matrices[] = {array(first + ".weight", {outputs, first_inputs}),
                                             array(second + ".weight", {outputs, second_inputs})};
  return Affine(matrices, array(first + ".bias", {outputs}), outputs);
}

void Weights::finish() const {
  if (used_.size() != arrays_.size()) throw std::invalid_argument("these are not the weights of " + what_);
}

Dot Dot::read(Weights& weights, const std::string& name, std::size_t inputs) {
  const auto values = weights.array(name + ".weight", {1, inputs});
  Dot dot{Floats(values.begin(), values.end()), weights.array(name + ".bias", {1})[0]};
  dot.weights.resize(padded(inputs));
  return dot;
}

float balance_of(const float* logits) {
  const float greatest = std::max({logits[0], logits[1], logits[2]});
  const float win = std::exp(logits[0] - greatest), tie = std::exp(logits[1] - greatest), loss = std::exp(logits[2] - greatest);
  const float sum = win + tie + loss;
  return win / sum - loss / sum;
}

}  // namespace sandtable::nets
