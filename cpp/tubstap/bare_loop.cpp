#include "tubstap/bare_loop.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace sandtable::tubstap {
namespace {

using Cells = std::uint64_t;

constexpr int kUnits = 6, kTurns = 40;
enum Kind : std::uint8_t { kFighter, kAttacker, kPanzer, kCannon, kAntiair, kInfantry };
constexpr int kPower[6][6] = {{55, 65, 0, 0, 0, 0},     {0, 0, 105, 105, 85, 115}, {0, 0, 55, 70, 75, 75},
                              {0, 0, 60, 75, 65, 90}, {70, 70, 15, 50, 45, 105}, {0, 0, 5, 10, 3, 55}};
constexpr int kMovement[6] = {9, 7, 6, 5, 6, 3};

// Xorshift (Marsaglia, 2003).
struct Random {
  std::uint64_t state;

  int below(int n) {
    state ^= state << 7;
    state ^= state >> 9;
    return static_cast<int>((state >> 32) * static_cast<std::uint64_t>(n) >> 32);
  }
};

struct Terrain {
  std::array<Cells, 6> cheap, dear;  // for each kind the cells that cost one and two points
  std::array<std::int8_t, 64> defence;
};

struct Unit {
  std::uint8_t cell, side;
  Kind kind;
  std::int8_t hp;
  bool acted;
};

struct Position {
  std::array<Unit, kUnits> units;
  std::array<std::int8_t, 64> unit_at;
  Cells occupied[2];
  int alive[2];
  int ready;
};

Cells beside(Cells cells) {
  constexpr Cells kFirst = 0x0101010101010101ull, kLast = kFirst << 7;
  return cells << 8 | cells >> 8 | (cells << 1 & ~kFirst) | (cells >> 1 & ~kLast);
}

Cells reach(const Terrain& terrain, const Position& p, const Unit& unit) {
  const Cells open = ~p.occupied[1 - unit.side], own = Cells{1} << unit.cell;
  const Cells cheap = terrain.cheap[unit.kind] & open, dear = terrain.dear[unit.kind] & open;
  Cells reached = own, before = 0;
  for (int round = 0; round < kMovement[unit.kind]; ++round) {
    const Cells now = reached;
    reached |= (beside(now) & cheap) | (beside(before) & dear);
    before = now;
  }
  return (reached & ~p.occupied[unit.side]) | own;
}

struct Attack {
  std::uint8_t target, from;
};

int list_attacks(const Position& p, const Unit& unit, Cells reached, Attack* attacks) {
  int count = 0;
  if (unit.kind == kCannon) {
    for (std::uint8_t target = 0; target < kUnits; ++target) {
      const Unit& other = p.units[target];
      if (other.hp <= 0 || other.side == unit.side || kPower[kCannon][other.kind] == 0) continue;
      const int distance = std::abs(other.cell % 8 - unit.cell % 8) + std::abs(other.cell / 8 - unit.cell / 8);
      if (distance == 2 || distance == 3) attacks[count++] = {target, unit.cell};
    }
    return count;
  }
  for (Cells near = beside(reached) & p.occupied[1 - unit.side]; near; near &= near - 1) {
    const auto target = static_cast<std::uint8_t>(p.unit_at[std::countr_zero(near)]);
    if (kPower[unit.kind][p.units[target].kind] == 0) continue;
    for (Cells from = beside(near & -near) & reached; from; from &= from - 1)
      attacks[count++] = {target, static_cast<std::uint8_t>(std::countr_zero(from))};
  }
  return count;
}

// The unit hits the target. Returns whether this kills the last unit of the target's side.
bool hit(const Terrain& terrain, Position& p, const Unit& unit, Unit& target) {
  const int defence = target.kind <= kAttacker ? 0 : terrain.defence[target.cell];
  const int damage = (kPower[unit.kind][target.kind] * unit.hp + 70) / (100 + defence * target.hp);
  target.hp = static_cast<std::int8_t>(target.hp - std::min<int>(damage, target.hp));
  if (target.hp > 0) return false;
  p.occupied[target.side] ^= Cells{1} << target.cell;
  return --p.alive[target.side] == 0;
}

// Plays a random operation of a random unit. Returns whether it ends the game.
bool operate(const Terrain& terrain, Position& p, int side, Random& random) {
  std::array<Attack, 64> attacks;
  int number = 0;
  for (int left = random.below(p.ready);; ++number) {
    const Unit& unit = p.units[number];
    if (unit.hp > 0 && unit.side == side && !unit.acted && left-- == 0) break;
  }
  Unit& unit = p.units[number];
  const Cells reached = reach(terrain, p, unit);
  const int count = list_attacks(p, unit, reached, attacks.data());
  int choice = random.below(count + std::popcount(reached));
  const bool attacking = choice < count;
  Cells to = attacking ? Cells{1} << attacks[choice].from : reached;
  if (!attacking)
    for (choice -= count; choice > 0; --choice) to &= to - 1;
  p.occupied[side] ^= Cells{1} << unit.cell;
  unit.cell = static_cast<std::uint8_t>(std::countr_zero(to));
  p.occupied[side] |= Cells{1} << unit.cell;
  p.unit_at[unit.cell] = static_cast<std::int8_t>(number);
  unit.acted = true;
  --p.ready;
  if (!attacking) return false;
  Unit& target = p.units[attacks[choice].target];
  if (hit(terrain, p, unit, target)) return true;
  return target.hp > 0 && unit.kind != kCannon && target.kind != kCannon && hit(terrain, p, target, unit);
}

std::uint64_t play(const Terrain& terrain, Position p, Random& random) {
  std::uint64_t operations = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const int side = turn & 1;
    p.ready = 0;
    for (Unit& unit : p.units) {
      if (unit.hp <= 0 || unit.side != side) continue;
      unit.acted = false;
      ++p.ready;
    }
    for (; p.ready > 0; ++operations)
      if (operate(terrain, p, side, random)) return operations + 1;
  }
  return operations;
}

}  // namespace

std::uint64_t bare_loop(std::uint64_t games, std::uint64_t seed) {
  Terrain plains{};
  plains.cheap.fill(~Cells{0});
  plains.defence.fill(1);
  constexpr std::array<std::uint8_t, 3> kStart = {9, 12, 18};
  constexpr std::array<Kind, 3> kKinds = {kInfantry, kInfantry, kPanzer};
  Position start{};
  for (std::uint8_t i = 0; i < kUnits; ++i) {
    const auto cell = static_cast<std::uint8_t>(i < 3 ? kStart[i] : 63 - kStart[i - 3]);
    const auto side = static_cast<std::uint8_t>(i / 3);
    const Kind kind = kKinds[i % 3];
    start.units[i] = {cell, side, kind, static_cast<std::int8_t>(kind == kPanzer ? 5 : 10), false};
    start.occupied[side] |= Cells{1} << cell;
    start.unit_at[cell] = static_cast<std::int8_t>(i);
    ++start.alive[side];
  }
  Random random{seed | 1};
  std::uint64_t operations = 0;
  for (std::uint64_t i = 0; i < games; ++i) operations += play(plains, start, random);
  return operations;
}

}  // namespace sandtable::tubstap
