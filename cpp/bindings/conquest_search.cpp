// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include <optional>
#include <string>

#include "bindings/conquest_questions.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "conquest/game.h"
#include "search/coevolution/coevolution.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/turn_mcts/guided_mcts.h"
#include "search/turn_mcts/turn_mcts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace conquest;

template <class State>
using GameOf = conquest::Game<typename State::Size>;

const auto kToPython = [](const auto&, const Orders& orders) { return order_list(orders); };

using GivenMoves = search::MovesOfBoth<Orders>;

// Moves of both players for the root of a search; none, if they are to be sampled.
std::optional<GivenMoves> read_given(const PyConquestState& self, nb::handle moves) {
  if (moves.is_none()) return std::nullopt;
  constexpr const char* kForm = "moves must be two lists of moves, one for each player, none of them empty";
  const Items lists(moves, kForm);
  if (lists.size() != 2) throw nb::value_error(kForm);
  GivenMoves given;
  for (int player = 0; player < 2; ++player) {
    given[player] = read_moves(self, player, lists[player], kForm);
    if (given[player].empty()) throw nb::value_error(kForm);
  }
  return given;
}

SearchResult mcts(const PyConquestState& self, int player, std::uint64_t iterations, double seconds, std::uint64_t seed,
                  int candidates, int rollout_levels, double c, bool stall, std::uint32_t max_nodes, nb::handle moves) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(candidates >= 1 && candidates <= 10000, "candidates must be within 1..10000");
  require(rollout_levels >= 2, "rollout_levels must be at least 2");
  require(max_nodes > static_cast<std::uint32_t>(candidates), "max_nodes must be more than the candidates");
  const std::optional<GivenMoves> given = read_given(self, moves);
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::TurnMcts<GameOf<State>> search({candidates, rollout_levels, c, stall, max_nodes});
        Rng rng(seed, stream_number("mcts"), player);
        return search.search(state, player, search::Budget(iterations, seconds, ctrl_c), rng, given ? &*given : nullptr);
      },
      kToPython);
}

template <class State>
search::TurnEvaluator<GameOf<State>> turn_evaluator(PyConquestEvaluator& evaluator) {
  return [&](std::span<const search::Question<GameOf<State>>> questions, std::span<double> values, std::span<double> logits) {
    evaluator.judge(questions, values, logits);
  };
}

// What was found, and the priors of its candidates.
using GuidedResult = std::tuple<SearchResult, std::vector<double>>;

GuidedResult guided(const PyConquestState& self, int player, PyConquestEvaluator& evaluator, std::uint64_t iterations,
                    double seconds, std::uint64_t seed, int candidates, double c, double trust, bool root_prior, bool stall,
                    std::uint32_t max_nodes, nb::handle moves) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(candidates >= 1 && candidates <= 100, "candidates must be within 1..100");
  require(trust >= 0 && trust <= 1, "trust must be within 0..1");
  require(max_nodes > static_cast<std::uint32_t>(candidates), "max_nodes must be more than the candidates");
  const std::optional<GivenMoves> given = read_given(self, moves);
  std::vector<double> priors;
  auto result = run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::GuidedMcts<GameOf<State>> search({candidates, c, trust, root_prior, stall, max_nodes},
                                                 turn_evaluator<State>(evaluator));
        Rng rng(seed, stream_number("guided"), player);
        const auto found =
            search.search(state, player, search::Budget(iterations, seconds, ctrl_c), rng, given ? &*given : nullptr);
        priors = search.root_priors();
        return found;
      },
      kToPython);
  return {std::move(result), std::move(priors)};
}

