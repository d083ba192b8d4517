// How near a player is to its win, for positions that are decided but not over: a network that is certain of the winner
// does not tell which moves lead to the win.
#pragma once

#include "conquest/state.h"

namespace sandtable::conquest {

// From 0 to 1. The first and largest term grows as the enemy's armies, income and land shrink. It uses absolute numbers,
// because taking the enemy's last land must still pay when the shares of all armies hardly change any more. The second term
// is the player's shares of armies and income. The third is how near its armies are to the enemy: each army counts the
// inverse of its steps to enemy land. Its weight is small, because it falls when a territory is taken and the next one is
// far.
template <class Size>
double progress(const State<Size>& state, int player) {
  constexpr double kLeft = 0.6, kShares = 0.3, kNearness = 0.1;
  constexpr double kLand = 2, kHalf = 20;  // armies that a territory counts as; the enemy's rest that halves the first term
  const int enemy = 1 - player;
  double armies[2] = {0, 0};
  for (const int p : {player, enemy}) state.owned(p).for_each([&](int t) { armies[p] += state.armies(t); });
  const double income[2] = {static_cast<double>(state.income(0)), static_cast<double>(state.income(1))};
  const auto share = [&](const double (&of)[2]) { return of[0] + of[1] > 0 ? of[player] / (of[0] + of[1]) : 0.5; };

  double near = 0;
  auto layer = state.owned(enemy), reached = layer;
  for (int steps = 1; layer.any(); ++steps) {
    typename Land<Size>::Set next{};
    layer.for_each([&](int t) { next = next | state.land().neighbours(t); });
    layer = next & ~reached;
    reached = reached | layer;
    (layer & state.owned(player)).for_each([&](int t) { near += static_cast<double>(state.armies(t)) / steps; });
  }
  const double left = armies[enemy] + income[enemy] + kLand * state.owned(enemy).count();
  return kLeft * kHalf / (kHalf + left) + kShares * (share(armies) + share(income)) / 2 +
         kNearness * (armies[player] > 0 ? near / armies[player] : 0);
}

}  // namespace sandtable::conquest
