// What networks of Conquest are asked about.
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
// Needed before clang 17, which is Apple's of Xcode 16.
template <class Size>
TurnQuestion(const State<Size>&, int, std::span<const Orders> = {}) -> TurnQuestion<Size>;

}  // namespace sandtable::conquest
