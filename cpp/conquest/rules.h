// The rules of Conquest, the Warzone-like game, as data.
//
// Two players (0 and 1; neutral land is -1) on a graph of territories, each with an owner and armies. Both hand in
// their orders for a turn: armies deployed on own land, marches along edges. All deploys are carried out first, then
// the marches, one by one. There are no dice. The full text, with its sources, is docs/conquest.md.
//
//   attack_kills    armies killed by each attacking army, before rounding
//   defence_kills   armies killed by each defending army, before rounding
//   rounding        how the armies left on both sides are rounded
//   base_income     armies per turn, besides the bonuses
//   stand_guard     one army always stays behind
//   order           alternate: one march of each player in alternation; random: all marches shuffled together
//   turn_limit      turns after which the game is a tie
//   start_armies    a random start puts 0 .. this many armies on every territory
//   start_lands     and gives this many territories to each player
#pragma once

#include <cmath>

#include "core/settings.h"

namespace sandtable::conquest {

// The version of the rules: any change of behaviour increments it, and every record carries it.
inline constexpr int kVersion = 1;

inline constexpr int kMaxTerritories = 1024;
inline constexpr int kMaxArmies = 1'000'000;  // on one territory, or in one order; a territory loses any excess
inline constexpr int kMaxIncome = 10'000;     // with all bonuses
inline constexpr int kMaxBonuses = 1000;
inline constexpr int kMaxTurns = 1'000'000;

enum class Rounding { kNearest, kDown, kUp };
enum class Order { kAlternate, kRandom };

struct Rules {
  double attack_kills = 0.6;
  double defence_kills = 0.7;
  Rounding rounding = Rounding::kNearest;
  int base_income = 5;
  bool stand_guard = false;
  Order order = Order::kAlternate;
  int turn_limit = 100;
  int start_armies = 4;
  int start_lands = 2;

  static constexpr auto fields() {
    return std::tuple(field("attack_kills", &Rules::attack_kills), field("defence_kills", &Rules::defence_kills),
                      field("rounding", &Rules::rounding, "nearest down up", ""), field("base_income", &Rules::base_income),
                      field("stand_guard", &Rules::stand_guard), field("order", &Rules::order, "alternate random", ""),
                      field("turn_limit", &Rules::turn_limit), field("start_armies", &Rules::start_armies),
                      field("start_lands", &Rules::start_lands));
  }
  // Throws std::invalid_argument with the reason if the rules cannot be played.
  void check() const;

  // To the nearest integer means floor(x + 0.5): halves are rounded up, as in the authors' code.
  int rounded(double x) const {
    switch (rounding) {
      case Rounding::kDown: return static_cast<int>(std::floor(x));
      case Rounding::kUp: return static_cast<int>(std::ceil(x));
      case Rounding::kNearest: break;
    }
    return static_cast<int>(std::floor(x + 0.5));
  }
};

}  // namespace sandtable::conquest
