// The searches on games written in Python. They take the settings that the searches of the other games take.
#include "bindings/python_game.h"

#include <span>

#include "bindings/search.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/uct/uct.h"

namespace sandtable {
namespace {

PythonState checked(const nb::handle& own) {
  PythonState state(nb::object(own.attr("copy")()));
  check_unfinished(state.over());
  return state;
}

// The result of search(root), with moves by their names instead of their places, which are those of the state that each is
// played in.
template <class Search>
SearchResult run_sequential(const nb::handle& own, Search&& search) {
  const PythonState root = checked(own);
  try {
    return search_result(search(root), [&](const auto& one) {
      nb::list moves;
      moves.append(PythonGame::named(root, one.move));
      PythonState state = root;
      for (std::size_t i = 1; i < one.pv.size(); ++i) {
        PythonGame::play(state, one.pv[i - 1]);
        moves.append(PythonGame::named(state, one.pv[i]));
      }
      return moves;
    });
  } catch (const search::Interrupted&) {
    throw nb::python_error();  // Ctrl-C
  }
}

void check_playouts(const tubstap::PlayoutKind& playout) {
  require(playout.policy == tubstap::Policy::kUniform, "policy must be uniform: a game written in Python has no other playouts");
}

SearchResult uct(nb::handle own, const search::UctSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  return run_sequential(own, [&](const PythonState& root) {
    Rng rng(seed, stream_number("uct"));
    return search::Uct<PythonGame>(settings).search(root, budget_of(settings.simulations, seconds), rng);
  });
}

SearchResult pmc(nb::handle own, const search::PmcSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  return run_sequential(own, [&](const PythonState& root) {
    check_limited(settings.playouts, seconds);
    Rng rng(seed, stream_number("pmc"));
    return search::pmc<PythonGame>(root, settings, search::Budget(0, seconds, ctrl_c), rng);
  });
}

SearchResult minimax(nb::handle own, const search::MinimaxSettings& settings, std::uint64_t seed) {
  return run_sequential(own, [&](const PythonState& root) {
    Rng rng(seed, stream_number("minimax"));
    const auto estimate = [](std::span<const PythonState> states, int side, std::span<double> values) {
      for (std::size_t i = 0; i < states.size(); ++i) values[i] = PythonGame::estimate(states[i], side);
    };
    return search::Minimax<PythonGame>(settings, estimate).search(root, rng, ctrl_c);
  });
}

template <class Rule>
std::tuple<SearchResult, std::vector<double>, std::vector<double>> simultaneous(
    nb::handle own, int player, const search::SimultaneousSettings<typename Rule::Settings>& settings, double seconds,
    std::uint64_t seed) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(settings.sampled == 0, "sampled moves need a network, which a game written in Python has not");
  const PythonState root = checked(own);
  Rng rng(seed, stream_number("simultaneous"), player);
  search::Simultaneous<PythonGame, Rule> search(settings);
  const auto found = search.search(root, player, budget_of(settings.simulations, seconds), rng);
  const auto named = [&](const auto& one) {
    nb::list moves;
    moves.append(PythonGame::named(root, player, one.move));
    return moves;
  };
  return {search_result(found, named), search.strategy(0), search.strategy(1)};
}

}  // namespace

void bind_python_game(nb::module_& m) {
  m.def("uct", &uct, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.uct().");
  m.def("pmc", &pmc, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.pmc().");
  m.def("minimax", &minimax, "own"_a, "settings"_a, nb::kw_only(), "seed"_a,
        "As tubstap.minimax(); unfinished games are judged by their estimate(side), or as even.");
  const auto bind_simultaneous = [&]<class Rule>(const char* name, const char* about) {
    m.def(name, &simultaneous<Rule>, "own"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, about);
  };
  bind_simultaneous.operator()<search::DecoupledUct>("duct", "As conquest.duct().");
  bind_simultaneous.operator()<search::RegretMatching>("regret", "As conquest.regret().");
}

}  // namespace sandtable
