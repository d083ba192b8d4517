// The searches on TUBSTAP, for Python. The players on top of them are in sandtable.players.
#include <stdexcept>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/settings.h"
#include "bindings/tubstap_evaluator.h"
#include "bindings/tubstap_objects.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/uct/uct.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace tubstap;

using UctSettings = search::UctSettings<PlayoutKind>;

SearchResult uct(const PyTubstapState& self, UctSettings settings, double seconds, std::uint64_t seed) {
  settings.playout.lead_wins_at_threshold = settings.opponent == search::Opponent::kOriginal;
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Uct<TubstapGame<State>> search(settings, &TubstapGame<State>::attacks_first);
        Rng rng(seed, stream_number("uct"));
        return search.search(state, search::Budget(settings.simulations, seconds, ctrl_c), rng);
      },
      kTubstapMove);
}

using PmcSettings = search::PmcSettings<PlayoutKind>;

SearchResult pmc(const PyTubstapState& self, const PmcSettings& settings, double seconds, std::uint64_t seed) {
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        Rng rng(seed, stream_number("pmc"));
        return search::pmc<TubstapGame<State>>(state, settings, search::Budget(0, seconds, ctrl_c), rng);
      },
      kTubstapMove);
}

SearchResult minimax(const PyTubstapState& self, const search::MinimaxSettings& settings, std::uint64_t seed,
                     PyTubstapEvaluator* evaluator) {
  if (evaluator) self.state.visit([&](const auto& state) { evaluator->check(state.board()); });
  return run_search(
      self.state,
      [&]<class State>(const State& state) {
        search::Minimax<TubstapGame<State>> search(settings, [&](std::span<const State> states, int side, std::span<double> values) {
          if (evaluator) return evaluator->judge(states, side, values);
          for (std::size_t i = 0; i < states.size(); ++i) values[i] = hp_value(states[i], side);
        });
        Rng rng(seed, stream_number("minimax"));
        return search.search(state, rng, ctrl_c);
      },
      kTubstapMove);
}

}  // namespace

void bind_tubstap_search(nb::module_& m) {
  bind_settings<UctSettings>(m, "UctSettings", "Settings of uct().");
  m.def("uct", &uct, "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "Monte-Carlo tree search over operations; 0 seconds are no limit.");
  bind_settings<PmcSettings>(m, "PmcSettings", "Settings of pmc().");
  m.def("pmc", &pmc, "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "Pure Monte Carlo: as many playouts after each move as the settings and the seconds allow.");
  bind_settings<search::MinimaxSettings>(m, "MinimaxSettings", "Settings of minimax().");
  m.def("minimax", &minimax, "state"_a, "settings"_a, nb::kw_only(), "seed"_a, "evaluator"_a = nb::none(),
        "Minimax over operations; `simulations` are the leaves that were evaluated, by their HP if there is no evaluator.");
}

}  // namespace sandtable
