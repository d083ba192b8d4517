// Encoders and evaluators of Conquest, for Python. The public face is sandtable.nets.
#include "bindings/conquest_evaluator.h"

#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/conquest_objects.h"
#include "bindings/games.h"
#include "conquest/orders.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace conquest;

// What Python asks about a state: who looks at it, and what is that player's candidate moves.
struct Asked {
  AnyState state;  // a copy: another thread may play on
  int player;
  std::vector<Orders> moves;
};

std::vector<Orders> read_moves(const PyConquestState& self, int player, nb::handle list) {
  std::vector<Orders> moves;
  if (list.is_none()) return moves;
  const Items items(list, "moves must be a list of moves, each a list of orders");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    moves.push_back(read_orders(items[i]));
    const std::string reason = self.state.visit([&](const auto& state) { return illegal(state, player, moves.back()); });
    if (!reason.empty()) throw nb::value_error(("illegal orders: " + reason).c_str());
  }
  return moves;
}

std::vector<Asked> read_questions(nb::handle state_list, nb::handle player_list, nb::handle move_lists) {
  const Items states(state_list, "states must be a sequence"), players(player_list, "players must be a sequence");
  if (players.size() != states.size()) throw nb::value_error("there must be a player for each state");
  std::optional<Items> moves;
  if (!move_lists.is_none()) {
    moves.emplace(move_lists, "moves must be a sequence");
    if (moves->size() != states.size()) throw nb::value_error("there must be a list of moves, or None, for each state");
  }
  std::vector<Asked> all;
  for (Py_ssize_t i = 0; i < states.size(); ++i) {
    const PyConquestState* state = nullptr;
    if (!nb::try_cast(nb::handle(states[i]), state) || !state) throw nb::value_error("states must be states of Conquest");
    const auto player = static_cast<int>(std::clamp<Py_ssize_t>(integer(players[i], "a player"), -1, 2));
    check_player(player);
    all.push_back({state->state, player, moves ? read_moves(*state, player, (*moves)[i]) : std::vector<Orders>{}});
  }
  return all;
}

// The arrays of the one map that all states must be of.
MapArrays map_of(const TerritoryGraphEncoder& encoder, const std::vector<Asked>& all) {
  if (all.empty()) throw nb::value_error("there must be at least one state");
  const auto of = [&](const Asked& one) {
    return one.state.visit([&](const auto& state) { return encoder.map(state.land()); });
  };
  MapArrays map = of(all[0]);
  const auto land = [](const Asked& one) -> const void* {
    return one.state.visit([](const auto& state) -> const void* { return &state.land(); });
  };
  for (const Asked& one : all)
    if (land(one) != land(all[0]) && of(one) != map) throw nb::value_error("all states must be of one map");
  return map;
}

template <class T>
nb::object owned(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

nb::tuple encode(const TerritoryGraphEncoder& encoder, nb::handle states, nb::handle players, nb::handle moves) {
  const std::vector<Asked> all = read_questions(states, players, moves);
  MapArrays map = map_of(encoder, all);
  StateArrays out;
  for (const Asked& one : all) {
    one.state.visit([&](const auto& state) {
      encoder.add(state, one.player, out);
      for (const Orders& orders : one.moves) encoder.add_move(state, one.player, orders, out);
    });
  }
  encoder.finish(map.territories, out);
  const std::size_t t = map.territories, m = map.members.size(), n = out.states, asked = out.asked.size();
  const std::size_t orders = out.order_count(), candidates = out.move_count(), longest = out.longest;
  return nb::make_tuple(owned(std::move(map.edges), {t, t}), owned(std::move(map.members), {m}),
                        owned(std::move(map.cliques), {m, t}), owned(std::move(map.shares), {t, m}),
                        owned(std::move(out.nodes), {n, t, TerritoryGraphEncoder::kNode}),
                        owned(std::move(out.totals), {n, TerritoryGraphEncoder::kTotals}),
                        owned(std::move(out.asked), {asked}), owned(std::move(out.sources), {orders}),
                        owned(std::move(out.targets), {orders}),
                        owned(std::move(out.orders), {orders, TerritoryGraphEncoder::kOrder}),
                        owned(std::move(out.moves), {candidates, longest}));
}

// The values, and the logits of all moves.
std::pair<std::vector<float>, std::vector<double>> judged(PyConquestEvaluator& self, const std::vector<Asked>& all) {
  std::size_t moves = 0;
  for (const Asked& one : all) moves += one.moves.size();
  std::vector<float> values(all.size());
  std::vector<double> logits(moves);
  if (all.empty()) return {values, logits};
  const MapArrays map = map_of(self.encoder(), all);
  const nb::gil_scoped_release release;
  self.judge(
      map, all.size(),
      [&](std::size_t i, auto&& f) { all[i].state.visit([&](const auto& state) { f(state, all[i].player, all[i].moves); }); },
      [&](std::size_t i, float value) { values[i] = value; }, logits);
  return {values, logits};
}

nb::object evaluate(PyConquestEvaluator& self, nb::handle states, nb::handle players) {
  auto values = judged(self, read_questions(states, players, nb::none())).first;
  const std::size_t n = values.size();
  return owned(std::move(values), {n});
}

nb::object priors(PyConquestEvaluator& self, const PyConquestState& state, int player, nb::handle moves) {
  check_player(player);
  auto weights = judged(self, {{state.state, player, read_moves(state, player, moves)}}).second;
  search::softmax(weights);
  const std::size_t n = weights.size();
  return owned(std::move(weights), {n});
}

}  // namespace

