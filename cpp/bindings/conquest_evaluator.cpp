// Encoders and evaluators of Conquest, for Python. The public face is sandtable.nets.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/conquest_questions.h"
#include "bindings/games.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace conquest;

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
                        owned(std::move(out.nodes), {n, t, encoder.node_size()}),
                        owned(std::move(out.totals), {n, TerritoryGraphEncoder::kTotals}),
                        owned(std::move(out.asked), {asked}), owned(std::move(out.sources), {orders}),
                        owned(std::move(out.targets), {orders}),
                        owned(std::move(out.orders), {orders, TerritoryGraphEncoder::kOrder}),
                        owned(std::move(out.moves), {candidates, longest}));
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
                                    "soares2025's graph of territories, and candidate moves on it; armies by log(1 + n), or raw.\n"
                                    "With `text_inputs_of`, a state, the inputs are the text's, and no other map is read.")
      .def(
          "__init__",
          [](TerritoryGraphEncoder* self, bool scaled, const PyConquestState* text_inputs_of) {
            if (!text_inputs_of) {
              new (self) TerritoryGraphEncoder{scaled};
              return;
            }
            const auto name = nb::cast<std::string>(text_inputs_of->land.attr("name"));
            text_inputs_of->state.visit([&](const auto& state) {
              new (self) TerritoryGraphEncoder(TerritoryGraphEncoder::with_text_inputs(state.land(), name, scaled));
            });
          },
          nb::kw_only(), "scaled"_a = true, "text_inputs_of"_a.none() = nb::none(),
          nb::sig("def __init__(self, *, scaled: bool = True, text_inputs_of: State | None = None) -> None"))
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
