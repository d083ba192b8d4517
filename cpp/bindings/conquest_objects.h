// The common part of the bindings of Conquest: the state as Python holds it, orders as its named tuples, and the
// questions that Python asks networks: states, each with a perspective player and that player's candidate moves.
#pragma once

#include <optional>

#include "bindings/search.h"
#include "conquest/any_state.h"
#include "conquest/orders.h"
#include "search/conquest.h"

namespace sandtable {

using PyConquestState = PyState<conquest::AnyState>;

using OrderList = nb::typed<nb::list, Annotated<"sandtable.conquest.types.Order">>;
using GivenOrders = SequenceOf<SequenceOf<int>>;
using GivenMoves = SequenceOf<GivenOrders>;
using GivenMovesOfBoth = SequenceOf<GivenMoves>;

using Genes = Annotated<"numpy.typing.NDArray[numpy.int32]">;

inline conquest::Orders read_orders(nb::handle list) {
  constexpr const char* kForm = "orders are a list of Deploy(territory, armies) and March(source, target, armies)";
  conquest::Orders orders;
  for (PyObject* item : Items(list, kForm)) {
    const Items order(item, kForm);
    const auto at = [&](Py_ssize_t k, const char* what) {
      constexpr Py_ssize_t kLimit = conquest::kMaxArmies + 1;  // a clipped number is still too large
      return static_cast<int>(std::clamp(integer(order[k], what), -kLimit, kLimit));
    };
    if (order.size() == 2)
      orders.deploys.push_back({at(0, "a deploy's territory"), at(1, "a deploy's armies")});
    else if (order.size() == 3)
      orders.marches.push_back({at(0, "a march's source"), at(1, "a march's target"), at(2, "a march's armies")});
    else
      throw nb::value_error(kForm);
  }
  return orders;
}

inline OrderList order_list(const conquest::Orders& orders) {
  static PyObject* const deploy_type = kept("sandtable.conquest.types", "Deploy");
  static PyObject* const march_type = kept("sandtable.conquest.types", "March");
  const std::size_t deploys = orders.deploys.size();
  return new_list(deploys + orders.marches.size(), [&](std::size_t i) {
    if (i < deploys) {
      const auto& [territory, armies] = orders.deploys[i];
      return named_tuple(deploy_type, PyLong_FromLong(territory), PyLong_FromLong(armies));
    }
    const auto& [source, target, armies] = orders.marches[i - deploys];
    return named_tuple(march_type, PyLong_FromLong(source), PyLong_FromLong(target), PyLong_FromLong(armies));
  });
}

inline nb::typed<nb::list, OrderList> order_lists(const std::vector<conquest::Orders>& moves) {
  nb::list lists;
  for (const conquest::Orders& orders : moves) lists.append(order_list(orders));
  return lists;
}

using ConquestStates = SequenceOf<PyConquestState>;
using Players = SequenceOf<int>;

inline std::vector<conquest::Orders> read_moves(const PyConquestState& self, int player, nb::handle list,
                                                const char* form = "moves must be a list of moves, each a list of orders") {
  conquest::checked_player(player);
  std::vector<conquest::Orders> moves;
  if (list.is_none()) return moves;
  for (PyObject* item : Items(list, form)) {
    moves.push_back(read_orders(item));
    self.state.visit([&](const auto& state) { check_legal(state, player, moves.back()); });
  }
  return moves;
}

// The result of search(turn). Moves of both players may be given for the root.
template <class Search>
auto search_turn(const PyConquestState& self, int player, double seconds, std::uint64_t seed, nb::handle moves, Search&& search) {
  search::MovesOfBoth<conquest::Orders> both;
  if (!moves.is_none()) {
    constexpr const char* kForm = "moves must be two lists of moves, one for each player";
    const Items lists(moves, kForm);
    require(lists.size() == 2, kForm);
    for (int each = 0; each < 2; ++each) both[each] = read_moves(self, each, lists[each], kForm);
  }
  return run_search(self, [&](const conquest::AnyState& state) {
    const auto* const given = moves.is_none() ? nullptr : &both;
    return search(search::Turn{state, conquest::checked_player(player), {seconds, seed, ctrl_c}, given});
  });
}

using evaluation::AnyQuestion;

// Copies the states, since another thread may play on.
inline std::vector<AnyQuestion> read_questions(nb::handle state_list, nb::handle player_list, nb::handle move_lists = nb::none()) {
  const Items states(state_list, "states must be a sequence"), players(player_list, "players must be a sequence");
  require(players.size() == states.size(), "there must be a player for each state");
  std::optional<Items> moves;
  if (!move_lists.is_none()) {
    moves.emplace(move_lists, "moves must be a sequence");
    require(moves->size() == states.size(), "there must be a list of moves, or None, for each state");
  }
  std::vector<AnyQuestion> all;
  for (Py_ssize_t i = 0; i < states.size(); ++i) {
    const auto& state = read_state<PyConquestState>(states[i], "states must be states of Conquest");
    const auto player = static_cast<int>(std::clamp<Py_ssize_t>(integer(players[i], "a player"), -1, 2));
    all.push_back({state.state, player, read_moves(state, player, moves ? nb::handle((*moves)[i]) : nb::handle(Py_None))});
  }
  return all;
}

}  // namespace sandtable
