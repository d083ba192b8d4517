// The operations that can be played. Their canonical order, in every list, file and protocol, is ascending by
// (unit, x, y, target), with a plain move before the attacks from the same cell.
//
// The rules decide which attacks are legal, but the threats that networks are shown are always attacks that do harm.
// Functions that look for targets therefore take the kind of attacks as a template argument, so that playouts pay for no
// test.
#pragma once

#include <string>
#include <vector>

#include "tubstap/state.h"

namespace sandtable::tubstap {

// The cells that the unit has the movement to reach, including cells of friends: enemies block its way, friends do not. The
// result therefore does not change while the unit's own side moves, until an enemy dies.
//
// A flood fill on whole grids: after k rounds `reached` holds the cells that cost at most k points of movement. A cell of
// cost c is entered in round k from the cells reached in round k - c, so the fill keeps the rims of the last rounds.
template <class Size>
typename Board<Size>::Grid flood(const State<Size>& state, int unit) {
  using Grid = typename Board<Size>::Grid;
  const auto& board = state.board();
  const auto& mobility = board.mobility(board.kind(unit));
  const Grid open = ~state.occupied(1 - board.side(unit));
  Grid reached = Grid::of(state.cell(unit));

  if (mobility.max_cost == 1) {
    const Grid enter = mobility.enter[0] & open;
    for (int k = 0; k < mobility.movement; ++k) reached = reached | (board.neighbours(reached) & enter);
  } else if (mobility.max_cost == 2) {
    const Grid enter1 = mobility.enter[0] & open, enter2 = mobility.enter[1] & open;
    Grid earlier_rim{};
    for (int k = 0; k < mobility.movement; ++k) {
      const Grid rim = board.neighbours(reached);
      reached = reached | (rim & enter1) | (earlier_rim & enter2);
      earlier_rim = rim;
    }
  } else {
    std::array<Grid, kMaxMovement> rims;
    for (int k = 0; k < mobility.movement; ++k) {
      rims[k] = board.neighbours(reached);
      for (int c = 0; c < std::min(mobility.max_cost, k + 1); ++c)
        reached = reached | (rims[k - c] & mobility.enter[c] & open);
    }
  }
  return reached;
}

// The cells of its flood on which the unit could stop: those without a friend, and always its own cell. Inlining is forced,
// because a call costs up to a fifth of the speed of playouts.
template <class Size>
[[gnu::always_inline]] inline typename Board<Size>::Grid stops(const State<Size>& state, int unit,
                                                               const typename Board<Size>::Grid& flooded) {
  return (flooded & ~state.occupied(state.board().side(unit))) | Board<Size>::Grid::of(state.cell(unit));
}

template <class Size>
typename Board<Size>::Grid reach(const State<Size>& state, int unit) {
  return stops(state, unit, flood(state, unit));
}

enum class Attacks {
  kHarmful,  // those that would cost the target HP
  kAny,      // those on any enemy within reach; legal under rules with harmless_attacks
};

// Calls f.operator()<kAttacks>() with the kind of attacks that is legal.
template <class F>
decltype(auto) with_legal_attacks(const Rules& rules, F&& f) {
  return rules.harmless_attacks ? f.template operator()<Attacks::kAny>() : f.template operator()<Attacks::kHarmful>();
}

// The part of a unit's choices that does not change while its own side moves, until an enemy dies: its flood, and the
// enemies that stand next to the flood (for an indirect unit: in range). With kHarmful only those count against which it
// has power.
template <class Size>
struct Prospect {
  typename Board<Size>::Grid flooded;
  std::uint64_t near;
};

template <Attacks kAttacks = Attacks::kHarmful, class Size>
Prospect<Size> prospect(const State<Size>& state, int unit) {
  const auto& board = state.board();
  const int enemy = 1 - board.side(unit);
  std::uint64_t prey = state.alive(enemy);
  if constexpr (kAttacks == Attacks::kHarmful) prey &= board.prey(unit);
  Prospect<Size> found{flood(state, unit), 0};
  if (prey == 0) return found;
  if (board.direct(unit)) {
    const auto touched = board.neighbours(found.flooded) & state.occupied(enemy);
    if (!touched.any()) return found;
    for_each_unit(prey, [&](int target) {  // no branch per unit, since it would be unpredictable
      found.near |= static_cast<std::uint64_t>(touched.test(state.cell(target))) << target;
    });
  } else {
    const auto [least, greatest] = board.rules().range[board.kind(unit)];
    for_each_unit(prey, [&](int target) {
      const int d = board.distance(state.cell(unit), state.cell(target));
      found.near |= static_cast<std::uint64_t>(d >= least && d <= greatest) << target;
    });
  }
  return found;
}

// An enemy that a unit can attack, and the cells from which it can: bit i of `from` stands for the i-th cell around the
// target. An indirect unit shoots from its own cell, and has bit 0 alone.
struct Target {
  std::int8_t unit;
  std::uint8_t from;

