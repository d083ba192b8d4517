// A bare loop that plays random operations, like a program written for a single experiment: 3 v 3 on an 8x8 board of
// plains, one word for a set of cells, hard-coded rules, no API. It is the baseline for the engine's speed on a machine. It
// shares no code with the engine, so that it does not change when the engine becomes faster.
#pragma once

#include <cstdint>

namespace sandtable::tubstap {

// Plays this number of games of at most 40 turns each, and returns the number of operations.
std::uint64_t bare_loop(std::uint64_t games, std::uint64_t seed);

}  // namespace sandtable::tubstap
