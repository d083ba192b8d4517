// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include "bindings/conquest_objects.h"
#include "bindings/search.h"
#include "bindings/settings.h"
#include "search/coevolution/coevolution.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/turn_mcts/guided_mcts.h"
#include "search/turn_mcts/turn_mcts.h"

namespace sandtable {
namespace {

using namespace conquest;

using TurnWeights = evaluation::TurnWeights;
using MovesOfBoth = search::MovesOfBoth<Orders>;

// Moves of both players for the root of a search; none, if they are to be sampled.
std::optional<MovesOfBoth> read_root_moves(const PyConquestState& self, nb::handle moves) {
  if (moves.is_none()) return std::nullopt;
  constexpr const char* kForm = "moves must be two lists of moves, one for each player, none of them empty";
  MovesOfBoth given = read_moves_of_both(self, moves, kForm);
  if (given[0].empty() || given[1].empty()) throw nb::value_error(kForm);
  return given;
}

// What all searches of a turn are told besides their settings.
struct Turn {
  int player;
  double seconds;
  std::uint64_t seed;
  const char* stream;  // names the random numbers
  nb::handle moves;
};

// Runs the search make(state) for at most so many steps; read(search) is called when it has ended.
template <class Make, class Read>
SearchResult search_turn(const PyConquestState& self, const Turn& turn, std::uint64_t steps, Make&& make, Read&& read) {
  check_player(turn.player);
  const std::optional<MovesOfBoth> given = read_root_moves(self, turn.moves);
  return run_search(self, [&](const auto& state) {
    auto search = make(state);
    Rng rng(turn.seed, stream_number(turn.stream), turn.player);
    const search::Budget budget = budget_of(steps, turn.seconds);
    auto found = search.search(state, turn.player, budget, rng, given ? &*given : nullptr);
    read(search);
    return found;
  });
}

const auto kNothing = [](const auto&) {};

SearchResult mcts(const PyConquestState& self, int player, const search::TurnMctsSettings& settings, double seconds,
                  std::uint64_t seed, GivenMovesOfBoth moves) {
  const auto make = [&]<class State>(const State&) { return search::TurnMcts<ConquestGame<State>>(settings); };
  return search_turn(self, {player, seconds, seed, "mcts", moves}, settings.iterations, make, kNothing);
}

// None without an evaluator.
template <class State>
search::TurnEvaluator<ConquestGame<State>> turn_evaluator(TurnWeights* evaluator) {
  if (!evaluator) return {};
  return [=](std::span<const search::Question<ConquestGame<State>>> questions, std::span<double> values, std::span<double> logits) {
    evaluation::evaluate_questions(*evaluator, questions, values, logits);
  };
}

SearchResult guided(const PyConquestState& self, int player, TurnWeights& evaluator, const search::GuidedMctsSettings& settings,
                    double seconds, std::uint64_t seed, GivenMovesOfBoth moves) {
  const auto make = [&]<class State>(const State&) {
    return search::GuidedMcts<ConquestGame<State>>(settings, turn_evaluator<State>(&evaluator));
  };
  return search_turn(self, {player, seconds, seed, "guided", moves}, settings.iterations, make, kNothing);
}

// The values of resolved pairs for player 0: by the shares of armies and income, or by a network as `player` sees them.
template <class State>
search::PairEvaluator<ConquestGame<State>> pair_evaluator(TurnWeights* evaluator, int player) {
  return [=](std::span<const State> states, std::span<double> values) {
    if (evaluator) return evaluation::evaluate_for_first(*evaluator, player, states, values);
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = share_value(states[i], 0);
  };
}

// What was found, and the last population of the other player, best first.
using CoevolutionResult = std::tuple<SearchResult, nb::typed<nb::list, OrderList>>;

// `Search` is coevolution with one or the other kind of variation.
template <template <class> class Search, class Settings>
CoevolutionResult evolve(const PyConquestState& self, const Turn& turn, Settings settings, TurnWeights* evaluator, bool weigh) {
  require(!weigh || evaluator, "first moves can be weighed by an evaluator only");
  settings.populations.batch = evaluator ? 128 : 256;
  std::vector<Orders> others;
  const auto make = [&]<class State>(const State&) {
    return Search<ConquestGame<State>>(settings, pair_evaluator<State>(evaluator, turn.player),
                                       turn_evaluator<State>(weigh ? evaluator : nullptr));
  };
  SearchResult found = search_turn(self, turn, settings.populations.generations, make,
                                   [&](const auto& search) { others = search.moves(1 - turn.player); });
  return {std::move(found), order_lists(others)};
}

template <class Game>
using GeneticCoevolution = search::Coevolution<Game>;

// What was found, and the strategies of both players at the root.
using SimultaneousResult = std::tuple<SearchResult, std::vector<double>, std::vector<double>>;

template <class Rule>
using RuleSettings = search::SimultaneousSettings<typename Rule::Settings>;

template <class Rule>
SimultaneousResult simultaneous(const PyConquestState& self, int player, const RuleSettings<Rule>& settings, double seconds,
                                std::uint64_t seed, TurnWeights* evaluator, GivenMovesOfBoth moves) {
  require(settings.sampled == 0 || evaluator, "sampled moves need an evaluator that weighs them");
  std::vector<double> strategies[2];
  const auto make = [&]<class State>(const State&) {
    return search::Simultaneous<ConquestGame<State>, Rule>(settings, turn_evaluator<State>(evaluator));
  };
  SearchResult found = search_turn(self, {player, seconds, seed, "simultaneous", moves}, settings.simulations, make,
                                   [&](const auto& search) {
                                     for (int p = 0; p < 2; ++p) strategies[p] = search.strategy(p);
                                   });
  return {std::move(found), std::move(strategies[0]), std::move(strategies[1])};
}

}  // namespace

void bind_conquest_search(nb::module_& m) {
  bind_settings<search::TurnMctsSettings>(m, "MctsSettings", "Settings of mcts().");
  m.def("mcts", &mcts, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "moves"_a = nb::none(),
        "soares2025's vanilla search; 0 seconds are no limit. Given moves of both players, best first, are the candidates of\n"
        "this turn; if they are too few the rest are sampled.");
  bind_settings<search::GuidedMctsSettings>(m, "GuidedSettings", "Settings of guided().");
  m.def("guided", &guided, "state"_a, "player"_a, "evaluator"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "moves"_a = nb::none(), "As mcts(), guided by a network.");

  const auto bind_evolution = [&]<template <class> class Search, class Settings>(const char* name, const char* type, const char* about) {
    bind_settings<Settings>(m, type, ("Settings of " + std::string(name) + "().").c_str());
    m.def(
        name,
        [name](const PyConquestState& self, int player, const Settings& settings, double seconds, std::uint64_t seed,
               TurnWeights* evaluator, bool weigh, GivenMovesOfBoth moves) {
          return evolve<Search>(self, {player, seconds, seed, name, moves}, settings, evaluator, weigh);
        },
        "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "evaluator"_a = nb::none(),
        "weigh"_a = false, "moves"_a = nb::none(), about);
  };
  bind_evolution.operator()<GeneticCoevolution, search::CoevolutionSettings>(
      "coevolution", "CoevolutionSettings",
      "What was found, and the other player's population. The candidates are the player's population, best first, and\n"
      "`simulations` are generations. Without an evaluator the shares of armies and income are the value of a position; with\n"
      "`weigh` it also chooses the first populations. Given moves of both players come first in these.");
  bind_evolution.operator()<search::CmaCoevolution, search::CmaSettings>(
      "cmaes", "CmaesSettings", "As coevolution(), with sep-CMA-ES over the genes instead of genetic operators.");

  const auto bind_simultaneous = [&]<class Rule>(const char* name, const char* type, const char* about) {
    bind_settings<RuleSettings<Rule>>(m, type, ("Settings of " + std::string(name) + "().").c_str());
    m.def(name, &simultaneous<Rule>, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
          "evaluator"_a = nb::none(), "moves"_a = nb::none(), about);
  };
  bind_simultaneous.operator()<search::DecoupledUct>(
      "duct", "DuctSettings",
      "What decoupled UCT found, and the strategies of both players over their candidates, which may be given. Without an\n"
      "evaluator positions are evaluated by playouts.");
  bind_simultaneous.operator()<search::RegretMatching>("regret", "RegretSettings", "As duct(), by regret matching.");
}

}  // namespace sandtable
