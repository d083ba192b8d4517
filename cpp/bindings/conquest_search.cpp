// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include <stdexcept>

#include "bindings/conquest_objects.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "conquest/game.h"
#include "search/coevolution/coevolution.h"
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
                  int candidates, int rollout_levels, double c, std::uint32_t max_nodes) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(candidates >= 1 && candidates <= 10000, "candidates must be within 1..10000");
  require(rollout_levels >= 2, "rollout_levels must be at least 2");
  require(max_nodes > static_cast<std::uint32_t>(candidates), "max_nodes must be more than the candidates");
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::TurnMcts<GameOf<State>> search({candidates, rollout_levels, c, max_nodes});
        Rng rng(seed, stream_number("mcts"), player);
        return search.search(state, player, search::Budget(iterations, seconds, ctrl_c), rng);
      },
      kToPython);
}

SearchResult coevolution(const PyConquestState& self, int player, std::uint64_t generations, double seconds,
                         std::uint64_t seed, int population, int elites, double mutation, double gene_mutation,
                         const std::string& evaluator) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(population >= 2 && population <= 1000, "population must be within 2..1000");
  require(elites >= 0 && elites <= population, "elites must be within 0..population");
  require(evaluator == "share", "the only evaluator is share");
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Coevolution<GameOf<State>> search({population, elites, mutation, gene_mutation}, [](auto states, auto values) {
          for (std::size_t i = 0; i < states.size(); ++i) values[i] = share_value(states[i], 0);
        });
        Rng rng(seed, stream_number("coevolution"), player);
        return search.search(state, player, search::Budget(generations, seconds, ctrl_c), rng);
      },
      kToPython);
}

}  // namespace

#define SANDTABLE_FOUND "tuple[int, list[tuple[list[sandtable.conquest.types.Order], int, float]], float, int, int]"

void bind_conquest_search(nb::module_& m) {
  m.def("mcts", &mcts, "state"_a, "player"_a, nb::kw_only(), "iterations"_a, "seconds"_a, "seed"_a, "candidates"_a,
        "rollout_levels"_a, "c"_a, "max_nodes"_a,
        nb::sig("def mcts(state: State, player: int, *, iterations: int, seconds: float, seed: int, candidates: int, "
                "rollout_levels: int, c: float, max_nodes: int) -> " SANDTABLE_FOUND),
        "(index of the best candidate, [(orders, visits, value)], value, nodes, iterations); 0 is no limit.");
  m.def("coevolution", &coevolution, "state"_a, "player"_a, nb::kw_only(), "generations"_a, "seconds"_a, "seed"_a,
        "population"_a, "elites"_a, "mutation"_a, "gene_mutation"_a, "evaluator"_a,
        nb::sig("def coevolution(state: State, player: int, *, generations: int, seconds: float, seed: int, "
                "population: int, elites: int, mutation: float, gene_mutation: float, evaluator: str) -> " SANDTABLE_FOUND),
        "As mcts(); the candidates are the player's population, best first, and `iterations` are generations.");
}

}  // namespace sandtable
