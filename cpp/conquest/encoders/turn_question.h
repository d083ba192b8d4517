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

}  // namespace sandtable::conquest
