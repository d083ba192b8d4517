// Our networks for Conquest, which propose moves, and the search with them, for Python: the public faces are
// sandtable.nets, sandtable.players and sandtable.learn.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/conquest_questions.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "conquest/game.h"
#include "conquest/proposals.h"
#include "search/equilibrium/equilibrium.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {

template <>
struct PythonArrays<conquest::TerritoryFeatures> {
  static constexpr const char* kAnswer =
      "an evaluator must return three arrays of float32: a value for each state, and of each that is asked about the "
      "logits of deploys and of marches";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(conquest::FeatureBatch& batch, nb::handle owner) {
    using Encoder = conquest::TerritoryFeatures;
    const std::size_t t = batch.map.territories, n = batch.states;
    return nb::make_tuple(view(batch.map.edges, {t, t}, owner), view(batch.map.kin, {t, t}, owner),
                          view(batch.nodes, {n, t, Encoder::kNode}, owner), view(batch.totals, {n, Encoder::kTotals}, owner),
                          view(batch.asked, {batch.asked.size()}, owner));
  }
};

namespace {

using namespace conquest;

template <class State>
using GameOf = conquest::Game<typename State::Size>;

// States of any maps, each with its own, padded to the largest.
nb::tuple encode_territories(nb::handle states, nb::handle players) {
  const std::vector<Asked> all = read_questions(states, players, nb::none());
  PaddedFeatures padded;
  for (const Asked& one : all)
    one.state.visit([&](const auto& state) { padded.widest = std::max(padded.widest, static_cast<std::size_t>(state.land().territories())); });
  for (const Asked& one : all) one.state.visit([&](const auto& state) { padded.add(state, one.player); });
  const std::size_t n = all.size(), t = padded.widest;
  return nb::make_tuple(owned(std::move(padded.edges), {n, t, t}), owned(std::move(padded.kin), {n, t, t}),
                        owned(std::move(padded.nodes), {n, t, TerritoryFeatures::kNode}),
                        owned(std::move(padded.totals), {n, TerritoryFeatures::kTotals}));
}

using ConquestTurn = search::TurnResult<Orders>;
using ConquestMixture = search::Mixture<Orders>;

ConquestTurn equilibrium(PyTerritoryEvaluator& evaluator, const PyConquestState& self, int player,
                         const search::EquilibriumSettings& settings, double seconds, std::uint64_t seed, nb::handle given) {
  check_player(player);
  const search::MovesOfBoth<Orders> moves = read_moves_of_both(self, given);
  return self.state.visit([&]<class State>(const State& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    const State state = shared;  // Another thread may play on while this one computes.
    auto found = [&] {
      const nb::gil_scoped_release release;
      const auto evaluate = [&](std::span<const State> states, std::span<double> values) {
        evaluation::evaluate_for_first(evaluator, player, states, values);
      };
      const auto propose = [&](std::span<const State> states) { return evaluation::propose(evaluator, states, settings.uniform); };
      search::EquilibriumSearch<GameOf<State>, Proposals<typename State::Size>> search(settings, evaluate, propose);
      Rng rng(seed, stream_number("equilibrium"));
      return search.search(state, search::Budget(settings.steps(), seconds, ctrl_c), rng, moves);
    }();
    if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C: the budget ended the search
    return found;
  });
}

nb::list moves_of(const ConquestMixture& mixture) {
  nb::list moves;
  for (const Orders& orders : mixture.moves) moves.append(order_list(orders));
  return moves;
}

nb::tuple shares(const PyConquestState& self, int player, nb::handle list, const std::vector<double>& weights) {
  check_player(player);
  const std::vector<Orders> moves = read_moves(self, player, list);
  require(moves.size() == weights.size(), "there must be a weight for each move");
  return self.state.visit([&](const auto& state) {
    const auto n = static_cast<std::size_t>(state.land().territories());
    std::vector<float> deploys(n), marches(n * n);
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (weights[i] > 0) add_shares(state, player, moves[i], weights[i], deploys.data(), marches.data());
    return nb::make_tuple(owned(std::move(deploys), {n}), owned(std::move(marches), {n, n}));
  });
}

nb::tuple policies(PyTerritoryEvaluator& self, const PyConquestState& position) {
  return position.state.visit([&](const auto& shared) {
    const auto state = shared;
    std::vector<float> deploys, marches;
    {
      const nb::gil_scoped_release release;
      self.evaluate(
          1, [&](std::size_t, auto&& ask) { ask(PolicyOfBoth{state}); },
          [&](std::size_t, const TerritoryFeatures::Answer& answer) {
            deploys.assign(answer.deploys.begin(), answer.deploys.end());
            marches.assign(answer.marches.begin(), answer.marches.end());
          });
    }
    const auto n = static_cast<std::size_t>(state.land().territories());
    return nb::make_tuple(owned(std::move(deploys), {2, n}), owned(std::move(marches), {2, n, n}));
  });
}

// Moves that the policy proposes, as the search draws, crosses and mutates them.
nb::list proposed(PyTerritoryEvaluator& self, const PyConquestState& position, int player, int count, std::uint64_t seed, double uniform) {
  check_player(player);
  require(count >= 0 && count <= 1'000'000, "count must be within 0..1000000");
  require(uniform >= 0 && uniform <= 1, "uniform must be within 0..1");
  return position.state.visit([&]<class State>(const State& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    const State state = shared;
    const auto both = [&] {
      const nb::gil_scoped_release release;
      return evaluation::propose(self, std::span(&state, 1), uniform);
    }();
    const auto& proposals = both[0][static_cast<std::size_t>(player)];
    Rng rng(seed, stream_number("proposed"), player);
    nb::list out;
    Orders orders;
    Plan last = proposals.random(rng);
    for (int i = 0; i < count; ++i) {
      Plan plan = proposals.drawn(rng);
      if (i % 3 > 0) plan = proposals.crossed(plan, last, rng);
      if (i % 3 > 1) proposals.mutate(plan, rng);
      proposals.write(plan, orders);
      out.append(order_list(orders));
      last = std::move(plan);
    }
    return out;
  });
}

}  // namespace

