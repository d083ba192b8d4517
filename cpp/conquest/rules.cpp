#include "conquest/rules.h"

#include "core/require.h"

namespace sandtable::conquest {

void Rules::check() const {
  // With a rate of 0 defended land could not be taken, and sampled moves divide by the rate.
  require(attack_kills >= 0.01 && attack_kills <= 10, "attack_kills must be within 0.01..10");
  require(defence_kills >= 0 && defence_kills <= 10, "defence_kills must be within 0..10");
  require(base_income >= 0 && base_income <= 1000, "base_income must be within 0..1000");
  require(turn_limit >= 1 && turn_limit <= kMaxTurns, "turn_limit must be within 1..1000000");
  require(start_armies >= 0 && start_armies <= 1000, "start_armies must be within 0..1000");
  require(start_lands >= 1 && start_lands <= kMaxTerritories / 2, "start_lands must be within 1..512");
}

}  // namespace sandtable::conquest
