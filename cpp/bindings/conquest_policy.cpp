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

// A mixture: (the place of the move to play, [(orders, how likely it is, its value)]).
using PyMixture = std::pair<std::size_t, std::vector<std::tuple<nb::object, double, double>>>;
using PyTurn = std::tuple<PyMixture, PyMixture, double, double, std::uint64_t, std::uint64_t>;

PyTurn equilibrium(const PyConquestState& self, PyTerritoryEvaluator& evaluator, int player, std::int64_t rounds, double seconds,
                   std::uint64_t seed, const search::EquilibriumSettings& settings, double uniform, nb::handle given) {
  check_player(player);
  require(settings.candidates >= 1 && settings.candidates <= 1000, "candidates must be within 1..1000");
  require(settings.fresh >= 1 && settings.fresh <= 1000, "fresh must be within 1..1000");
  require(settings.joining >= 1 && settings.joining <= settings.fresh, "joining must be within 1..fresh");
  require(settings.most >= settings.candidates && settings.most <= 1000, "most must be within candidates..1000");
  require(settings.met >= 1 && settings.met <= 1000, "met must be within 1..1000");
  require(settings.random >= 0 && settings.random <= 1 && uniform >= 0 && uniform <= 1, "random and uniform must be within 0..1");
  require(settings.least >= 0 && settings.least <= 1, "least must be within 0..1");
  require(settings.deepened >= 0 && settings.deepened <= 1000, "deepened must be within 0..1000");
  require(settings.below >= 1 && settings.below <= 1000, "below must be within 1..1000");
  require(settings.iterations >= 1 && settings.iterations <= 1'000'000, "iterations must be within 1..1000000");
  std::array<std::vector<Orders>, 2> moves;
  if (!given.is_none()) {
    constexpr const char* kForm = "moves must be two lists of moves, one for each player";
    const Items lists(given, kForm);
    if (lists.size() != 2) throw nb::value_error(kForm);
    for (int one = 0; one < 2; ++one) moves[one] = read_moves(self, one, lists[one], kForm);
  }
  return self.state.visit([&]<class State>(const State& shared) -> PyTurn {
    if (shared.over()) throw nb::value_error("the game is over");
    const State state = shared;  // Another thread may play on while this one computes.
    const auto found = [&] {
      const nb::gil_scoped_release release;
      search::Budget budget(rounds < 0 ? 0 : static_cast<std::uint64_t>(rounds) + 1, seconds, ctrl_c);
      const auto evaluate = [&](std::span<const State> states, std::span<double> values) {
        evaluation::evaluate_for_first(evaluator, player, states, values);
      };
      const auto propose = [&](std::span<const State> states) { return evaluation::propose(evaluator, states, uniform); };
      search::EquilibriumSearch<GameOf<State>, Proposals<typename State::Size>> search(settings, evaluate, propose);
      Rng rng(seed, stream_number("equilibrium"));
      return search.search(state, budget, rng, moves);
    }();
    if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C: the budget ended the search
    PyMixture mixtures[2];
    for (int one = 0; one < 2; ++one) {
      const auto& own = found.players[one];
      mixtures[one].first = own.best;
      for (std::size_t i = 0; i < own.moves.size(); ++i)
        mixtures[one].second.emplace_back(order_list(own.moves[i]), own.shares[i], own.values[i]);
    }
    return {std::move(mixtures[0]), std::move(mixtures[1]), found.value, found.exploitability, found.states, found.rounds};
  });
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

#define SANDTABLE_STATES "collections.abc.Sequence[State]"
#define SANDTABLE_PLAYERS "collections.abc.Sequence[int]"
#define SANDTABLE_FLOATS "numpy.typing.NDArray[numpy.float32]"
#define SANDTABLE_MOVES "collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[int]]]"
#define SANDTABLE_MIXTURE "tuple[int, list[tuple[list[sandtable.conquest.types.Order], float, float]]]"

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
      .def("equilibrium",
           [](Network& self, const PyConquestState& state, int player, std::int64_t rounds, double seconds, std::uint64_t seed,
              int candidates, int fresh, int joining, int most, int met, double random, double uniform, double slack, double least,
              bool mixed, int iterations, int deepened, int below, nb::handle moves) {
             return equilibrium(state, self, player, rounds, seconds, seed,
                                {candidates, fresh, joining, most, met, random, slack, least, mixed, iterations, deepened, below}, uniform,
                                moves);
           },
           "state"_a, "player"_a, nb::kw_only(), "rounds"_a, "seconds"_a, "seed"_a, "candidates"_a, "fresh"_a, "joining"_a, "most"_a,
           "met"_a, "random"_a, "uniform"_a, "slack"_a, "least"_a, "mixed"_a, "iterations"_a, "deepened"_a,
           "below"_a, "moves"_a = nb::none(),
           nb::sig("def equilibrium(self, state: State, player: int, *, rounds: int, seconds: float, seed: int, candidates: int, "
                   "fresh: int, joining: int, most: int, met: int, random: float, uniform: float, slack: float, least: float, "
                   "mixed: bool, iterations: int, deepened: int, below: int, moves: collections.abc.Sequence[" SANDTABLE_MOVES
                   "] | None = None) -> tuple[" SANDTABLE_MIXTURE ", " SANDTABLE_MIXTURE ", float, float, int, int]"),
           "The turn solved, positions judged as the player sees them: for both players (the place of the move to play, [(orders,\n"
           "how likely they are, their value)]); the value for player 0, the exploitability, states judged, rounds.\n"
           "`rounds` less than 0 and `seconds` 0 are no limit; `moves` of both players are among the first candidates.");
  bind_counters(evaluator);
}

}  // namespace sandtable
