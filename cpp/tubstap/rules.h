// The rules of TUBSTAP as data.
//
// Two sides, red (0) and blue (1), move in turn; red begins. In its turn a side operates each of its units
// once, in any order: the unit moves along free cells, and may attack from where it stops. The full text, with
// its sources and our readings, is docs/tubstap.md; the presets of the papers are in sandtable.tubstap.ruleset.
//
//   power         damage factor of the row's kind against the column's; 0: no damage
//   movement      total cost of the cells that a unit can enter in one operation
//   air           air units get no defence from the ground
//   range         least and greatest Manhattan distance of an attack; (1, 1) is a direct unit, which attacks
//                 after moving and is countered; any other is indirect: it shoots from where it stands only
//   defence       of a terrain
//   cost          of entering a terrain; 0: it cannot be entered
//   real_hp       false: damage is rounded down to an integer; true: real numbers
//   turn_limit    player turns after which the game is decided; none: no limit
//   hp_threshold  at the limit a side wins if its HP sum is greater than the other's plus this; none: a draw
//   quiet_limit   player turns in a row without any loss of HP after which the game is a draw; none: never
//   harmless_attacks  attacks that would do no damage are legal too, and are countered like any other
#pragma once

#include <array>
#include <optional>

namespace sandtable::tubstap {

// The version of the rules: any change of behaviour increments it, and every record carries it.
inline constexpr int kVersion = 1;

inline constexpr int kKinds = 6;     // fighter, attacker, panzer, cannon, antiair, infantry
inline constexpr int kTerrains = 7;  // no-entry, plain, sea, forest, mountain, road, fortress
inline constexpr int kNoEntry = 0;

inline constexpr int kMaxMovement = 31;
inline constexpr int kMaxCost = 9;
inline constexpr int kMaxPower = 1000;
inline constexpr int kMaxDefence = 100;
inline constexpr int kMaxRange = 62;
inline constexpr int kMaxTurns = 1'000'000;
inline constexpr int kMaxSide = 32;         // cells, playable
inline constexpr int kMaxUnitsPerSide = 32;
inline constexpr double kMaxHp = 10;
inline constexpr double kDeadHp = 1e-6;     // at or below it a unit is dead (real-valued damage leaves tiny remainders)

// damage = (power * attacker's HP + kDamageBonus) / (kDamageBase + defence * target's HP)
inline constexpr double kDamageBonus = 70;
inline constexpr double kDamageBase = 100;

struct Rules {
  std::array<std::array<int, kKinds>, kKinds> power{};
  std::array<int, kKinds> movement{};
  std::array<bool, kKinds> air{};
  std::array<std::array<int, 2>, kKinds> range{};
  std::array<int, kTerrains> defence{};
  std::array<std::array<int, kTerrains>, kKinds> cost{};
  bool real_hp = false;
  std::optional<int> turn_limit;
  std::optional<double> hp_threshold;
  std::optional<int> quiet_limit;
  bool harmless_attacks = false;

  bool direct(int kind) const { return range[kind][1] == 1; }
};

// Throws std::invalid_argument with the reason if the rules cannot be played.
void check(const Rules& rules);

}  // namespace sandtable::tubstap
