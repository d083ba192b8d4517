// Many games of TUBSTAP on one scenario as reinforcement learning sees them: a step is one unit's operation of the learner
// in every game, answered by the opponent's whole turn where the turn ends. Masks and observations are written into arrays
// that are allocated once.
//
// The important methods are act(), which plays the learners' actions, and observe(), which writes what they led to. Between
// the two an opponent that plays elsewhere gives its moves: waiting() says in which games.
#pragma once

#include <span>
#include <vector>

#include "environments/seats.h"
#include "environments/tubstap_observer.h"

namespace sandtable::environments {

class TubstapGames : public Group<tubstap::AnyState, TubstapObserver> {
 public:
  TubstapGames(const tubstap::AnyState& start, std::size_t games, const std::string& encoder, const Terms& terms);

  // Begins a new game there.
  void begin(std::size_t game);
  // An action for each game. Where a game has ended a new one begins instead.
  void act(std::span<const std::int64_t> actions);
  std::vector<std::size_t> waiting() const;
  // The opponent's move in a game that waits for it.
  void answer(std::size_t game, const NamedMove& move);
  void observe();
  void observe_one(std::size_t game);

  std::vector<float> rosters;       // [games, roster]
  std::vector<std::uint8_t> masks;  // [games, actions]

 private:
  void play_opponent(std::size_t game);

  tubstap::AnyState start_;
};

}  // namespace sandtable::environments
