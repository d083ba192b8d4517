// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include <optional>
#include <string>

#include "bindings/conquest_questions.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/settings.h"
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
  GivenMoves given = read_moves_of_both(self, moves, kForm);
  if (given[0].empty() || given[1].empty()) throw nb::value_error(kForm);
  return given;
}

// A search of a tree of turns; make(state) makes it, and `stream` names its random numbers.
template <class Settings, class Make>
SearchResult search_turns(const PyConquestState& self, int player, const Settings& settings, double seconds, std::uint64_t seed,
                          const char* stream, nb::handle moves, Make&& make) {
  check_player(player);
  const std::optional<GivenMoves> given = read_given(self, moves);
  return run_search(
      self.state,
      [&](const auto& state) {
        auto search = make(state);
        Rng rng(seed, stream_number(stream), player);
        const search::Budget budget(settings.iterations, seconds, ctrl_c);
        return search.search(state, player, budget, rng, given ? &*given : nullptr);
      },
      kToPython);
}

SearchResult mcts(const PyConquestState& self, int player, const search::TurnMctsSettings& settings, double seconds,
                  std::uint64_t seed, nb::handle moves) {
  return search_turns(self, player, settings, seconds, seed, "mcts", moves,
                      [&]<class State>(const State&) { return search::TurnMcts<GameOf<State>>(settings); });
}

template <class State>
search::TurnEvaluator<GameOf<State>> turn_evaluator(PyConquestEvaluator& evaluator) {
  return [&](std::span<const search::Question<GameOf<State>>> questions, std::span<double> values, std::span<double> logits) {
    evaluator.judge(questions, values, logits);
  };
}

SearchResult guided(const PyConquestState& self, int player, PyConquestEvaluator& evaluator,
                    const search::GuidedMctsSettings& settings, double seconds, std::uint64_t seed, nb::handle moves) {
  return search_turns(self, player, settings, seconds, seed, "guided", moves, [&]<class State>(const State&) {
    return search::GuidedMcts<GameOf<State>>(settings, turn_evaluator<State>(evaluator));
  });
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

// `Search` is coevolution with one or the other kind of variation; `stream` names its random numbers.
template <template <class> class Search, class Settings>
CoevolutionResult evolve(const PyConquestState& self, int player, Settings settings, double seconds, std::uint64_t seed,
                         const char* stream, PyConquestEvaluator* evaluator, bool weigh, nb::handle moves) {
  check_player(player);
  require(!weigh || evaluator, "first moves can be weighed by an evaluator only");
  settings.populations.batch = evaluator ? 128 : 256;
  const std::optional<GivenMoves> given = read_given(self, moves);
  std::vector<Orders> others;
  auto found = run_search(
      self.state,
      [&]<class State>(const State& state) {
        Search<GameOf<State>> search(settings, pair_evaluator<State>(evaluator, player),
                                     weigh ? turn_evaluator<State>(*evaluator) : search::TurnEvaluator<GameOf<State>>());
        Rng rng(seed, stream_number(stream), player);
        const search::Budget budget(settings.populations.generations, seconds, ctrl_c);
        auto result = search.search(state, player, budget, rng, given ? &*given : nullptr);
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

// What was found, and the strategies of both players at the root.
using SimultaneousResult = std::tuple<SearchResult, std::vector<double>, std::vector<double>>;

template <class Rule>
using RuleSettings = search::SimultaneousSettings<typename Rule::Settings>;

template <class Rule>
SimultaneousResult simultaneous(const PyConquestState& self, int player, const RuleSettings<Rule>& settings, double seconds,
                                std::uint64_t seed, PyConquestEvaluator* evaluator, nb::handle moves) {
  check_player(player);
  require(settings.sampled == 0 || evaluator, "sampled moves need an evaluator that weighs them");
  const std::optional<GivenMoves> given = read_given(self, moves);
  SimultaneousResult out;
  std::get<0>(out) = run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Simultaneous<GameOf<State>, Rule> search(
            settings, evaluator ? turn_evaluator<State>(*evaluator) : search::TurnEvaluator<GameOf<State>>());
        Rng rng(seed, stream_number("simultaneous"), player);
        const search::Budget budget(settings.simulations, seconds, ctrl_c);
        const auto found = search.search(state, player, budget, rng, given ? &*given : nullptr);
        std::get<1>(out) = search.strategy(0);
        std::get<2>(out) = search.strategy(1);
        return found;
      },
      kToPython);
  return out;
}

// The signature of a search for stubs: its settings, what it takes besides, and what it returns.
std::string signature(const std::string& name, const std::string& settings, const std::string& first, const std::string& then,
                      const std::string& found) {
  return "def " + name + "(state: State, player: int, " + first + "settings: " + settings + ", *, seconds: float = 0.0, seed: int, " +
         then +
         "moves: collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[int]]]] | "
         "None = None) -> " + found;
}

}  // namespace

void bind_conquest_search(nb::module_& m) {
  const std::string found = "sandtable._core.SearchResult", evaluator = "evaluator: Evaluator | None = None, ";
  bind_settings<search::TurnMctsSettings>(m, "MctsSettings", "Settings of mcts().");
  m.def("mcts", &mcts, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "moves"_a = nb::none(),
        nb::sig(signature("mcts", "MctsSettings", "", "", found).c_str()),
        "soares2025's vanilla search; 0 seconds are no limit. Given moves of both players, best first, are the candidates of\n"
        "this turn; if they are too few the rest are sampled.");
  bind_settings<search::GuidedMctsSettings>(m, "GuidedSettings", "Settings of guided().");
  m.def("guided", &guided, "state"_a, "player"_a, "evaluator"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "moves"_a = nb::none(), nb::sig(signature("guided", "GuidedSettings", "evaluator: Evaluator, ", "", found).c_str()),
        "As mcts(), guided by a network.");

  const auto bind_evolution = [&]<template <class> class Search, class Settings>(const char* name, const char* type, const char* about) {
    bind_settings<Settings>(m, type, ("Settings of " + std::string(name) + "().").c_str());
    m.def(
        name,
        [name](const PyConquestState& self, int player, const Settings& settings, double seconds, std::uint64_t seed,
               PyConquestEvaluator* evaluator, bool weigh, nb::handle moves) {
          return evolve<Search>(self, player, settings, seconds, seed, name, evaluator, weigh, moves);
        },
        "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "evaluator"_a = nb::none(),
        "weigh"_a = false, "moves"_a = nb::none(),
        nb::sig(signature(name, type, "", evaluator + "weigh: bool = False, ",
                          "tuple[" + found + ", list[list[sandtable.conquest.types.Order]]]").c_str()),
        about);
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
          "evaluator"_a = nb::none(), "moves"_a = nb::none(),
          nb::sig(signature(name, type, "", evaluator, "tuple[" + found + ", list[float], list[float]]").c_str()), about);
  };
  bind_simultaneous.operator()<search::DecoupledUct>(
      "duct", "DuctSettings",
      "What decoupled UCT found, and the strategies of both players over their candidates, which may be given. Without an\n"
      "evaluator positions are evaluated by playouts.");
  bind_simultaneous.operator()<search::RegretMatching>("regret", "RegretSettings", "As duct(), by regret matching.");
}

}  // namespace sandtable
