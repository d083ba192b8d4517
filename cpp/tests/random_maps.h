// Random maps and rules of both games, for tests that must hold on all of them.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "conquest/land.h"
#include "core/rng.h"
#include "tubstap/setup.h"

namespace sandtable::tests {

inline int between(Rng& rng, int low, int high) { return low + static_cast<int>(rng.below(high - low + 1)); }

}  // namespace sandtable::tests

namespace sandtable::tests::tubstap_maps {

using namespace tubstap;

inline Rules random_rules(Rng& rng) {
  Rules rules;
  const int max_cost = between(rng, 1, 4);
  for (int k = 0; k < kKinds; ++k) {
    for (int& power : rules.power[k]) power = rng.below(3) ? between(rng, 1, 115) : 0;
    rules.movement[k] = between(rng, 0, 9);
    rules.air[k] = rng.below(3) == 0;
    rules.range[k] = rng.below(4) ? std::array{1, 1} : std::array{between(rng, 1, 2), between(rng, 2, 4)};
    for (int t = 1; t < kTerrains; ++t) rules.cost[k][t] = between(rng, 0, max_cost);
  }
  for (int& defence : rules.defence) defence = between(rng, 0, 5);
  rules.real_hp = rng.below(2);
  rules.turn_limit = between(rng, 1, 30);
  if (rng.below(2)) rules.hp_threshold = between(rng, 0, 5);
  if (rng.below(2)) rules.quiet_limit = between(rng, 1, 20);
  rules.harmless_attacks = rng.below(2);
  return rules;
}

inline Setup random_setup(Rng& rng, int max_side, int max_units) {
  Setup setup;
  setup.rules = random_rules(rng);
  do {
    setup.width = between(rng, 1, max_side);
    setup.height = between(rng, 1, max_side);
  } while (setup.width * setup.height < 2);
  const int cells = setup.width * setup.height;
  for (int i = 0; i < cells; ++i)
    setup.terrain.push_back(static_cast<std::uint8_t>(rng.below(8) ? between(rng, 1, 6) : kNoEntry));
  const int units = between(rng, 2, std::min(max_units, cells));
  std::vector<bool> taken(cells);
  for (int id = 0; id < units; ++id) {
    int cell;
    do cell = static_cast<int>(rng.below(cells));
    while (taken[cell]);
    taken[cell] = true;
    if (setup.terrain[cell] == kNoEntry) setup.terrain[cell] = 1;
    const double hp = setup.rules.real_hp ? 0.1 + 9.9 * rng.uniform() : between(rng, 1, 10);
    setup.units.push_back({static_cast<int>(rng.below(kKinds)), id % 2, cell % setup.width + 1, cell / setup.width + 1,
                           hp, rng.below(6) == 0});
  }
  setup.turn = between(rng, 0, 1);
  return setup;
}

}  // namespace sandtable::tests::tubstap_maps

namespace sandtable::tests::conquest_maps {

using namespace conquest;

// A random tree with some more edges, overlapping bonuses and rules of every kind.
inline Setup random_setup(Rng& rng, int max_territories, int min_territories = 4) {
  Setup setup;
  Rules& rules = setup.rules;
  rules.attack_kills = 0.3 + rng.uniform();
  rules.defence_kills = rng.uniform();
  rules.rounding = static_cast<Rounding>(rng.below(3));
  rules.base_income = between(rng, 0, 8);
  rules.stand_guard = rng.below(2);
  rules.order = static_cast<Order>(rng.below(2));
  rules.turn_limit = between(rng, 1, 40);
  rules.start_lands = between(rng, 1, 2);
  const int n = setup.territories = between(rng, min_territories, max_territories);
  std::vector<std::vector<bool>> joined(n, std::vector<bool>(n));
  const auto join = [&](int a, int b) {
    if (a == b || joined[a][b]) return;
    joined[a][b] = joined[b][a] = true;
    setup.edges.emplace_back(a, b);
  };
  for (int t = 1; t < n; ++t) join(t, static_cast<int>(rng.below(t)));
  for (int i = 0; i < n; ++i) join(static_cast<int>(rng.below(n)), static_cast<int>(rng.below(n)));
  for (int i = 0; i < between(rng, 0, 5); ++i) {
    Setup::BonusSetup bonus{between(rng, 0, 5), {}};
    for (int k = 0; k < between(rng, 1, 4); ++k) bonus.territories.push_back(static_cast<int>(rng.below(n)));
    setup.bonuses.push_back(bonus);
  }
  return setup;
}

}  // namespace sandtable::tests::conquest_maps
