// How near a player is to its win, for positions that are decided though not over: a network that is certain of the winner says
// nothing about which move gets there.
#pragma once

#include "conquest/state.h"

namespace sandtable::conquest {

// From 0 to 1, the more the less the enemy has left. That counts most, and absolutely: the enemy's last land must be worth a march
// when shares of all armies hardly change any more. The player's shares of armies and income come next; then how near its armies
// are to the enemy, each counting the inverse of its steps to enemy land. Nearness is little, because it falls when a land is
// taken and the next one is far.
template <class Size>
double progress(const State<Size>& state, int player) {
  constexpr double kLeft = 0.6, kShares = 0.3, kNearness = 0.1;
  constexpr double kLand = 2, kHalf = 20;  // armies that a land counts as; what is left of an enemy that is halfway beaten
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