  int cells() const { return std::popcount(from); }
};

// The cells from which the unit can attack an enemy of its prospect, given its reach, as the bits of a Target.
template <class Size>
int attack_cells(const State<Size>& state, int unit, int target, const typename Board<Size>::Grid& reached) {
  const auto& board = state.board();
  if (!board.direct(unit)) return 1;
  // No test for the board's edge: beyond it `around` has the target's own cell, which is never reached.
  const auto& around = board.around(state.cell(target));
  return reached.test(around[0]) | reached.test(around[1]) << 1 | reached.test(around[2]) << 2 | reached.test(around[3]) << 3;
}

// Calls f(Target), in ascending order, for every enemy that the unit can attack, given its reach and its prospect's `near`.
// For either kind of attacks `near` may be that of a kAny prospect.
template <Attacks kAttacks = Attacks::kHarmful, class Size, class F>
void for_each_target(const State<Size>& state, int unit, const typename Board<Size>::Grid& reached, std::uint64_t near,
                     F&& f) {
  for_each_unit(near, [&](int target) {
    const int from = attack_cells(state, unit, target, reached);
    if (from && (kAttacks == Attacks::kAny || state.harms(unit, target)))
      f(Target{static_cast<std::int8_t>(target), static_cast<std::uint8_t>(from)});
  });
}

// The attack from the k-th of the target's cells, k < target.cells(), in ascending order of cells.
template <class Size>
Operation attack(const State<Size>& state, int unit, Target target, int k) {
  const auto& board = state.board();
  if (!board.direct(unit)) return Operation::to(unit, state.cell(unit), target.unit);
  unsigned from = target.from;
  while (k-- > 0) from &= from - 1;
  return Operation::to(unit, board.around(state.cell(target.unit))[std::countr_zero(from)], target.unit);
}

// Calls f(operation) for every operation of the unit, with attacks of this kind, in canonical order.
template <Attacks kAttacks, class Size, class F>
void for_each_operation(const State<Size>& state, int unit, F&& f) {
  const auto own_prospect = prospect<kAttacks>(state, unit);
  const auto reached = stops(state, unit, own_prospect.flooded);
  std::array<Operation, 4 * kMaxUnitsPerSide> attacks;
  int n = 0;
  for_each_target<kAttacks>(state, unit, reached, own_prospect.near, [&](Target target) {
    for (int k = 0; k < target.cells(); ++k) {
      const Operation op = attack(state, unit, target, k);
      int i = n++;  // Attacks come by target; a stable insertion by cell puts them in order.
      for (; i > 0 && attacks[i - 1].cell > op.cell; --i) attacks[i] = attacks[i - 1];
      attacks[i] = op;
    }
  });
  int i = 0;
  reached.for_each([&](int cell) {
    f(Operation::to(unit, cell));
    for (; i < n && attacks[i].cell == cell; ++i) f(attacks[i]);
  });
}

// Calls f(operation) for all legal operations of the side to move, in canonical order; none when the game is over.
template <class Size, class F>
void for_each_operation(const State<Size>& state, F&& f) {
  if (state.over()) return;
  with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
    for_each_unit(state.ready(), [&](int unit) { for_each_operation<kAttacks>(state, unit, f); });
  });
}

// The number of a unit's operations, with attacks of this kind.
template <Attacks kAttacks, class Size>
int count_operations(const State<Size>& state, int unit, const Prospect<Size>& prospect) {
  const auto reached = stops(state, unit, prospect.flooded);
  int n = reached.count();
  for_each_target<kAttacks>(state, unit, reached, prospect.near, [&](Target target) { n += target.cells(); });
  return n;
}

template <class Size>
std::uint64_t count_operations(const State<Size>& state) {
  std::uint64_t n = 0;
  if (state.over()) return n;
  with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
    for_each_unit(state.ready(), [&](int unit) {
      n += static_cast<std::uint64_t>(count_operations<kAttacks>(state, unit, prospect<kAttacks>(state, unit)));
    });
  });
  return n;
}

}  // namespace sandtable::tubstap
