#include "tubstap/rules.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace sandtable::tubstap {
namespace {

void require_within(double value, double low, double high, const std::string& what) {
  if (value >= low && value <= high) return;
  const auto text = [](double x) { return std::to_string(static_cast<long long>(x)); };
  throw std::invalid_argument(what + " must be within " + text(low) + ".." + text(high));
}

}  // namespace

void check(const Rules& rules) {
  for (int k = 0; k < kKinds; ++k) {
    for (const int p : rules.power[k]) require_within(p, 0, kMaxPower, "power");
    require_within(rules.movement[k], 0, kMaxMovement, "movement");
    const auto [least, greatest] = rules.range[k];
    require_within(least, 1, kMaxRange, "range");
    require_within(greatest, least, kMaxRange, "range");
    for (int t = 0; t < kTerrains; ++t) require_within(rules.cost[k][t], 0, kMaxCost, "cost");
    if (rules.cost[k][kNoEntry] != 0) throw std::invalid_argument("cost: no unit can enter a no-entry cell");
  }
  for (const int d : rules.defence) require_within(d, 0, kMaxDefence, "defence");
  if (rules.turn_limit) require_within(*rules.turn_limit, 1, kMaxTurns, "turn_limit");
  if (rules.quiet_limit) require_within(*rules.quiet_limit, 1, kMaxTurns, "quiet_limit");
  if (rules.hp_threshold) {
    if (!std::isfinite(*rules.hp_threshold)) throw std::invalid_argument("hp_threshold must be finite");
    require_within(*rules.hp_threshold, 0, kMaxTurns, "hp_threshold");
  }
  if (!rules.turn_limit && !rules.quiet_limit)
    throw std::invalid_argument("a game without turn_limit and quiet_limit may never end: set one of them");
}

}  // namespace sandtable::tubstap
