// The parts that groups of both games share: the opponent, the random streams of each slot, the rewards, the arrays, a
// lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/require.h"
#include "core/rng.h"

namespace sandtable::environments {

enum class Opponent {
  kElsewhere,  // the caller supplies its moves
  kRandom,
  kGreedy,
};

inline Opponent opponent_named(const std::string& name) {
  if (name == "elsewhere") return Opponent::kElsewhere;
  if (name == "random") return Opponent::kRandom;
  if (name == "greedy") return Opponent::kGreedy;
  throw std::invalid_argument("opponent must be random, greedy or elsewhere, not '" + name + "'");
}

struct GroupSettings {
  Opponent opponent = Opponent::kRandom;
  std::optional<int> side;  // the learner's; none: drawn for each game
  double shaping = 0;       // weight of the change of a hand-made evaluation in the rewards
};

inline GroupSettings group_settings(const std::string& opponent, std::optional<int> side, double shaping) {
  require(!side || *side == 0 || *side == 1, "side must be 0, 1 or None");
  return {opponent_named(opponent), side, shaping};
}

// The status of a game after a step.
enum class Outcome : std::uint8_t { kGoesOn, kEnded, kIllegal };

// One slot of a group, in which games are played one after the other.
struct Slot {
  Rng draws{0};     // gives the games of this slot their sides and seeds
  Rng opponent{0};  // the stream of the game's opponent
  Rng play{0};      // all other draws of the game
  std::uint64_t opponent_seed = 0, number = 0;  // of the game
  int side = 0;                                 // the learner's
  bool begun = false;                           // by the current step, whose action is ignored
  bool ended = true;
  std::optional<int> forfeited;  // the side that lost by an illegal move
  double potential = 0;          // the evaluation at the learner's last decision

  void reseed(std::uint64_t seed) { draws = Rng(seed, stream_number("environment")); }

  // Makes the draws of a new game. Players in Python draw from streams of the same names.
  void begin(const GroupSettings& settings) {
    constexpr std::uint32_t kSeeds = 0xffffffff;
    side = settings.side ? *settings.side : static_cast<int>(draws.below(2));
    opponent_seed = draws.below(kSeeds);
    opponent = Rng(opponent_seed, stream_number(side == 0 ? "player 1" : "player 0"));
    play = Rng(draws.below(kSeeds), stream_number("play"));
    forfeited.reset();
    ended = false;
    begun = true;
    ++number;
  }

  // The reward of a step: `result` if the game is over after it, plus the shaping term, which is the change of a potential.
  // The potential is `potential_now`, or 0 if the game is over; the shaping therefore adds up to the same sum however the
  // game is played.
  float reward(const GroupSettings& settings, bool over, double result, double potential_now) {
    const double now = over ? 0 : potential_now;
    const double reward = begun ? 0 : (over ? result : 0) + settings.shaping * (now - potential);
    potential = now;
    return static_cast<float>(reward);
  }
};

// Throws std::invalid_argument if a group cannot have this number of games.
inline std::size_t checked_group_size(std::size_t games) {
  require(games > 0, "a group has at least one game");
  require(games <= 1 << 20, "a group has at most 1048576 games");
  return games;
}

// The games of a group, and the arrays into which they are written. Its methods throw std::invalid_argument for a game that
// is not in the group, and for any other argument that does not fit.
template <class AnyState, class Observer>
class Group {
 public:
  Group(const AnyState& start, std::size_t games, const std::string& encoder, const GroupSettings& settings)
      : rewards(checked_group_size(games)),
        outcomes(games),
        sides(games),
        settings_(settings),
        observer_(start, encoder),
        states_(games, start),
        slots_(games) {
    observations.resize(games * observer_.size());
  }

  std::size_t games() const { return slots_.size(); }
  const Observer& observer() const { return observer_; }
  const AnyState& state(std::size_t game) const { return states_[in_group(game)]; }
  std::uint64_t opponent_seed(std::size_t game) const { return slots_[in_group(game)].opponent_seed; }
  // The number of games that the slot has begun.
  std::uint64_t number(std::size_t game) const { return slots_[in_group(game)].number; }

  // Sets the seed from which the slot draws its further games.
  void reseed(std::size_t game, std::uint64_t seed) { slots_[in_group(game)].reseed(seed); }
  void forfeit(std::size_t game, int loser) {
    require(loser == 0 || loser == 1, "the loser must be 0 or 1");
    slots_[in_group(game)].forfeited = loser;
  }

  std::vector<float> observations;  // [games, observer().size()]
  std::vector<float> rewards;       // [games], like the next two
  std::vector<std::uint8_t> outcomes;
  std::vector<std::int8_t> sides;  // the learner's

 protected:
  std::size_t in_group(std::size_t game) const {
    require(game < games(), "there is no such game in the group");
    return game;
  }

  template <class Waits>
  std::vector<std::size_t> games_where(Waits&& waits) const {
    std::vector<std::size_t> found;
    for (std::size_t game = 0; game < games(); ++game)
      if (waits(game)) found.push_back(game);
    return found;
  }

  GroupSettings settings_;
  Observer observer_;
  std::vector<AnyState> states_;
  std::vector<Slot> slots_;
};

// A group that threads share. It admits one thread at a time.
template <class Games>
class Shared {
 public:
  template <class... Arguments>
  explicit Shared(const Arguments&... arguments) : games_(arguments...) {}

  // Calls a member function; its result is copied before the next thread is admitted.
  template <class Member, class... Arguments>
  auto call(Member member, const Arguments&... arguments) {
    const std::lock_guard guard(mutex_);
    return std::invoke(member, games_, arguments...);
  }

  // Access without the lock: for sizes, which never change, and for the arrays, whose readers know when nobody writes them.
  Games& games() { return games_; }

 private:
  Games games_;
  std::mutex mutex_;
};

}  // namespace sandtable::environments
