// The searches on Conquest, for Python. The players on top of them are in sandtable.players.
#include "bindings/conquest_objects.h"
#include "bindings/settings.h"

namespace sandtable {
namespace {

using namespace search;
using State = PyConquestState;

SearchResult for_python(const Result<Orders>& found) {
  return result_of(found, [](const Orders& orders) { return order_list(orders).release().ptr(); });
}

SearchResult run_mcts(const State& self, int player, const TurnMctsSettings& settings, double seconds, std::uint64_t seed,
                      GivenMovesOfBoth moves) {
  return for_python(search_turn(self, player, seconds, seed, moves, [&](const Turn& turn) { return mcts(turn, settings); }));
}

SearchResult run_guided(const State& self, int player, TurnWeights& evaluator, const GuidedMctsSettings& settings, double seconds,
                        std::uint64_t seed, GivenMovesOfBoth moves) {
  return for_python(search_turn(self, player, seconds, seed, moves,
                                [&](const Turn& turn) { return guided_mcts(turn, settings, evaluator); }));
}

// Returns the result of the search and the other player's population.
template <class Settings>
std::tuple<SearchResult, nb::typed<nb::list, OrderList>> run_coevolution(const State& self, int player, const Settings& settings,
                                                                         double seconds, std::uint64_t seed, TurnWeights* evaluator,
                                                                         bool weigh, GivenMovesOfBoth moves) {
  const auto evolved = search_turn(self, player, seconds, seed, moves,
                                   [&](const Turn& turn) { return coevolution(turn, settings, evaluator, weigh); });
  return {for_python(evolved.found), order_lists(evolved.others)};
}

// Returns the result of the search and the strategies of both players.
template <class Settings>
std::tuple<SearchResult, std::vector<double>, std::vector<double>> run_simultaneous(const State& self, int player,
                                                                                    const Settings& settings, double seconds,
                                                                                    std::uint64_t seed, TurnWeights* evaluator,
                                                                                    GivenMovesOfBoth moves) {
  const auto [found, strategies] = search_turn(self, player, seconds, seed, moves,
                                               [&](const Turn& turn) { return simultaneous(turn, settings, evaluator); });
  return {for_python(found), strategies[0], strategies[1]};
}

template <class Settings>
void bind_coevolution(nb::module_& m, const char* name, const char* about) {
  m.def(name, &run_coevolution<Settings>, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "evaluator"_a = nb::none(), "weigh"_a = false, "moves"_a = nb::none(), about);
}

template <class Settings>
void bind_simultaneous(nb::module_& m, const char* name, const char* about) {
  m.def(name, &run_simultaneous<Settings>, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "evaluator"_a = nb::none(), "moves"_a = nb::none(), about);
}

}  // namespace

void bind_conquest_search(nb::module_& m) {
  bind_settings<TurnMctsSettings>(m, "MctsSettings", "Settings of mcts().");
  m.def("mcts", &run_mcts, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "moves"_a = nb::none(),
        "soares2025's vanilla search; 0 seconds means no limit. `moves` of both players, best first, are the candidates of\n"
        "this turn; if they are too few, the rest are sampled.");
  bind_settings<GuidedMctsSettings>(m, "GuidedSettings", "Settings of guided().");
  m.def("guided", &run_guided, "state"_a, "player"_a, "evaluator"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "moves"_a = nb::none(), "As mcts(), guided by a network.");
  bind_settings<CoevolutionSettings>(m, "CoevolutionSettings", "Settings of coevolution().");
  bind_coevolution<CoevolutionSettings>(
      m, "coevolution",
      "Returns the search result and the other player's population. The candidates are the player's population, best first,\n"
      "and `simulations` counts generations. Without an evaluator, positions are evaluated by the shares of armies and income.\n"
      "With `weigh`, the evaluator also chooses the first populations. `moves` of both players come first in these.");
  bind_settings<CmaSettings>(m, "CmaesSettings", "Settings of cmaes().");
  bind_coevolution<CmaSettings>(m, "cmaes", "As coevolution(), with sep-CMA-ES over the genes instead of genetic operators.");
  bind_simultaneous<DuctSettings>(
      m, "duct",
      "Decoupled UCT. Returns the search result and the strategies of both players over their candidates, which may be given\n"
      "as `moves`. Without an evaluator, positions are evaluated by playouts.");
  bind_simultaneous<RegretSettings>(m, "regret", "As duct(), by regret matching.");
}

}  // namespace sandtable
