// Types by which encoders and networks describe a batch: its size, and the arrays of the network's answer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sandtable {

using Shape = std::vector<std::size_t>;

// The shapes of the arrays with which a network must answer a batch, in the order of its outputs.
using Shapes = std::vector<Shape>;

// The arrays of the network's answer, flattened, in the same order.
using Outputs = std::span<const std::span<const float>>;

struct BatchSize {
  std::size_t states = 0;  // positions, each from one player's perspective
  std::size_t rows = 0;    // of the network's first input array; an encoder may write several for a position
  std::size_t moves = 0;   // candidate moves to be weighed
};

}  // namespace sandtable
