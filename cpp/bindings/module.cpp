// sandtable._core: the private native module. Bindings only; the public face is the Python package.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/settings.h"
#include "core/rng.h"
#include "search/equilibrium/equilibrium.h"
#include "search/puct/self_play.h"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_core, m) {
  // Objects that live until the interpreter ends, such as the globals of a notebook, are not leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of sandtable. Private: use the packages built on it.";

  nb::class_<sandtable::Rng>(m, "Rng", "A stream of random numbers that is the same on every machine.")
      .def(
          "__init__",
          [](sandtable::Rng* self, std::uint64_t seed, const std::string& stream) {
            new (self) sandtable::Rng(seed, sandtable::stream_number(stream));
          },
          "seed"_a, "stream"_a)
      .def("below", &sandtable::Rng::below, "n"_a, "A uniform integer in 0 .. n-1; n must be positive.")
      .def("uniform", &sandtable::Rng::uniform, "A uniform real number in [0, 1).");

  nb::class_<sandtable::SearchResult>(m, "SearchResult", "What a search found.")
      .def(
          "__init__",
          [](sandtable::SearchResult* self, std::size_t best, nb::list candidates, double value, std::uint64_t nodes,
             std::uint64_t simulations) {
            if (best >= candidates.size()) throw nb::value_error("best must be the place of a candidate");
            new (self) sandtable::SearchResult{best, std::move(candidates), value, nodes, simulations};
          },
          nb::kw_only(), "best"_a, "candidates"_a, "value"_a, "nodes"_a, "simulations"_a,
          nb::sig("def __init__(self, *, best: int, candidates: list[sandtable.analysis.Candidate], value: float, nodes: int, "
                  "simulations: int) -> None"))
      .def(
          "__eq__",
          [](const sandtable::SearchResult& self, const sandtable::SearchResult& other) {
            return self.best == other.best && self.candidates.equal(other.candidates) && self.value == other.value &&
                   self.nodes == other.nodes && self.simulations == other.simulations;
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def_ro("best", &sandtable::SearchResult::best, "Place of the move to play among the candidates.")
      .def_ro("candidates", &sandtable::SearchResult::candidates,
              nb::for_getter(nb::sig("def candidates(self, /) -> list[sandtable.analysis.Candidate]")), "The moves that were considered.")
      .def_ro("value", &sandtable::SearchResult::value, "Of the position for the player that searches, in [-1, 1].")
      .def_ro("nodes", &sandtable::SearchResult::nodes, "Positions or nodes of the tree.")
      .def_ro("simulations", &sandtable::SearchResult::simulations, "Simulations, iterations or generations that were made.");

  // Recipes of training hold these, whatever the game.
  using namespace sandtable::search;
  sandtable::bind_settings<SelfPlaySettings>(m, "SelfPlaySettings", "Settings of self-play where one side moves at a time.");
  sandtable::bind_settings<EquilibriumSettings>(m, "EquilibriumSettings", "Settings of the search that solves a simultaneous turn.");

  auto tubstap = m.def_submodule("tubstap", "TUBSTAP: states and what is computed on them.");
  sandtable::bind_tubstap(tubstap);
  auto conquest = m.def_submodule("conquest", "Conquest: states and what is computed on them.");
  sandtable::bind_conquest(conquest);
  auto python_game = m.def_submodule("python_game", "Searches on games written in Python.");
  sandtable::bind_python_game(python_game);
}
