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
namespace {

using namespace conquest;

template <class State>
using GameOf = conquest::Game<typename State::Size>;

// States of any maps, each with its own, padded to the largest.
nb::tuple encode_territories(nb::handle states, nb::handle players) {
  const std::vector<Asked> all = read_questions(states, players, nb::none());
  constexpr std::size_t kNode = TerritoryFeatures::kNode;
  const std::size_t n = all.size();
  std::size_t t = 0;
  for (const Asked& one : all)
    t = std::max(t, one.state.visit([](const auto& state) { return static_cast<std::size_t>(state.land().territories()); }));
  std::vector<float> edges(n * t * t), kin(n * t * t), nodes(n * t * kNode), totals;
  FeatureArrays arrays;
  for (std::size_t i = 0; i < n; ++i) {
    all[i].state.visit([&](const auto& state) {
      const FeatureMap map = TerritoryFeatures::map(state.land());
      arrays.clear();
      TerritoryFeatures::add(state, all[i].player, arrays);
      for (std::size_t row = 0; row < map.territories; ++row) {
        const auto from = static_cast<std::ptrdiff_t>(row * map.territories), to = static_cast<std::ptrdiff_t>((i * t + row) * t);
        std::copy_n(map.edges.begin() + from, map.territories, edges.begin() + to);
        std::copy_n(map.kin.begin() + from, map.territories, kin.begin() + to);
      }
      std::copy(arrays.nodes.begin(), arrays.nodes.end(), nodes.begin() + static_cast<std::ptrdiff_t>(i * t * kNode));
      totals.insert(totals.end(), arrays.totals.begin(), arrays.totals.end());
    });
  }
  return nb::make_tuple(owned(std::move(edges), {n, t, t}), owned(std::move(kin), {n, t, t}),
                        owned(std::move(nodes), {n, t, kNode}), owned(std::move(totals), {n, TerritoryFeatures::kTotals}));
}

nb::object evaluate(PyTerritoryEvaluator& self, nb::handle states, nb::handle players) {
  auto values = judged(self, read_questions(states, players, nb::none())).first;
  const std::size_t n = values.size();
  return owned(std::move(values), {n});
}

// Of a player, by what the network answered about some policies: this one is at that place among them.
template <class State>
Proposals<typename State::Size> proposals_of(const State& state, int player, const std::vector<std::vector<float>>& answers,
                                             std::size_t at, double uniform) {
  const auto n = static_cast<std::size_t>(state.land().territories());
  return {state, player, std::span(answers[1]).subspan(at * n, n), std::span(answers[2]).subspan(at * n * n, n * n), uniform};
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
      using Proposals = conquest::Proposals<typename State::Size>;
      const FeatureMap map = TerritoryFeatures::map(state.land());
      const auto evaluate = [&](std::span<const State> states, std::span<double> values) {
        evaluator.judge(
            map, states.size(), [&](std::size_t i, auto&& f) { f(states[i], player, std::span<const Orders>()); },
            [&](std::size_t i, float value) { values[i] = player == 0 ? value : -value; }, {});
      };
      const auto propose = [&](std::span<const State> states) {
        const auto answers = evaluator.policies(states);
        std::vector<std::array<Proposals, 2>> all;
        for (std::size_t i = 0; i < states.size(); ++i)
          all.push_back({proposals_of(states[i], 0, answers, 2 * i, uniform), proposals_of(states[i], 1, answers, 2 * i + 1, uniform)});
        return all;
      };
      search::EquilibriumSearch<GameOf<State>, Proposals> search(settings, evaluate, propose);
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
    auto answers = [&] {
      const nb::gil_scoped_release release;
      return self.policies(std::span(&state, 1));
    }();
    const auto n = static_cast<std::size_t>(state.land().territories());
    return nb::make_tuple(owned(std::move(answers[1]), {2, n}), owned(std::move(answers[2]), {2, n, n}));
  });
}

// Moves that the policy proposes, as the search draws, crosses and mutates them.
nb::list proposed(PyTerritoryEvaluator& self, const PyConquestState& position, int player, int count, std::uint64_t seed, double uniform) {
  check_player(player);
  require(count >= 0 && count <= 1'000'000, "count must be within 0..1000000");
  require(uniform >= 0 && uniform <= 1, "uniform must be within 0..1");
  return position.state.visit([&](const auto& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    const auto state = shared;
    const auto answers = [&] {
      const nb::gil_scoped_release release;
      return self.policies(std::span(&state, 1));
    }();
    const auto proposals = proposals_of(state, player, answers, static_cast<std::size_t>(player), uniform);
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
  nb::class_<Network>(m, "TerritoryEvaluator", "A network of ours that judges positions and proposes moves, with a cache.")
      .def(
          "__init__",
          [](Network* self, nb::callable forward, std::size_t batch, std::size_t cache) {
            if (batch < 1 || batch > 1 << 20) throw std::invalid_argument("batch must be within 1..1048576");
            if (cache > 1 << 26) throw std::invalid_argument("cache must be within 0..67108864");
            new (self) Network(TerritoryFeatures(), std::move(forward), batch, cache);
          },
          "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          nb::sig("def __init__(self, forward: collections.abc.Callable[..., tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS
                  ", " SANDTABLE_FLOATS "]], *, batch: int, cache: int) -> None"),
          "`forward` is given edges, kin, nodes, totals and which states are asked about, and returns values, and the logits\n"
          "of deploys and marches of those.")
      .def("evaluate", &evaluate, "states"_a, "players"_a,
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
           "`rounds` less than 0 and `seconds` 0 are no limit; `moves` of both players are among the first candidates.")
      .def_prop_ro("evaluated", [](const Network& self) { return self.evaluated.load(); }, "Positions that the network has judged.")
      .def_prop_ro("hits", [](const Network& self) { return self.hits.load(); }, "Positions that the cache knew.")
      .def_prop_ro("batches", [](const Network& self) { return self.batches.load(); }, "Calls of `forward`.")
      .def_prop_ro("forward_seconds", [](const Network& self) { return self.forward_seconds.load(); }, "Time inside `forward`.");
}

}  // namespace sandtable
