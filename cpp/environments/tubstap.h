// A group of TUBSTAP games on one scenario as an environment for reinforcement learning. A step is one operation of the
// learner in every game, followed by the opponent's whole turn if the operation ends the learner's. Masks and observations
// are written into arrays that are allocated once.
//
// The important methods are act(), which plays the learner's actions, and observe(), which writes the results. Between
// the two an opponent that plays elsewhere gives its moves; waiting() lists the games that wait for them.
#pragma once

#include <span>
#include <vector>

#include "environments/group.h"
#include "environments/tubstap_observer.h"

namespace sandtable::environments {

class TubstapGames : public Group<tubstap::AnyState, TubstapObserver> {
 public:
  TubstapGames(const tubstap::AnyState& start, std::size_t games, const std::string& encoder, const GroupSettings& settings);

  // Begins a new game in slot `game`.
  void begin(std::size_t game);
  // Plays one action in each game. In the slot of a game that has ended, a new one begins instead.
  void act(std::span<const std::int64_t> actions);
  std::vector<std::size_t> waiting() const;
  // Plays the opponent's move in a game that waits for it.
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