// The values of resolved pairs for player 0: by the shares of armies and income, or by a network as `player` sees them.
template <class State>
search::PairEvaluator<GameOf<State>> pair_evaluator(PyConquestEvaluator* evaluator, int player) {
  if (!evaluator) {
    return [](std::span<const State> states, std::span<double> values) {
      for (std::size_t i = 0; i < states.size(); ++i) values[i] = share_value(states[i], 0);
    };
  }
  return [=](std::span<const State> states, std::span<double> values) {
    using Game = GameOf<State>;
    std::vector<search::Question<Game>> questions;
    std::vector<std::size_t> undecided;
    for (std::size_t i = 0; i < states.size(); ++i) {
      values[i] = Game::over(states[i]) ? Game::value(states[i], 0) : 0;
      if (Game::over(states[i])) continue;
      questions.push_back({&states[i], player});
      undecided.push_back(i);
    }
    std::vector<double> answers(questions.size());
    evaluator->judge(std::span<const search::Question<Game>>(questions), answers, {});
    for (std::size_t i = 0; i < answers.size(); ++i) values[undecided[i]] = player == 0 ? answers[i] : -answers[i];
  };
}

// What was found, and the last population of the other player, best first.
using CoevolutionResult = std::tuple<SearchResult, std::vector<nb::object>>;

constexpr int batch_of(const PyConquestEvaluator* evaluator) { return evaluator ? 128 : 256; }

// `Search` is coevolution with one or the other kind of variation; `stream` names its random numbers.
template <template <class> class Search, class Settings>
CoevolutionResult evolve(const PyConquestState& self, int player, const Settings& settings, std::uint64_t generations,
                         double seconds, std::uint64_t seed, const char* stream, PyConquestEvaluator* evaluator,
                         nb::handle moves) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(settings.population >= 2 && settings.population <= 1000, "population must be within 2..1000");
  require(settings.elites >= 0 && settings.elites <= settings.population, "elites must be within 0..population");
  require(settings.sampled == 0 || (settings.sampled >= settings.population && settings.sampled <= 100'000),
          "sampled must be 0 or within population..100000");
  require(settings.sampled == 0 || evaluator, "sampled moves need an evaluator that weighs them");
  const std::optional<GivenMoves> given = read_given(self, moves);
  std::vector<Orders> others;
  auto found = run_search(
      self.state,
      [&]<class State>(const State& state) {
        Search<GameOf<State>> search(settings, pair_evaluator<State>(evaluator, player),
                                     evaluator ? turn_evaluator<State>(*evaluator) : search::TurnEvaluator<GameOf<State>>());
        Rng rng(seed, stream_number(stream), player);
        auto result =
            search.search(state, player, search::Budget(generations, seconds, ctrl_c), rng, given ? &*given : nullptr);
        others = search.moves(1 - player);
        return result;
      },
      kToPython);
  std::vector<nb::object> lists;
  for (const Orders& orders : others) lists.push_back(order_list(orders));
  return {std::move(found), std::move(lists)};
}

template <class Game>
using GeneticCoevolution = search::Coevolution<Game>;

search::Selection selection_of(const std::string& word) {
  if (word == "random") return search::Selection::kRandom;
  require(word == "tournament", "selection must be random or tournament");
  return search::Selection::kTournament;
}

search::CrossoverKind crossover_kind_of(const std::string& word) {
  if (word == "one_point") return search::CrossoverKind::kOnePoint;
  if (word == "two_point") return search::CrossoverKind::kTwoPoint;
  require(word == "uniform", "crossover_kind must be one_point, two_point or uniform");
  return search::CrossoverKind::kUniform;
}

CoevolutionResult coevolution(const PyConquestState& self, int player, std::uint64_t generations, double seconds,
                              std::uint64_t seed, int population, int elites, double mutation, double gene_mutation,
                              double crossover, const std::string& crossover_kind, const std::string& selection,
                              int tournament_size, int horizon, int sampled, PyConquestEvaluator* evaluator, nb::handle moves) {
  require(horizon >= 1 && horizon <= 100, "horizon must be within 1..100");
  require(tournament_size >= 1 && tournament_size <= 1000, "tournament_size must be within 1..1000");
  const search::CoevolutionSettings settings{.population = population,
                                             .elites = elites,
                                             .mutation = mutation,
                                             .gene_mutation = gene_mutation,
                                             .crossover = crossover,
                                             .crossover_kind = crossover_kind_of(crossover_kind),
                                             .selection = selection_of(selection),
                                             .tournament_size = tournament_size,
                                             .horizon = horizon,
                                             .sampled = sampled,
                                             .batch = batch_of(evaluator)};
  return evolve<GeneticCoevolution>(self, player, settings, generations, seconds, seed, "coevolution", evaluator, moves);
}

