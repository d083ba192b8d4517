// Random play to the end of the game.
#pragma once

#include "core/require.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

// The first two draw from the legal operations. M-UCT lists operations in two ways, whatever the referee accepts: the
// attacks that it draws four times in five are on every enemy within reach, including harmless attacks; a unit's
// operations, which it draws otherwise and which are the children in its tree, include harmful attacks only.
enum class Policy {
  kUniform,          // a random unit that has not acted, then one of its operations
  kFlat,             // one of all operations of all units
  kAttack80,         // M-UCT's: four times in five one of all attacks, if there are any; else of a random unit's operations
  kAttack80Harmful,  // the same with harmful attacks only
};

struct Playouts {
  std::uint64_t red = 0, blue = 0, draws = 0, operations = 0;
};

// The operations of one unit, counted but not listed. The object must not outlive the state.
template <Attacks kAttacks, class Size>
class Choices {
 public:
  using Grid = typename Board<Size>::Grid;

  Choices(const State<Size>& state, int unit, const Prospect<Size>& prospect)
      : state_(state), unit_(unit), reached_(stops(state, unit, prospect.flooded)) {
    target_[0] = {};  // GCC cannot tell that there is a target if there are attacks
    for_each_target<kAttacks>(state, unit, reached_, prospect.near, [&](Target target) {
      target_[targets_++] = target;
      attacks_ += target.cells();
    });
  }

  int all() const { return attacks_ + reached_.count(); }

  // Operation k of all(); the attacks come first.
  Operation operator[](int k) const {
    if (k >= attacks_) return Operation::to(unit_, reached_.nth(k - attacks_));
    int i = 0;
    for (; k >= target_[i].cells(); ++i) k -= target_[i].cells();
    return attack(state_, unit_, target_[i], k);
  }

 private:
  const State<Size>& state_;
  int unit_;
  int targets_ = 0, attacks_ = 0;
  Grid reached_;
  std::array<Target, kMaxUnitsPerSide> target_;
};

// The prospects of the units of the side to move. Each is computed when it is first needed in a turn, and again after an
// enemy has died.
template <Attacks kAttacks, class Size>
class Prospects {
 public:
  const Prospect<Size>& of(const State<Size>& state, int unit) {
    const std::uint64_t enemies = state.alive(1 - state.side());
    if (turn_ != state.turn() || enemies_ != enemies) {
      turn_ = state.turn();
      enemies_ = enemies;
      known_ = 0;
    }
    const std::uint64_t bit = std::uint64_t{1} << unit;
    if (!(known_ & bit)) {
      prospect_[unit] = prospect<kAttacks>(state, unit);
      known_ |= bit;
    }
    return prospect_[unit];
  }

 private:
  int turn_ = -1;
  std::uint64_t enemies_ = 0, known_ = 0;
  std::array<Prospect<Size>, Size::kUnits> prospect_;
};

template <Attacks kAttacks, Attacks kNear, class Size>
Operation random_of_random_unit(const State<Size>& state, Prospects<kNear, Size>& prospects, Rng& rng) {
  const std::uint64_t ready = state.ready();
  const int unit = nth_bit(ready, static_cast<int>(rng.below(std::popcount(ready))));
  const Choices<kAttacks, Size> choices(state, unit, prospects.of(state, unit));
  return choices[static_cast<int>(rng.below(choices.all()))];
}

// A random operation, drawn uniformly from all operations of all units.
template <Attacks kAttacks, class Size>
Operation random_of_all(const State<Size>& state, Prospects<kAttacks, Size>& prospects, Rng& rng) {
  std::array<int, kMaxUnitsPerSide> count;
  int units = 0, total = 0;
  for_each_unit(state.ready(), [&](int unit) {
    const Prospect<Size>& prospect = prospects.of(state, unit);
    total += count[units++] = count_operations<kAttacks>(state, unit, prospect);
  });
  int k = static_cast<int>(rng.below(total)), i = 0;
  for (; k >= count[i]; ++i) k -= count[i];
  const int unit = nth_bit(state.ready(), i);
  return Choices<kAttacks, Size>(state, unit, prospects.of(state, unit))[k];
}

