// The searches on games written in Python. They take the same settings as the searches on the other games.
#include "bindings/python_game.h"

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
  PythonState state(PythonPosition(nb::object(own.attr("copy")())));
  require(!state.over(), "the game is over");
  return state;
}

// The result of search(root), with moves as the game's own objects instead of places. A place belongs to the state in
// which the move is played.
template <class Search>
SearchResult run_sequential(const nb::handle& own, Search&& search) {
  const PythonState root = checked(own);
  return search_result(unless_interrupted([&] { return search(root); }), [&](const auto& one) {
    nb::list moves;
    moves.append(root.moves()[one.move.place]);
    PythonState state = root;
    for (std::size_t i = 1; i < one.pv.size(); ++i) {
      PythonGame::play(state, one.pv[i - 1]);
      moves.append(state.moves()[one.pv[i].place]);
    }
    return moves;
  });
}

SearchResult uct(nb::handle own, const search::UctSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  return run_sequential(own, [&](const auto& root) { return search::uct<PythonGame>(root, settings, {seconds, seed, ctrl_c}); });
}

SearchResult pmc(nb::handle own, const search::PmcSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  return run_sequential(own, [&](const auto& root) { return search::pmc<PythonGame>(root, settings, {seconds, seed, ctrl_c}); });
}

SearchResult minimax(nb::handle own, const search::MinimaxSettings& settings, std::uint64_t seed) {
  return run_sequential(own, [&](const auto& root) {
    return search::minimax<PythonGame>(root, settings, {0, seed, ctrl_c}, &PythonGame::estimate);
  });
}

template <class Rule>
std::tuple<SearchResult, std::vector<double>, std::vector<double>> simultaneous(
    nb::handle own, int player, const search::SimultaneousSettings<typename Rule::Settings>& settings, double seconds,
    std::uint64_t seed) {
  require(player == 0 || player == 1, "player must be 0 or 1");
  const PythonState root = checked(own);
  const auto [found, strategies] = unless_interrupted(
      [&] { return search::simultaneous<PythonGame, Rule>(root, player, settings, {seconds, seed, ctrl_c}); });
  const auto named = [&](const search::Place& move) { return nb::object(root.moves(player)[move.place]).release().ptr(); };
  return {result_of(found, named), strategies[0], strategies[1]};
}

}  // namespace

void bind_python_game(nb::module_& m) {
  m.def("uct", &uct, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.uct().");
  m.def("pmc", &pmc, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.pmc().");
  m.def("minimax", &minimax, "own"_a, "settings"_a, nb::kw_only(), "seed"_a,
        "As tubstap.minimax(); unfinished games are evaluated by their estimate(side), or as even.");
  m.def("duct", &simultaneous<search::DecoupledUct>, "own"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "As conquest.duct().");
  m.def("regret", &simultaneous<search::RegretMatching>, "own"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0,
        "seed"_a, "As conquest.regret().");
}

}  // namespace sandtable
