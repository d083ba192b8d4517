// The player `greedy` (src/sandtable/tubstap/players/greedy.py), which maximises damage dealt minus damage taken in one
// combat.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "tubstap/game.h"

namespace sandtable::tubstap {

// One of the best of all operations, drawn uniformly. Attacks that gain nothing are as good as plain moves.
template <class Size>
Operation greedy_of_all(const State<Size>& state, Rng& rng) {
  thread_local std::vector<Operation> all, best;
  all.clear();
  best.clear();
  Game<Size>::moves(state, all);
  double most = 0;
  for (const Operation& op : all) {
    double gain = 0;
    if (op.attacks()) {
      const Combat combat = state.combat(op);
      gain = combat.dealt - combat.taken;
    }
    if (best.empty() || gain > most) {
      most = gain;
      best.clear();
    }
    if (gain == most) best.push_back(op);
  }
  return best[rng.below(static_cast<std::uint32_t>(best.size()))];
}

// The same, but faster: if an attack gains something, only attacks are listed; if no attack gains or breaks even, plain
// moves are counted instead of listed. With the same random stream it chooses the same operation as the player in Python;
// the tests compare the two.
template <Attacks kAttacks, class Size>
Operation greedy_operation(const State<Size>& state, Prospects<kAttacks, Size>& prospects, Rng& rng) {
  using Grid = typename Board<Size>::Grid;
  thread_local std::vector<Operation> best;
  best.clear();
  std::array<Grid, kMaxUnitsPerSide> reached;
  double most = 0;
  int units = 0, moves = 0;
  for_each_unit(state.ready(), [&](int unit) {
    const Prospect<Size>& prospect = prospects.of(state, unit);
    const Grid& own = reached[static_cast<std::size_t>(units++)] = stops(state, unit, prospect.flooded);
    moves += own.count();
    if (!prospect.near) return;
    for_each_target<kAttacks>(state, unit, own, prospect.near, [&](Target target) {
      for (int k = 0; k < target.cells(); ++k) {
        const Operation op = attack(state, unit, target, k);
        const Combat combat = state.combat(op);
        const double gain = combat.dealt - combat.taken;
        if (gain > most) {
          most = gain;
          best.clear();
        }
        if (gain == most) best.push_back(op);
      }
    });
  });
  if (most > 0) {
    const auto place = [](const Operation& op) { return std::tuple(op.unit, op.cell, op.target); };
    std::sort(best.begin(), best.end(), [&](const Operation& a, const Operation& b) { return place(a) < place(b); });
    return best[rng.below(static_cast<std::uint32_t>(best.size()))];
  }
  if (!best.empty()) return greedy_of_all(state, rng);
  int k = static_cast<int>(rng.below(static_cast<std::uint32_t>(moves)));
  std::size_t i = 0;
  for (; k >= reached[i].count(); ++i) k -= reached[i].count();
  return Operation::to(nth_bit(state.ready(), static_cast<int>(i)), reached[i].nth(k));
}

}  // namespace sandtable::tubstap
