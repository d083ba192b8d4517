// The questions that networks of Conquest answer.
#pragma once

#include <span>

#include "conquest/state.h"

namespace sandtable::conquest {

template <class Size>
struct TurnQuestion {
  const State<Size>& state;
  int player;  // the perspective player
  std::span<const Orders> moves = {};  // candidate moves of the player
};
// A deduction guide, which compilers before clang 17 (Apple's of Xcode 16) need.
template <class Size>
TurnQuestion(const State<Size>&, int, std::span<const Orders> = {}) -> TurnQuestion<Size>;

}  // namespace sandtable::conquest
