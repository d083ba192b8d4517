// A bare loop that plays random operations, as a program for one experiment would have it: 3 v 3 on an 8x8 board of plains, a
// word for a set of cells, the rules' numbers written into it, no API. It is the measure of the engine's speed on a machine, and
// shares no code with the engine, so that it stays what it is when the engine becomes faster.
#pragma once

#include <cstdint>

namespace sandtable::tubstap {

// Plays so many games of at most 40 turns and returns the number of operations.
std::uint64_t bare_loop(std::uint64_t games, std::uint64_t seed);

}  // namespace sandtable::tubstap
