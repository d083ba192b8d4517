// What groups of both games share: the opponent, the random streams of each place, and the rewards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/rng.h"

namespace sandtable::environments {

enum class Opponent {
  kElsewhere,  // its moves are given
  kRandom,
  kGreedy,
};

inline Opponent opponent_named(const std::string& name) {
  if (name == "elsewhere") return Opponent::kElsewhere;
  if (name == "random") return Opponent::kRandom;
  if (name == "greedy") return Opponent::kGreedy;
  throw std::invalid_argument("an opponent is random, greedy or elsewhere, not '" + name + "'");
}

inline void check_group_size(std::size_t games) {
  if (games == 0) throw std::invalid_argument("a group has at least one game");
  if (games > 1 << 20) throw std::invalid_argument("a group has at most 1048576 games");
}

struct Terms {
  Opponent opponent = Opponent::kRandom;
  std::optional<int> side;  // the learner's; none: drawn for each game
  double shaping = 0;       // weight of the change of a hand-made evaluation in the rewards
};

// How a step left a game.
enum class Outcome : std::uint8_t { kGoesOn, kEnded, kIllegal };

// One place of a group, in which game follows game.
struct Seat {
  Rng draws{0};     // what the games of this place draw, one after the other
  Rng opponent{0};  // the stream of the game's opponent
  Rng play{0};      // what else the game draws
  std::uint64_t opponent_seed = 0, number = 0;  // of the game
  int side = 0;                                 // the learner's
  bool begun = false;                           // by the step under way, whose action is ignored
  bool ended = true;
  std::optional<int> forfeited;  // the side that lost by an illegal move
  double potential = 0;          // the evaluation at the learner's last decision

  void reseed(std::uint64_t seed) { draws = Rng(seed, stream_number("environment")); }

  // A new game's draws. Players in Python draw from streams of the same names.
  void begin(const Terms& terms) {
    constexpr std::uint32_t kSeeds = 0xffffffff;
    side = terms.side ? *terms.side : static_cast<int>(draws.below(2));
    opponent_seed = draws.below(kSeeds);
    opponent = Rng(opponent_seed, stream_number(side == 0 ? "player 1" : "player 0"));
    play = Rng(draws.below(kSeeds), stream_number("play"));
    forfeited.reset();
    ended = false;
    begun = true;
    ++number;
  }

  // The reward of a step after which the game is worth `result` if it is over, and is evaluated as `potential_now` if not.
  // Shaping by differences of a potential that is 0 at the end adds up to the same for every way of playing.
  float reward(const Terms& terms, bool over, double result, double potential_now) {
    const double now = over ? 0 : potential_now;
    const double reward = begun ? 0 : (over ? result : 0) + terms.shaping * (now - potential);
    potential = now;
    return static_cast<float>(reward);
  }
};

}  // namespace sandtable::environments
