#include "tubstap/setup.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace sandtable::tubstap {
namespace {

[[noreturn]] void fail(const std::string& reason) { throw std::invalid_argument(reason); }

void check_unit(const Setup& setup, int id, std::vector<bool>& taken) {
  const UnitSetup& unit = setup.units[id];
  const std::string who = "unit " + std::to_string(id);
  if (unit.kind < 0 || unit.kind >= kKinds) fail(who + ": unknown kind");
  if (unit.side != 0 && unit.side != 1) fail(who + ": side must be 0 (red) or 1 (blue)");
  if (!(unit.hp >= 0 && unit.hp <= kMaxHp)) fail(who + ": HP must be within 0..10");
  if (!setup.rules.real_hp && unit.hp != std::floor(unit.hp))
    fail(who + ": HP must be a whole number under rules with integer HP");
  if (unit.hp <= kDeadHp) return;
  if (unit.x < 1 || unit.x > setup.width || unit.y < 1 || unit.y > setup.height) fail(who + " is off the board");
  const int cell = (unit.y - 1) * setup.width + unit.x - 1;
  if (setup.terrain[cell] == kNoEntry) fail(who + " stands on a no-entry cell");
  if (taken[cell]) fail(who + " stands on the cell of another unit");
  taken[cell] = true;
}

}  // namespace

void check(const Setup& setup) {
  check(setup.rules);
  if (setup.width < 1 || setup.width > kMaxSide || setup.height < 1 || setup.height > kMaxSide)
    fail("the playable area must be within 1 x 1 and 32 x 32 cells");
  if (setup.terrain.size() != static_cast<std::size_t>(setup.width) * setup.height)
    fail("the terrain must have width * height cells");
  for (const auto t : setup.terrain)
    if (t >= kTerrains) fail("unknown terrain " + std::to_string(t));
  int count[2] = {0, 0};
  std::vector<bool> taken(setup.terrain.size());
  if (setup.units.size() > 2 * kMaxUnitsPerSide) fail("more than 32 units a side");
  for (int id = 0; id < static_cast<int>(setup.units.size()); ++id) {
    check_unit(setup, id, taken);
    ++count[setup.units[id].side];
  }
  if (count[0] > kMaxUnitsPerSide || count[1] > kMaxUnitsPerSide) fail("more than 32 units a side");
  if (count[0] == 0 || count[1] == 0) fail("each side needs a unit");
  if (setup.turn < 0 || setup.turn > kMaxTurns) fail("turn must be within 0..1000000");
  if (setup.quiet < 0 || setup.quiet > kMaxTurns) fail("quiet must be within 0..1000000");
}

}  // namespace sandtable::tubstap