// A random attack, drawn uniformly from all attacks of all units; if there are none, one of a random unit's operations.
template <Attacks kAttacks, class Size>
Operation random_attack(const State<Size>& state, Prospects<kAttacks, Size>& prospects, Rng& rng) {
  struct Shot {
    std::uint8_t unit;
    Target target;
  };
  std::array<Shot, kMaxUnitsPerSide * kMaxUnitsPerSide> shots;
  int n = 0, total = 0;
  for_each_unit(state.ready(), [&](int unit) {
    const Prospect<Size>& prospect = prospects.of(state, unit);
    if (!prospect.near) return;
    for_each_target<kAttacks>(state, unit, stops(state, unit, prospect.flooded), prospect.near, [&](Target target) {
      shots[n++] = {static_cast<std::uint8_t>(unit), target};
      total += target.cells();
    });
  });
  if (total == 0) return random_of_random_unit<Attacks::kHarmful>(state, prospects, rng);
  int k = static_cast<int>(rng.below(total)), i = 0;
  for (; k >= shots[i].target.cells(); ++i) k -= shots[i].target.cells();
  return attack(state, shots[i].unit, shots[i].target, k);
}

template <Policy kPolicy, Attacks kAttacks, class Size>
Operation random_operation(const State<Size>& state, Prospects<kAttacks, Size>& prospects, Rng& rng) {
  if constexpr (kPolicy == Policy::kUniform) {
    return random_of_random_unit<kAttacks>(state, prospects, rng);
  } else if constexpr (kPolicy == Policy::kFlat) {
    return random_of_all(state, prospects, rng);
  } else {
    if (rng.below(5) != 0) return random_attack(state, prospects, rng);
    return random_of_random_unit<Attacks::kHarmful>(state, prospects, rng);
  }
}

// A random operation as uniform playouts draw it.
template <class Size>
Operation random_operation(const State<Size>& state, Rng& rng) {
  return with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
    Prospects<kAttacks, Size> prospects;
    return random_operation<Policy::kUniform>(state, prospects, rng);
  });
}

// The same with a seed.
template <class Size>
Operation random_move(const State<Size>& state, std::uint64_t seed) {
  require(!state.over(), "the game is over");
  Rng rng(seed, stream_number("random move"));
  return random_operation(state, rng);
}

template <Policy kPolicy, Attacks kAttacks, class Size>
int playout(State<Size>& state, Rng& rng) {
  Prospects<kAttacks, Size> prospects;
  int operations = 0;
  for (; !state.over(); ++operations) state.template play<false>(random_operation<kPolicy>(state, prospects, rng));
  return operations;
}

// Plays the state to its end and returns the number of operations.
template <class Size>
int playout(State<Size>& state, Policy policy, Rng& rng) {
  if (policy == Policy::kAttack80) return playout<Policy::kAttack80, Attacks::kAny>(state, rng);
  if (policy == Policy::kAttack80Harmful) return playout<Policy::kAttack80Harmful, Attacks::kHarmful>(state, rng);
  return with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
    return policy == Policy::kFlat ? playout<Policy::kFlat, kAttacks>(state, rng)
                                   : playout<Policy::kUniform, kAttacks>(state, rng);
  });
}

// Playout i of a seed draws from a stream of its own, so that any split of the work gives the same sums.
template <class Size>
void playouts(const State<Size>& start, Policy policy, std::uint64_t first, std::uint64_t last, std::uint64_t seed,
              Playouts& sums) {
  for (std::uint64_t i = first; i < last; ++i) {
    Rng rng(seed, stream_number("playout"), i);
    State<Size> state = start;
    sums.operations += playout(state, policy, rng);
    ++(state.winner() == 0 ? sums.red : state.winner() == 1 ? sums.blue : sums.draws);
  }
}

// Compiled in small_boards.cpp and large_boards.cpp.
extern template Operation random_operation(const State<Small>&, Rng&);
extern template int playout(State<Small>&, Policy, Rng&);
extern template Operation random_operation(const State<Compact>&, Rng&);
extern template int playout(State<Compact>&, Policy, Rng&);
extern template Operation random_operation(const State<Medium>&, Rng&);
extern template int playout(State<Medium>&, Policy, Rng&);
extern template Operation random_operation(const State<Wide>&, Rng&);
extern template int playout(State<Wide>&, Policy, Rng&);
extern template Operation random_operation(const State<Large>&, Rng&);
extern template int playout(State<Large>&, Policy, Rng&);

}  // namespace sandtable::tubstap