CoevolutionResult cmaes(const PyConquestState& self, int player, std::uint64_t generations, double seconds,
                        std::uint64_t seed, int population, int elites, double step, int sampled,
                        PyConquestEvaluator* evaluator, nb::handle moves) {
  require(step > 0 && step <= 100, "step must be more than 0 and at most 100");
  const search::CmaSettings settings{
      .population = population, .elites = elites, .step = step, .sampled = sampled, .batch = batch_of(evaluator)};
  return evolve<search::CmaCoevolution>(self, player, settings, generations, seconds, seed, "cmaes", evaluator, moves);
}

// What was found, and the strategies of both players at the root.
using SimultaneousResult = std::tuple<SearchResult, std::vector<double>, std::vector<double>>;

template <class Rule>
SimultaneousResult simultaneous(const PyConquestState& self, int player, std::uint64_t simulations, double seconds,
                                std::uint64_t seed, const search::SimultaneousSettings& settings,
                                const typename Rule::Settings& rule, PyConquestEvaluator* evaluator, nb::handle moves) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(settings.candidates >= 1 && settings.candidates <= 1000, "candidates must be within 1..1000");
  require(settings.sampled == 0 || (settings.sampled >= settings.candidates && settings.sampled <= 100'000),
          "sampled must be 0 or within candidates..100000");
  require(settings.sampled == 0 || evaluator, "sampled moves need an evaluator that weighs them");
  require(settings.depth >= 0 && settings.rollout_turns >= 0, "depth and rollout_turns must not be negative");
  require(settings.batch >= 1 && settings.batch <= 10'000, "batch must be within 1..10000");
  require(settings.max_nodes >= 1, "max_nodes must be at least 1");
  const std::optional<GivenMoves> given = read_given(self, moves);
  SimultaneousResult out;
  std::get<0>(out) = run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Simultaneous<GameOf<State>, Rule> search(
            settings, rule, evaluator ? turn_evaluator<State>(*evaluator) : search::TurnEvaluator<GameOf<State>>());
        Rng rng(seed, stream_number("simultaneous"), player);
        const auto found =
            search.search(state, player, search::Budget(simulations, seconds, ctrl_c), rng, given ? &*given : nullptr);
        std::get<1>(out) = search.strategy(0);
        std::get<2>(out) = search.strategy(1);
        return found;
      },
      kToPython);
  return out;
}

}  // namespace

#define SANDTABLE_MOVES                                                                                    \
  "collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[" \
  "int]]]] | None"
#define SANDTABLE_FOUND "tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int]"

