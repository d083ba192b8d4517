// Encoders and evaluators of Conquest, for Python. The public face is sandtable.nets.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/conquest_questions.h"
#include "bindings/games.h"
#include "search/turn_evaluator.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {

template <>
struct PythonArrays<conquest::TerritoryGraphEncoder> {
  static constexpr const char* kAnswer =
      "an evaluator must return two arrays of float32: a value for each state, a logit for each move";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(conquest::TerritoryGraphBatch& batch, nb::handle owner) {
    using Encoder = conquest::TerritoryGraphEncoder;
    auto& map = batch.map;
    const std::size_t t = map.territories, m = map.members.size(), n = batch.states, orders = batch.order_count();
    return nb::make_tuple(
        view(map.edges, {t, t}, owner), view(map.members, {m}, owner), view(map.cliques, {m, t}, owner),
        view(map.shares, {t, m}, owner), view(batch.nodes, {n, t, batch.node_size}, owner),
        view(batch.totals, {n, Encoder::kTotals}, owner), view(batch.asked, {batch.asked.size()}, owner),
        view(batch.sources, {orders}, owner), view(batch.targets, {orders}, owner),
        view(batch.order_values(), {orders, batch.kOrder}, owner), view(batch.moves, {batch.move_count(), batch.longest}, owner));
  }
};

namespace {

using namespace conquest;

nb::tuple encode(const TerritoryGraphEncoder& encoder, nb::handle states, nb::handle players, nb::handle moves) {
  const std::vector<Asked> all = read_questions(states, players, moves);
  check_one_map(all);
  const auto batch = std::make_shared<TerritoryGraphBatch>();
  evaluation::encode(encoder, all.size(), [&](std::size_t i, auto&& ask) { all[i].visit(ask); }, *batch);
  return inputs_of<TerritoryGraphEncoder>(batch);
}

nb::object priors(PyConquestEvaluator& self, const PyConquestState& state, int player, nb::handle moves) {
  check_player(player);
  const Asked asked{state.state, player, read_moves(state, player, moves)};
  std::vector<double> weights;
  {
    const nb::gil_scoped_release release;
    self.evaluate(
        1, [&](std::size_t, auto&& ask) { asked.visit(ask); },
        [&](std::size_t, const auto& answer) { weights.assign(answer.logits.begin(), answer.logits.end()); });
  }
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
           nb::sig("def encode(self, states: " SANDTABLE_STATES ", players: " SANDTABLE_PLAYERS ", moves: "
                   "collections.abc.Sequence[" SANDTABLE_MOVES " | None] | None = None) -> tuple[numpy.typing.NDArray[typing.Any], ...]"),
           "What the network reads: edges, members, cliques, shares, nodes, totals, asked, sources, targets, orders, moves.\n"
           "All states are of one map; each is seen by its player, and `moves` are that player's candidates.");

  auto evaluator =
      nb::class_<PyConquestEvaluator>(m, "Evaluator", "An encoder and a network from what it writes to values and logits, with a cache.")
          .def(
              "__init__",
              [](PyConquestEvaluator* self, const TerritoryGraphEncoder& encoder, nb::callable forward, std::size_t batch,
                 std::size_t cache) {
                check_sizes(batch, cache, 1 << 28);
                new (self) PyConquestEvaluator(encoder, python_network<TerritoryGraphEncoder>(std::move(forward)), batch, cache);
              },
              "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
              nb::sig("def __init__(self, encoder: TerritoryGraphEncoder, forward: collections.abc.Callable[..., "
                      "tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]], *, batch: int, cache: int) -> None"),
              "`forward` is given what the encoder writes and returns the values of the states and the logits of the moves.")
          .def("evaluate", &evaluate_asked<PyConquestEvaluator>, "states"_a, "players"_a,
               nb::sig("def evaluate(self, states: " SANDTABLE_STATES ", players: " SANDTABLE_PLAYERS ") -> " SANDTABLE_FLOATS),
               "float32[n]: the value of each state for its player. All states are of one map.")
          .def("priors", &priors, "state"_a, "player"_a, "moves"_a,
               nb::sig("def priors(self, state: State, player: int, moves: " SANDTABLE_MOVES ") -> numpy.typing.NDArray[numpy.float64]"),
               "float64[n]: the probabilities of the player's candidate moves.")
          .def_prop_ro(
              "weighed", [](const PyConquestEvaluator& self) { return self.counters().moves.load(); },
              "Moves that the network has weighed.");
  bind_counters(evaluator);
}

}  // namespace sandtable
