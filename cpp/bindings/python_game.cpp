// The searches on games written in Python. They take the settings that the searches of the other games take.
#include "bindings/python_game.h"

#include <span>
#include <tuple>

#include "bindings/games.h"
#include "bindings/search.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/uct/uct.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using Found = search::Result<PythonMove>;
using NamedFound = search::Result<nb::object>;

// Moves by their names instead of their places, which are those of the state that each is played in.
NamedFound named(const PythonState& root, const Found& found) {
  NamedFound out;
  out.best = found.best, out.value = found.value, out.nodes = found.nodes, out.simulations = found.simulations;
  for (const auto& one : found.candidates) {
    auto& made = out.candidates.emplace_back();
    made.move = PythonGame::named(root, one.move);
    made.visits = one.visits, made.value = one.value, made.prior = one.prior;
    PythonState state = root;
    for (const PythonMove& move : one.pv) {
      made.pv.push_back(PythonGame::named(state, move));
      PythonGame::play(state, move);
    }
  }
  return out;
}

PythonState checked(const nb::handle& own) {
  PythonState state(nb::object(own.attr("copy")()));
  if (state.over()) throw nb::value_error("the game is over");
  return state;
}

SearchResult to_python(const PythonState& root, const NamedFound& found) {
  return search_result(root, found, [](const PythonState&, const nb::object& move) { return move; });
}

void check_playouts(const tubstap::PlayoutKind& playout) {
  require(playout.policy == tubstap::Policy::kUniform, "policy must be uniform: a game written in Python has no other playouts");
}

SearchResult uct(nb::handle own, const search::UctSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  const PythonState root = checked(own);
  Rng rng(seed, stream_number("uct"));
  search::Uct<PythonGame> search(settings);
  return to_python(root, named(root, search.search(root, search::Budget(settings.simulations, seconds, ctrl_c), rng)));
}

SearchResult pmc(nb::handle own, const search::PmcSettings<tubstap::PlayoutKind>& settings, double seconds, std::uint64_t seed) {
  check_playouts(settings.playout);
  const PythonState root = checked(own);
  Rng rng(seed, stream_number("pmc"));
  return to_python(root, named(root, search::pmc<PythonGame>(root, settings, search::Budget(0, seconds, ctrl_c), rng)));
}

SearchResult minimax(nb::handle own, const search::MinimaxSettings& settings, std::uint64_t seed) {
  const PythonState root = checked(own);
  Rng rng(seed, stream_number("minimax"));
  search::Minimax<PythonGame> search(settings, [](std::span<const PythonState> states, int side, std::span<double> values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].estimate(side);
  });
  try {
    return to_python(root, named(root, search.search(root, rng, ctrl_c)));
  } catch (const search::Interrupted&) {
    throw nb::python_error();  // Ctrl-C
  }
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
  const Found found = search.search(root, player, search::Budget(settings.simulations, seconds, ctrl_c), rng);
  NamedFound out;
  out.best = found.best, out.value = found.value, out.nodes = found.nodes, out.simulations = found.simulations;
  for (const auto& one : found.candidates) {
    auto& made = out.candidates.emplace_back();
    made.move = root.candidates(player)[one.move.place];
    made.visits = one.visits, made.value = one.value;
  }
  return {to_python(root, out), search.strategy(0), search.strategy(1)};
}

}  // namespace

void bind_python_game(nb::module_& m) {
  m.def("uct", &uct, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.uct().");
  m.def("pmc", &pmc, "own"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a, "As tubstap.pmc().");
  m.def("minimax", &minimax, "own"_a, "settings"_a, nb::kw_only(), "seed"_a,
        "As tubstap.minimax(); unfinished games are judged by their estimate(side), or as even.");
  m.def("duct", &simultaneous<search::DecoupledUct>, "own"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0,
        "seed"_a, "As conquest.duct().");
  m.def("regret", &simultaneous<search::RegretMatching>, "own"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0,
        "seed"_a, "As conquest.regret().");
}

}  // namespace sandtable
