#include "conquest/rules.h"

#include <stdexcept>

namespace sandtable::conquest {

void check(const Rules& rules) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  // A rate of 0 would make land that cannot be taken, and the sampled moves divide by it.
  require(rules.attack_kills >= 0.01 && rules.attack_kills <= 10, "attack_kills must be within 0.01..10");
  require(rules.defence_kills >= 0 && rules.defence_kills <= 10, "defence_kills must be within 0..10");
  require(rules.base_income >= 0 && rules.base_income <= 1000, "base_income must be within 0..1000");
  require(rules.turn_limit >= 1 && rules.turn_limit <= kMaxTurns, "turn_limit must be within 1..1000000");
  require(rules.start_armies >= 0 && rules.start_armies <= 1000, "start_armies must be within 0..1000");
  require(rules.start_lands >= 1 && rules.start_lands <= kMaxTerritories / 2, "start_lands must be within 1..512");
}

}  // namespace sandtable::conquest
