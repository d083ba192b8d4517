// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include <stdexcept>

#include "bindings/conquest_evaluator.h"
#include "bindings/conquest_objects.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "conquest/game.h"
#include "search/coevolution/coevolution.h"
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

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

SearchResult mcts(const PyConquestState& self, int player, std::uint64_t iterations, double seconds, std::uint64_t seed,
                  int candidates, int rollout_levels, double c, bool stall, std::uint32_t max_nodes) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(candidates >= 1 && candidates <= 10000, "candidates must be within 1..10000");
  require(rollout_levels >= 2, "rollout_levels must be at least 2");
  require(max_nodes > static_cast<std::uint32_t>(candidates), "max_nodes must be more than the candidates");
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::TurnMcts<GameOf<State>> search({candidates, rollout_levels, c, stall, max_nodes});
        Rng rng(seed, stream_number("mcts"), player);
        return search.search(state, player, search::Budget(iterations, seconds, ctrl_c), rng);
      },
      kToPython);
}

template <class State>
search::TurnEvaluator<GameOf<State>> turn_evaluator(PyConquestEvaluator& evaluator) {
  return [&](std::span<const search::Question<GameOf<State>>> questions, std::span<double> values, std::span<double> logits) {
    evaluator.judge(questions, values, logits);
  };
}

SearchResult guided(const PyConquestState& self, int player, PyConquestEvaluator& evaluator, std::uint64_t iterations,
                    double seconds, std::uint64_t seed, int candidates, double c, double trust, bool root_prior, bool stall,
                    std::uint32_t max_nodes) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(candidates >= 1 && candidates <= 100, "candidates must be within 1..100");
  require(trust >= 0 && trust <= 1, "trust must be within 0..1");
  require(max_nodes > static_cast<std::uint32_t>(candidates), "max_nodes must be more than the candidates");
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::GuidedMcts<GameOf<State>> search({candidates, c, trust, root_prior, stall, max_nodes},
                                                 turn_evaluator<State>(evaluator));
        Rng rng(seed, stream_number("guided"), player);
        return search.search(state, player, search::Budget(iterations, seconds, ctrl_c), rng);
      },
      kToPython);
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

SearchResult coevolution(const PyConquestState& self, int player, std::uint64_t generations, double seconds,
                         std::uint64_t seed, int population, int elites, double mutation, double gene_mutation,
                         int sampled, PyConquestEvaluator* evaluator) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(population >= 2 && population <= 1000, "population must be within 2..1000");
  require(elites >= 0 && elites <= population, "elites must be within 0..population");
  require(sampled == 0 || (sampled >= population && sampled <= 100'000), "sampled must be 0 or within population..100000");
  require(sampled == 0 || evaluator, "sampled moves need an evaluator that weighs them");
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        const int batch = evaluator ? 128 : population * population;
        search::Coevolution<GameOf<State>> search(
            {population, elites, mutation, gene_mutation, sampled, batch}, pair_evaluator<State>(evaluator, player),
            evaluator ? turn_evaluator<State>(*evaluator) : search::TurnEvaluator<GameOf<State>>());
        Rng rng(seed, stream_number("coevolution"), player);
        return search.search(state, player, search::Budget(generations, seconds, ctrl_c), rng);
      },
      kToPython);
}

}  // namespace

#define SANDTABLE_FOUND "tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int]"

void bind_conquest_search(nb::module_& m) {
  m.def("mcts", &mcts, "state"_a, "player"_a, nb::kw_only(), "iterations"_a, "seconds"_a, "seed"_a, "candidates"_a,
        "rollout_levels"_a, "c"_a, "stall"_a, "max_nodes"_a,
        nb::sig("def mcts(state: State, player: int, *, iterations: int, seconds: float, seed: int, candidates: int, "
                "rollout_levels: int, c: float, stall: bool, max_nodes: int) -> " SANDTABLE_FOUND),
        "(index of the best candidate, [(orders, visits, value)], value, nodes, iterations); 0 is no limit.");
  m.def("guided", &guided, "state"_a, "player"_a, "evaluator"_a, nb::kw_only(), "iterations"_a, "seconds"_a, "seed"_a,
        "candidates"_a, "c"_a, "trust"_a, "root_prior"_a, "stall"_a, "max_nodes"_a,
        nb::sig("def guided(state: State, player: int, evaluator: Evaluator, *, iterations: int, seconds: float, seed: int, "
                "candidates: int, c: float, trust: float, root_prior: bool, stall: bool, max_nodes: int) -> " SANDTABLE_FOUND),
        "As mcts(), guided by a network.");
  m.def("coevolution", &coevolution, "state"_a, "player"_a, nb::kw_only(), "generations"_a, "seconds"_a, "seed"_a,
        "population"_a, "elites"_a, "mutation"_a, "gene_mutation"_a, "sampled"_a, "evaluator"_a.none(),
        nb::sig("def coevolution(state: State, player: int, *, generations: int, seconds: float, seed: int, "
                "population: int, elites: int, mutation: float, gene_mutation: float, sampled: int, evaluator: Evaluator | "
                "None) -> " SANDTABLE_FOUND),
        "As mcts(); the candidates are the player's population, best first, and `iterations` are generations. Moves are\n"
        "judged by the shares of armies and income if there is no evaluator; of `sampled` ones it chooses the first, if not 0.");
}

}  // namespace sandtable
