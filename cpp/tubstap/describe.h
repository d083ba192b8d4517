// States in words.
#pragma once

#include <string>

#include "tubstap/state.h"

namespace sandtable::tubstap {

// The reason why a game has ended; nullptr while it goes on.
inline const char* in_words(Reason reason) {
  constexpr const char* kWords[] = {nullptr, "annihilation", "turn limit", "no progress"};
  return kWords[static_cast<std::size_t>(reason)];
}

// A short text: the turn, the side to move or the winner, and the number of units of each side.
template <class Size>
std::string in_words(const State<Size>& state) {
  std::string text = "turn ";
  text += std::to_string(state.turn());
  if (state.over())
    text += state.winner() == kNobody ? ", draw, " : state.winner() == 0 ? ", red won, " : ", blue won, ";
  else
    text += state.side() == 0 ? ", red to move, " : ", blue to move, ";
  text += std::to_string(std::popcount(state.alive(0)));
  text += " v ";
  text += std::to_string(std::popcount(state.alive(1)));
  return text;
}

}  // namespace sandtable::tubstap
