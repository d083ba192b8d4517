// Checks of orders that come from outside the engine.
#pragma once

#include <string>

#include "conquest/state.h"
#include "core/require.h"

namespace sandtable::conquest {

// The reason why the player may not hand in these orders; "" if it may. Naming more armies than a territory has is legal.
template <class Size>
std::string illegal(const State<Size>& state, int player, const Orders& orders) {
  const auto& land = state.land();
  const auto known = [&](int t) { return t >= 0 && t < land.territories(); };
  const auto number = [](long long n) { return std::to_string(n); };
  const std::string who = "player " + number(player);
  if (state.over()) return "the game is over";
  long long deployed = 0;
  for (const auto& [territory, armies] : orders.deploys) {
    const std::string what = who + " deploys " + number(armies) + " on territory " + number(territory);
    if (!known(territory)) return what + ", which does not exist";
    if (state.owner(territory) != player) return what + ", which it does not own";
    if (armies <= 0 || armies > kMaxArmies) return what + ": armies must be within 1..1000000";
    deployed += armies;
  }
  if (deployed > state.income(player))
    return who + " deploys " + number(deployed) + " armies and has an income of " + number(state.income(player));
  for (const auto& [source, target, armies] : orders.marches) {
    const std::string what = who + " marches " + number(armies) + " from " + number(source) + " to " + number(target);
    if (!known(source) || !known(target)) return what + ": there is no such territory";
    if (state.owner(source) != player) return what + ": it does not own the source";
    if (!land.neighbours(source).test(target)) return what + ": there is no edge";
    if (armies <= 0 || armies > kMaxArmies) return what + ": armies must be within 1..1000000";
  }
  return "";
}

// Throw std::invalid_argument with the reason.
inline int checked_player(int player) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  return player;
}
template <class Size>
void check_legal(const State<Size>& state, int player, const Orders& orders) {
  refuse("illegal orders: ", illegal(state, player, orders));
}

// Compiled in instances.cpp.
extern template std::string illegal(const State<Small>&, int, const Orders&);
extern template std::string illegal(const State<Large>&, int, const Orders&);
extern template std::string illegal(const State<Huge>&, int, const Orders&);

}  // namespace sandtable::conquest
