// Networks of Conquest as Python holds them, and what Python asks them about: states, each with a perspective player and
// that player's candidate moves.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings/conquest_objects.h"
#include "bindings/network.h"
#include "conquest/orders.h"
#include "evaluation/conquest.h"
#include "search/game.h"

namespace sandtable {

struct PyConquestEvaluator : evaluation::TurnWeights {
  using Evaluator::Evaluator;

  // As searches ask (search/turn_evaluator.h).
  template <class Question>
  void judge(std::span<const Question> questions, std::span<double> values, std::span<double> logits) {
    evaluation::evaluate_questions(*this, questions, values, logits);
  }
};

using PyTerritoryEvaluator = evaluation::TurnPolicies;

struct Asked {
  conquest::AnyState state;  // a copy: another thread may play on
  int player;
  std::vector<conquest::Orders> moves;

  // Calls f(question).
  template <class F>
  void visit(F&& f) const {
    state.visit([&](const auto& one) { f(conquest::TurnQuestion{one, player, moves}); });
  }
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

// Moves of both players, none if they are None.
inline search::MovesOfBoth<conquest::Orders> read_moves_of_both(
    const PyConquestState& self, nanobind::handle moves, const char* form = "moves must be two lists of moves, one for each player") {
  search::MovesOfBoth<conquest::Orders> both;
  if (moves.is_none()) return both;
  const Items lists(moves, form);
  if (lists.size() != 2) throw nanobind::value_error(form);
  for (int player = 0; player < 2; ++player) both[player] = read_moves(self, player, lists[player], form);
  return both;
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

// Throws unless there are states, all of one map.
inline void check_one_map(const std::vector<Asked>& all) {
  if (all.empty()) throw nanobind::value_error("there must be at least one state");
  const auto map = [](const Asked& one) { return one.state.visit([](const auto& state) { return state.land().fingerprint(); }); };
  for (const Asked& one : all)
    if (map(one) != map(all[0])) throw nanobind::value_error("all states must be of one map");
}

// float32[n]: the value of each state for its player.
template <class Network>
nanobind::object evaluate_asked(Network& self, nanobind::handle states, nanobind::handle players) {
  const std::vector<Asked> all = read_questions(states, players, nanobind::none());
  std::vector<float> values(all.size());
  if (!all.empty()) {
    check_one_map(all);
    const nanobind::gil_scoped_release release;
    self.evaluate(
        all.size(), [&](std::size_t i, auto&& ask) { all[i].visit(ask); },
        [&](std::size_t i, const auto& answer) { values[i] = answer.value; });
  }
  return owned(std::move(values), {all.size()});
}

}  // namespace sandtable
