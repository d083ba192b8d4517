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

class TubstapGames {
 public:
  TubstapGames(const tubstap::AnyState& start, std::size_t games, const std::string& encoder, const Terms& terms);

  std::size_t games() const { return seats_.size(); }
  const TubstapObserver& observer() const { return observer_; }
  const Seat& seat(std::size_t game) const { return seats_[game]; }
  const tubstap::AnyState& state(std::size_t game) const { return states_[game]; }

  // The seed from which the place draws its further games.
  void reseed(std::size_t game, std::uint64_t seed) { seats_[game].reseed(seed); }
  // Begins a new game there.
  void begin(std::size_t game);
  // An action for each game. Where a game has ended a new one begins instead.
  void act(std::span<const std::int64_t> actions);
  std::vector<std::size_t> waiting() const;
  // The opponent's move in a game that waits for it.
  void answer(std::size_t game, const TubstapMove& move);
  void forfeit(std::size_t game, int loser) { seats_[game].forfeited = loser; }
  void observe();
  void observe(std::size_t game);

  // The arrays: [games, observer().size()], [games, roster], [games, actions], and three of [games].
  std::vector<float> observations, rosters;
  std::vector<std::uint8_t> masks;
  std::vector<float> rewards;
  std::vector<std::uint8_t> outcomes;
  std::vector<std::int8_t> sides;  // the learner's

 private:
  void play_opponent(std::size_t game);

  tubstap::AnyState start_;
  Terms terms_;
  TubstapObserver observer_;
  std::vector<tubstap::AnyState> states_;
  std::vector<Seat> seats_;
};

}  // namespace sandtable::environments