void bind_conquest_evaluator(nb::module_& m) {
  nb::class_<TerritoryGraphEncoder>(m, "TerritoryGraphEncoder",
                                    "soares2025's graph of territories, and candidate moves on it; armies by log(1 + n), or raw.")
      .def(
          "__init__", [](TerritoryGraphEncoder* self, bool scaled) { new (self) TerritoryGraphEncoder{scaled}; },
          nb::kw_only(), "scaled"_a = true)
      .def("encode", &encode, "states"_a, "players"_a, "moves"_a = nb::none(),
           nb::sig("def encode(self, states: collections.abc.Sequence[State], players: collections.abc.Sequence[int], moves: "
                   "collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[int]]] | "
                   "None] | None = None) -> tuple[numpy.typing.NDArray[typing.Any], ...]"),
           "What the network reads: edges, members, cliques, shares, nodes, totals, asked, sources, targets, orders, moves.\n"
           "All states are of one map; each is seen by its player, and `moves` are that player's candidates.");

  nb::class_<PyConquestEvaluator>(m, "Evaluator", "An encoder and a network from what it writes to values and logits, with a cache.")
      .def(
          "__init__",
          [](PyConquestEvaluator* self, const TerritoryGraphEncoder& encoder, nb::callable forward, std::size_t batch,
             std::size_t cache) {
            if (batch < 1 || batch > 1 << 20) throw std::invalid_argument("batch must be within 1..1048576");
            if (cache > 1 << 28) throw std::invalid_argument("cache must be within 0..268435456");
            new (self) PyConquestEvaluator(encoder, std::move(forward), batch, cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          nb::sig("def __init__(self, encoder: TerritoryGraphEncoder, forward: collections.abc.Callable[..., "
                  "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]], *, batch: int, cache: int) "
                  "-> None"),
          "`forward` is given what the encoder writes and returns the values of the states and the logits of the moves.")
      .def("evaluate", &evaluate, "states"_a, "players"_a,
           nb::sig("def evaluate(self, states: collections.abc.Sequence[State], players: collections.abc.Sequence[int]) -> "
                   "numpy.typing.NDArray[numpy.float32]"),
           "float32[n]: the value of each state for its player. All states are of one map.")
      .def("priors", &priors, "state"_a, "player"_a, "moves"_a,
           nb::sig("def priors(self, state: State, player: int, moves: "
                   "collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[int]]]) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "float64[n]: the probabilities of the player's candidate moves.")
      .def_prop_ro(
          "evaluated", [](const PyConquestEvaluator& self) { return self.evaluated.load(); }, "Positions that the network has judged.")
      .def_prop_ro(
          "weighed", [](const PyConquestEvaluator& self) { return self.weighed.load(); }, "Moves that the network has weighed.")
      .def_prop_ro(
          "hits", [](const PyConquestEvaluator& self) { return self.hits.load(); }, "Positions that the cache knew.")
      .def_prop_ro(
          "forward_seconds", [](const PyConquestEvaluator& self) { return self.forward_seconds.load(); }, "Time inside `forward`.");
}

}  // namespace sandtable
