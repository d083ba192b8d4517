#include "search/conquest.h"

namespace sandtable::search {
namespace {

using namespace conquest;

template <class State>
using GameOf = Game<typename State::Size>;

// The moves that are given for the root, if any. There must be some for each player.
const MovesOfBoth<Orders>* given_to(const Turn& turn) {
  require(!turn.given || !((*turn.given)[0].empty() || (*turn.given)[1].empty()),
          "moves must be two lists of moves, one for each player, none of them empty");
  return turn.given;
}

// Empty without a network.
template <class State>
TurnEvaluator<GameOf<State>> turn_evaluator(TurnWeights* network) {
  if (!network) return {};
  return [=](std::span<const Question<GameOf<State>>> questions, std::span<double> values, std::span<double> logits) {
    evaluation::evaluate_questions(*network, questions, values, logits);
  };
}

// The values of resolved pairs for player 0: by the shares of armies and income, or by a network from the perspective
// of `player`.
template <class State>
PairEvaluator<GameOf<State>> pair_evaluator(TurnWeights* network, int player) {
  return [=](std::span<const State> states, std::span<double> values) {
    if (network) return evaluation::evaluate_for_first(*network, player, states, values);
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = share_value(states[i], 0);
  };
}

// Runs a search for at most `steps` steps; `stream` names its stream of random numbers.
template <class Search, class State>
Result<Orders> run(Search& search, const State& root, const Turn& turn, const char* stream, std::uint64_t steps) {
  Rng rng(turn.run.seed, stream_number(stream), turn.player);
  return search.search(root, turn.player, turn.run.budget(steps), rng, given_to(turn));
}

// `Search` is coevolution with either kind of variation.
template <template <class> class Search, class Settings>
CoevolutionResult evolve(const Turn& turn, const char* stream, Settings& settings, TurnWeights* network, bool weigh) {
  if (weigh && !network) throw std::invalid_argument("weigh needs an evaluator");
  settings.populations.batch = network ? 128 : 256;
  // The return type is deduced so that the lambda is instantiated here. Functions with a known return type are instantiated at
  // the end of the file, and there clang 22 generates no code for what std::function calls of the lambda of pair_evaluator.
  return turn.root.visit([&]<class State>(const State& root) {
    Search<GameOf<State>> search(settings, pair_evaluator<State>(network, turn.player),
                                 turn_evaluator<State>(weigh ? network : nullptr));
    Result<Orders> found = run(search, root, turn, stream, settings.populations.generations);
    return CoevolutionResult{std::move(found), search.moves(1 - turn.player)};
  });
}

template <class Game>
using GeneticCoevolution = Coevolution<Game>;

template <class Rule>
StrategyResult<Orders> simultaneous_by(const Turn& turn, const SimultaneousSettings<typename Rule::Settings>& settings,
                                       TurnWeights* network) {
  return turn.root.visit([&]<class State>(const State& root) {
    return simultaneous<GameOf<State>, Rule>(root, turn.player, settings, turn.run, turn_evaluator<State>(network), given_to(turn));
  });
}

}  // namespace

Result<Orders> mcts(const Turn& turn, const TurnMctsSettings& settings) {
  return turn.root.visit([&]<class State>(const State& root) {
    TurnMcts<GameOf<State>> search(settings);
    return run(search, root, turn, "mcts", settings.iterations);
  });
}

Result<Orders> guided_mcts(const Turn& turn, const GuidedMctsSettings& settings, TurnWeights& network) {
  return turn.root.visit([&]<class State>(const State& root) {
    GuidedMcts<GameOf<State>> search(settings, turn_evaluator<State>(&network));
    return run(search, root, turn, "guided", settings.iterations);
  });
}

CoevolutionResult coevolution(const Turn& turn, CoevolutionSettings settings, TurnWeights* network, bool weigh) {
  return evolve<GeneticCoevolution>(turn, "coevolution", settings, network, weigh);
}

CoevolutionResult coevolution(const Turn& turn, CmaSettings settings, TurnWeights* network, bool weigh) {
  return evolve<CmaCoevolution>(turn, "cmaes", settings, network, weigh);
}

StrategyResult<Orders> simultaneous(const Turn& turn, const DuctSettings& settings, TurnWeights* network) {
  return simultaneous_by<DecoupledUct>(turn, settings, network);
}

StrategyResult<Orders> simultaneous(const Turn& turn, const RegretSettings& settings, TurnWeights* network) {
  return simultaneous_by<RegretMatching>(turn, settings, network);
}

TurnResult<Orders> equilibrium(const Turn& turn, const EquilibriumSettings& settings, TurnPolicies& network) {
  return turn.root.visit([&]<class State>(const State& root) {
    const auto evaluate = [&](std::span<const State> states, std::span<double> values) {
      evaluation::evaluate_for_first(network, turn.player, states, values);
    };
    const auto propose = [&](std::span<const State> states) { return evaluation::propose(network, states, settings.uniform); };
    EquilibriumSearch<GameOf<State>, Proposals<typename State::Size>> search(settings, evaluate, propose);
    Rng rng(turn.run.seed, stream_number("equilibrium"));
    return search.search(root, turn.run.budget(settings.steps()), rng, turn.given ? *turn.given : MovesOfBoth<Orders>());
  });
}

}  // namespace sandtable::search
