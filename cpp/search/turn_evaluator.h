// How searches of simultaneous turns ask for the values of positions and the logits of candidate moves. A network
// answers (evaluation/conquest.h).
#pragma once

#include <functional>
#include <span>

#include "search/game.h"

namespace sandtable::search {

template <SimultaneousGame Game>
struct Question {
  const typename Game::State* state;  // not decided
  int player;                         // the perspective player
  std::span<const typename Game::Orders> moves = {};  // of the player, whose logits are requested
};

// Writes the value of every state for its perspective player, in [-1, 1], and the logits of all moves, question by question.
template <SimultaneousGame Game>
using TurnEvaluator = std::function<void(std::span<const Question<Game>> questions, std::span<double> values,
                                         std::span<double> logits)>;

// Writes the value of every state for player 0, in [-1, 1], to `values`. The states are the outcomes of many pairs of moves.
template <SimultaneousGame Game>
using PairEvaluator = std::function<void(std::span<const typename Game::State> states, std::span<double> values)>;

}  // namespace sandtable::search
