// What Python asks networks of Conquest about: states, who looks at them, and candidate moves.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings/conquest_network.h"
#include "bindings/conquest_objects.h"
#include "conquest/orders.h"

namespace sandtable {

// What Python asks about a state: who looks at it, and what is that player's candidate moves.
struct Asked {
  conquest::AnyState state;  // a copy: another thread may play on
  int player;
  std::vector<conquest::Orders> moves;
};

inline std::vector<conquest::Orders> read_moves(const PyConquestState& self, int player, nanobind::handle list,
                                                const char* form = "moves must be a list of moves, each a list of orders") {
  std::vector<conquest::Orders> moves;
  if (list.is_none()) return moves;
  const Items items(list, form);
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    moves.push_back(read_orders(items[i]));
    const std::string reason = self.state.visit([&](const auto& state) { return conquest::illegal(state, player, moves.back()); });
    if (!reason.empty()) throw nanobind::value_error(("illegal orders: " + reason).c_str());
  }
  return moves;
}

inline std::vector<Asked> read_questions(nanobind::handle state_list, nanobind::handle player_list, nanobind::handle move_lists) {
  const Items states(state_list, "states must be a sequence"), players(player_list, "players must be a sequence");
  if (players.size() != states.size()) throw nanobind::value_error("there must be a player for each state");
  std::optional<Items> moves;
  if (!move_lists.is_none()) {
    moves.emplace(move_lists, "moves must be a sequence");
    if (moves->size() != states.size()) throw nanobind::value_error("there must be a list of moves, or None, for each state");
  }
  std::vector<Asked> all;
  for (Py_ssize_t i = 0; i < states.size(); ++i) {
    const PyConquestState* state = nullptr;
    if (!nanobind::try_cast(nanobind::handle(states[i]), state) || !state) throw nanobind::value_error("states must be states of Conquest");
    const auto player = static_cast<int>(std::clamp<Py_ssize_t>(integer(players[i], "a player"), -1, 2));
    check_player(player);
    all.push_back({state->state, player, moves ? read_moves(*state, player, (*moves)[i]) : std::vector<conquest::Orders>{}});
  }
  return all;
}

// The arrays of the one map that all states must be of.
template <class Encoder>
typename Seen<Encoder>::Map map_of(const Encoder& encoder, const std::vector<Asked>& all) {
  if (all.empty()) throw nanobind::value_error("there must be at least one state");
  const auto of = [&](const Asked& one) {
    return one.state.visit([&](const auto& state) { return encoder.map(state.land()); });
  };
  auto map = of(all[0]);
  const auto land = [](const Asked& one) -> const void* {
    return one.state.visit([](const auto& state) -> const void* { return &state.land(); });
  };
  for (const Asked& one : all)
    if (land(one) != land(all[0]) && of(one) != map) throw nanobind::value_error("all states must be of one map");
  return map;
}

// The values, and the logits of all moves.
template <class Network>
std::pair<std::vector<float>, std::vector<double>> judged(Network& self, const std::vector<Asked>& all) {
  std::size_t moves = 0;
  for (const Asked& one : all) moves += one.moves.size();
  std::vector<float> values(all.size());
  std::vector<double> logits(moves);
  if (all.empty()) return {values, logits};
  const auto map = map_of(self.encoder(), all);
  const nanobind::gil_scoped_release release;
  self.judge(
      map, all.size(),
      [&](std::size_t i, auto&& f) { all[i].state.visit([&](const auto& state) { f(state, all[i].player, all[i].moves); }); },
      [&](std::size_t i, float value) { values[i] = value; }, logits);
  return {values, logits};
}

}  // namespace sandtable
