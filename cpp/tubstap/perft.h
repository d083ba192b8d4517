// perft: the number of sequences of operations, as a fingerprint of a rules engine.
#pragma once

#include "tubstap/operations.h"

namespace sandtable::tubstap {

// The number of sequences of exactly `depth` operations from this state. Turns change only when all units have acted. Games
// that end earlier count 0.
template <class Size>
std::uint64_t perft(const State<Size>& state, int depth) {
  if (depth == 0) return 1;
  if (depth == 1) return count_operations(state);
  std::uint64_t n = 0;
  for_each_operation(state, [&](const Operation& op) {
    State<Size> next = state;
    next.play(op);
    n += perft(next, depth - 1);
  });
  return n;
}

}  // namespace sandtable::tubstap
