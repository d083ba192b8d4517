// What encoders and networks say about a batch: how large it is, and the arrays that a network answers with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sandtable {

using Shape = std::vector<std::size_t>;

// The arrays that a network must answer a batch with, in its order.
using Shapes = std::vector<Shape>;

// The arrays that it did answer with, flat, in the same order.
using Outputs = std::span<const std::span<const float>>;

struct BatchSize {
  std::size_t states = 0;  // positions, each as one player sees it
  std::size_t rows = 0;    // of the network's first array: an encoder may write several for a position
  std::size_t moves = 0;   // candidate moves that are weighed
};

}  // namespace sandtable
