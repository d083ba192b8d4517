// The searches on TUBSTAP, for Python. The players on top of them are in sandtable.players.
#include <stdexcept>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/tubstap_evaluator.h"
#include "bindings/tubstap_objects.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/uct/uct.h"
#include "tubstap/game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace tubstap;

template <class State>
using GameOf = tubstap::Game<typename State::Size>;

const auto kToPython = [](const auto& state, const Operation& op) {
  return nb::steal(tubstap_move(state.board(), op));
};

SearchResult uct(const PyTubstapState& self, std::uint64_t simulations, double seconds, std::uint64_t seed, double c,
                 std::uint32_t expand_after, bool log_of_total, bool root_view, bool play_best_mean,
                 bool attacks_first, const std::string& policy, bool lead_wins_at_threshold, std::uint32_t max_nodes) {
  const PlayoutKind playout{playout_policy(policy), lead_wins_at_threshold};
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        const auto arrange = attacks_first ? &GameOf<State>::attacks_first : nullptr;
        search::Uct<GameOf<State>> search(
            {c, expand_after, log_of_total, root_view, play_best_mean, arrange, max_nodes, playout});
        Rng rng(seed, stream_number("uct"));
        return search.search(state, search::Budget(simulations, seconds, ctrl_c), rng);
      },
      kToPython);
}

SearchResult pmc(const PyTubstapState& self, std::uint64_t playouts, double seconds, std::uint64_t seed,
                 const std::string& policy) {
  const PlayoutKind playout{playout_policy(policy), false};
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        Rng rng(seed, stream_number("pmc"));
        return search::pmc<GameOf<State>>(state, playouts, playout, search::Budget(0, seconds, ctrl_c), rng);
      },
      kToPython);
}

SearchResult minimax(const PyTubstapState& self, int depth, std::uint32_t max_nodes, std::uint64_t seed,
                     PyTubstapEvaluator* evaluator) {
  if (depth < 1 || depth > 8) throw std::invalid_argument("depth must be within 1..8");
  if (evaluator) self.state.visit([&](const auto& state) { evaluator->check(state.board()); });
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Minimax<GameOf<State>> search(
            depth, max_nodes, [&](std::span<const State> states, int side, std::span<double> values) {
              if (evaluator) return evaluator->judge(states, side, values);
              for (std::size_t i = 0; i < states.size(); ++i) values[i] = hp_value(states[i], side);
            });
        Rng rng(seed, stream_number("minimax"));
        return search.search(state, rng, ctrl_c);
      },
      kToPython);
}

}  // namespace

#define SANDTABLE_FOUND "tuple[int, list[tuple[sandtable.tubstap.types.Move, int, float]], float, int, int]"

void bind_tubstap_search(nb::module_& m) {
  m.def("uct", &uct, "state"_a, nb::kw_only(), "simulations"_a, "seconds"_a, "seed"_a, "c"_a, "expand_after"_a,
        "log_of_total"_a, "root_view"_a, "play_best_mean"_a, "attacks_first"_a, "policy"_a, "lead_wins_at_threshold"_a,
        "max_nodes"_a,
        nb::sig("def uct(state: State, *, simulations: int, seconds: float, seed: int, c: float, expand_after: int, "
                "log_of_total: bool, root_view: bool, play_best_mean: bool, attacks_first: bool, policy: str, "
                "lead_wins_at_threshold: bool, max_nodes: int) -> " SANDTABLE_FOUND),
        "(index of the best candidate, [(move, visits, value)], value, nodes, simulations); 0 is no limit.");
  m.def("pmc", &pmc, "state"_a, nb::kw_only(), "playouts"_a, "seconds"_a, "seed"_a, "policy"_a,
        nb::sig("def pmc(state: State, *, playouts: int, seconds: float, seed: int, policy: str) -> " SANDTABLE_FOUND),
        "As uct(); `playouts` for each move, or as many as the seconds allow.");
  m.def("minimax", &minimax, "state"_a, nb::kw_only(), "depth"_a, "max_nodes"_a, "seed"_a,
        "evaluator"_a.none(),
        nb::sig("def minimax(state: State, *, depth: int, max_nodes: int, seed: int, evaluator: Evaluator | None) -> " SANDTABLE_FOUND),
        "As uct(); `simulations` are the leaves that were evaluated, by their HP if there is no evaluator.");
}

}  // namespace sandtable
