// States in words.
#pragma once

#include <string>

#include "conquest/state.h"

namespace sandtable::conquest {

// A short text: the turn, the winner if the game is over, and the number of territories of each player.
template <class Size>
std::string in_words(const State<Size>& state) {
  std::string text = "turn ";
  text += std::to_string(state.turn());
  if (state.over()) text += state.winner() == kNobody ? ", tie" : state.winner() == 0 ? ", player 0 won" : ", player 1 won";
  text += ", ";
  text += std::to_string(state.owned(0).count());
  text += " v ";
  text += std::to_string(state.owned(1).count());
  return text + " territories";
}

}  // namespace sandtable::conquest