void bind_conquest_search(nb::module_& m) {
  m.def("mcts", &mcts, "state"_a, "player"_a, nb::kw_only(), "iterations"_a, "seconds"_a, "seed"_a, "candidates"_a,
        "rollout_levels"_a, "c"_a, "stall"_a, "max_nodes"_a, "moves"_a = nb::none(),
        nb::sig("def mcts(state: State, player: int, *, iterations: int, seconds: float, seed: int, candidates: int, "
                "rollout_levels: int, c: float, stall: bool, max_nodes: int, moves: " SANDTABLE_MOVES
                " = None) -> " SANDTABLE_FOUND),
        "(index of the best candidate, [(orders, visits, value)], value, nodes, iterations); 0 is no limit. Moves of both\n"
        "players, best first, are the candidates of this turn; if they are too few the rest are sampled.");
  m.def("guided", &guided, "state"_a, "player"_a, "evaluator"_a, nb::kw_only(), "iterations"_a, "seconds"_a, "seed"_a,
        "candidates"_a, "c"_a, "trust"_a, "root_prior"_a, "stall"_a, "max_nodes"_a, "moves"_a = nb::none(),
        nb::sig("def guided(state: State, player: int, evaluator: Evaluator, *, iterations: int, seconds: float, seed: int, "
                "candidates: int, c: float, trust: float, root_prior: bool, stall: bool, max_nodes: int, "
                "moves: " SANDTABLE_MOVES " = None) -> "
                "tuple[" SANDTABLE_FOUND ", list[float]]"),
        "What mcts() gives, guided by a network, and the priors of the candidates, none without root_prior.");
  m.def("coevolution", &coevolution, "state"_a, "player"_a, nb::kw_only(), "generations"_a, "seconds"_a, "seed"_a,
        "population"_a, "elites"_a, "mutation"_a, "gene_mutation"_a, "crossover"_a, "crossover_kind"_a, "selection"_a,
        "tournament_size"_a, "horizon"_a, "sampled"_a, "evaluator"_a.none(), "moves"_a = nb::none(),
        nb::sig("def coevolution(state: State, player: int, *, generations: int, seconds: float, seed: int, "
                "population: int, elites: int, mutation: float, gene_mutation: float, crossover: float, "
                "crossover_kind: str, selection: str, tournament_size: int, horizon: int, "
                "sampled: int, evaluator: Evaluator | None, moves: " SANDTABLE_MOVES " = None) -> "
                "tuple[" SANDTABLE_FOUND ", list[list[sandtable.conquest.types.Order]]]"),
        "What mcts() gives, and the other player's population; the candidates are the player's, best first, and `iterations`\n"
        "are generations. Positions are judged by the shares of armies and income if there is no evaluator; of `sampled` moves\n"
        "it chooses the first, if not 0. Given moves of both players come first in the first populations.");
  m.def("cmaes", &cmaes, "state"_a, "player"_a, nb::kw_only(), "generations"_a, "seconds"_a, "seed"_a, "population"_a,
        "elites"_a, "step"_a, "sampled"_a, "evaluator"_a.none(), "moves"_a = nb::none(),
        nb::sig("def cmaes(state: State, player: int, *, generations: int, seconds: float, seed: int, population: int, "
                "elites: int, step: float, sampled: int, evaluator: Evaluator | None, moves: " SANDTABLE_MOVES " = None) -> "
                "tuple[" SANDTABLE_FOUND ", list[list[sandtable.conquest.types.Order]]]"),
        "As coevolution(), with sep-CMA-ES over the genes instead of genetic operators.");

  const auto bind_simultaneous = [&]<class Rule>(const char* name, const char* parameter, const char* signature, const char* about) {
    m.def(
        name,
        [](const PyConquestState& self, int player, std::uint64_t simulations, double seconds, std::uint64_t seed,
           double value, int candidates, int sampled, int depth, int rollout_turns, int batch, bool mixed,
           std::uint32_t max_nodes, PyConquestEvaluator* evaluator, nb::handle moves) {
          return simultaneous<Rule>(self, player, simulations, seconds, seed,
                                    {candidates, sampled, depth, rollout_turns, batch, mixed, max_nodes}, {value}, evaluator, moves);
        },
        "state"_a, "player"_a, nb::kw_only(), "simulations"_a, "seconds"_a, "seed"_a, nb::arg(parameter), "candidates"_a,
        "sampled"_a, "depth"_a, "rollout_turns"_a, "batch"_a, "mixed"_a, "max_nodes"_a, "evaluator"_a.none(),
        "moves"_a = nb::none(), nb::sig(signature), about);
  };
#define SANDTABLE_SIMULTANEOUS(name, parameter)                                                                           \
  "def " name "(state: State, player: int, *, simulations: int, seconds: float, seed: int, " parameter                    \
  ": float, candidates: int, sampled: int, depth: int, rollout_turns: int, batch: int, mixed: bool, max_nodes: int, "     \
  "evaluator: Evaluator | None, moves: " SANDTABLE_MOVES " = None) -> tuple[" SANDTABLE_FOUND ", list[float], list[float]]"
  bind_simultaneous.operator()<search::DecoupledUct>(
      "duct", "c", SANDTABLE_SIMULTANEOUS("duct", "c"),
      "What mcts() gives, by decoupled UCT, and the strategies of both players over their candidates, which may be given.\n"
      "Without an evaluator there are playouts.");
  bind_simultaneous.operator()<search::RegretMatching>(
      "regret", "exploration", SANDTABLE_SIMULTANEOUS("regret", "exploration"), "As duct(), by regret matching.");
}

}  // namespace sandtable