void bind_conquest_policy(nb::module_& m) {
  m.def("encode_territories", &encode_territories, "states"_a, "players"_a,
        nb::sig("def encode_territories(states: " SANDTABLE_STATES ", players: " SANDTABLE_PLAYERS ") -> tuple[" SANDTABLE_FLOATS
                ", " SANDTABLE_FLOATS ", " SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]"),
        "(edges, kin, nodes, totals) of states of any maps, each seen by its player; padded to the largest map.");
  m.def("shares", &shares, "state"_a, "player"_a, "moves"_a, "weights"_a,
        nb::sig("def shares(state: State, player: int, moves: " SANDTABLE_MOVES ", weights: collections.abc.Sequence[float]) -> "
                "tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]"),
        "What a mixture of moves does: (the share of the income that each territory gets, the shares of the armies of each\n"
        "that go to each other one, with those that stay on the diagonal).");

  nb::class_<ConquestMixture>(m, "Mixture", "A mixed strategy: what one player should do.")
      .def_ro("best", &ConquestMixture::best, "Place of the move to play.")
      .def_prop_ro("moves", &moves_of, nb::for_getter(nb::sig("def moves(self, /) -> list[list[sandtable.conquest.types.Order]]")),
                   "The candidates.")
      .def_ro("shares", &ConquestMixture::shares, "The probability of each move.")
      .def_ro("values", &ConquestMixture::values, "The value of each move for the player against the other's mixture.");
  nb::class_<ConquestTurn>(m, "Equilibrium", "A turn, solved for both players.")
      .def_prop_ro("players", [](const ConquestTurn& self) { return std::pair(self.players[0], self.players[1]); },
                   "What each player should do.")
      .def_ro("value", &ConquestTurn::value, "Of the position for player 0.")
      .def_ro("exploitability", &ConquestTurn::exploitability, "What both could gain together by another move.")
      .def_ro("states", &ConquestTurn::states, "Positions that were evaluated.")
      .def_ro("rounds", &ConquestTurn::rounds, "Rounds that were made.");

  using Network = PyTerritoryEvaluator;
  auto evaluator = nb::class_<Network>(m, "TerritoryEvaluator", "A network that evaluates positions and proposes moves, with a cache.")
      .def(
          "__init__",
          [](Network* self, nb::callable forward, std::size_t batch, std::size_t cache) {
            check_sizes(batch, cache, 1 << 26);
            new (self) Network(TerritoryFeatures(), python_network<TerritoryFeatures>(std::move(forward)), batch, cache);
          },
          "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          nb::sig("def __init__(self, forward: collections.abc.Callable[..., tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS
                  ", " SANDTABLE_FLOATS "]], *, batch: int, cache: int) -> None"),
          "`forward` is given edges, kin, nodes, totals and which states are asked about, and returns values, and the logits\n"
          "of deploys and marches of those.")
      .def("evaluate", &evaluate_asked<Network>, "states"_a, "players"_a,
           nb::sig("def evaluate(self, states: " SANDTABLE_STATES ", players: " SANDTABLE_PLAYERS ") -> " SANDTABLE_FLOATS),
           "float32[n]: the value of each state for its player. All states are of one map.")
      .def("policies", &policies, "state"_a,
           nb::sig("def policies(self, state: State) -> tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]"),
           "Of both players: logits of deploys [2, T], and of marches [2, T, T] with staying on the diagonal.")
      .def("proposed", &proposed, "state"_a, "player"_a, "count"_a, nb::kw_only(), "seed"_a, "uniform"_a,
           nb::sig("def proposed(self, state: State, player: int, count: int, *, seed: int, uniform: float) -> "
                   "list[list[sandtable.conquest.types.Order]]"),
           "Moves by the policy: one drawn, one crossed with the one before, one that is mutated too, and so on.")
      .def("equilibrium", &equilibrium, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
           "moves"_a = nb::none(),
           nb::sig("def equilibrium(self, state: State, player: int, settings: sandtable._core.EquilibriumSettings, *, seconds: float = 0.0, "
                   "seed: int, moves: collections.abc.Sequence[" SANDTABLE_MOVES "] | None = None) -> Equilibrium"),
           "The turn solved, positions evaluated as the player sees them; 0 seconds are no limit. `moves` of both players are\n"
           "among the first candidates.");
  bind_counters(evaluator);
}

}  // namespace sandtable
