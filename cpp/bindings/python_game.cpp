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

using search::Run;

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
  return search_result(unless_interrupted([&] { return search(root); }), [&](const auto& one) {
    nb::list moves;
    moves.append(PythonGame::named(root, one.move));
    PythonState state = root;
    for (std::size_t i = 1; i < one.pv.size(); ++i) {
      PythonGame::play(state, one.pv[i - 1]);
      moves.append(PythonGame::named(state, one.pv[i]));
    }
    return moves;
  });
}

void check_playouts(const tubstap::PlayoutKind& playout) {
  require(playout.policy == tubstap::Policy::kUniform, "policy must be uniform: a game written in Python has no other playouts");
}

SearchResult uct(nb::handle own, const search::UctSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  return run_sequential(own, [&](const PythonState& root) {
    return search::uct<PythonGame>(root, settings, Run{seconds, seed, ctrl_c});
  });
}

SearchResult pmc(nb::handle own, const search::PmcSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  return run_sequential(own, [&](const PythonState& root) {
    return search::pmc<PythonGame>(root, settings, Run{seconds, seed, ctrl_c});
  });
}

SearchResult minimax(nb::handle own, const search::MinimaxSettings& settings, std::uint64_t seed) {
  return run_sequential(own, [&](const PythonState& root) {
    const auto estimate = [](std::span<const PythonState> states, int side, std::span<double> values) {
      for (std::size_t i = 0; i < states.size(); ++i) values[i] = PythonGame::estimate(states[i], side);
    };
    return search::minimax<PythonGame>(root, settings, Run{0, seed, ctrl_c}, estimate);
  });
}

template <class Rule>
std::tuple<SearchResult, std::vector<double>, std::vector<double>> simultaneous(
    nb::handle own, int player, const search::SimultaneousSettings<typename Rule::Settings>& settings, double seconds,
    std::uint64_t seed) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  require(settings.sampled == 0, "sampled moves need a network, which a game written in Python has not");
  const PythonState root = checked(own);
  const auto [found, strategies] = unless_interrupted(
      [&] { return search::simultaneous<PythonGame, Rule>(root, player, settings, Run{seconds, seed, ctrl_c}); });
  const auto named = [&](const PythonMove& move) { return PythonGame::named(root, player, move).release().ptr(); };
  return {result_of(found, named), strategies[0], strategies[1]};
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
