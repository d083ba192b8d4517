// What the bindings of all searches share: running without the interpreter's lock, Ctrl-C, and the result.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <vector>

#include "search/budget.h"
#include "search/game.h"

namespace sandtable {

// (index of the best candidate, [(move, visits, value)], value, nodes, simulations)
using SearchResult = std::tuple<std::size_t, std::vector<std::tuple<nanobind::object, std::uint64_t, double>>, double,
                                std::uint64_t, std::uint64_t>;

// ValueError in Python, unless a setting is as it must be.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline bool ctrl_c() {
  const nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

template <class State, class Result, class ToPython>
SearchResult to_tuple(const State& state, const Result& found, ToPython&& to_python) {
  if (PyErr_Occurred()) throw nanobind::python_error();  // Ctrl-C: the budget ended the search
  SearchResult out{found.best, {}, found.value, found.nodes, found.simulations};
  for (const auto& candidate : found.candidates)
    std::get<1>(out).emplace_back(to_python(state, candidate.move), candidate.visits, candidate.value);
  return out;
}

// Runs search(state) on a copy of the state without the lock, and makes Python objects of the moves it found.
template <class AnyState, class Search, class ToPython>
SearchResult run_search(const AnyState& any, Search&& search, ToPython&& to_python) {
  return any.visit([&](const auto& shared) -> SearchResult {
    if (shared.over()) throw nanobind::value_error("the game is over");
    const auto state = shared;  // Another thread may play on while this one computes.
    const auto found = [&] {
      const nanobind::gil_scoped_release release;
      return search(state);
    };
    try {
      return to_tuple(state, found(), to_python);
    } catch (const search::Interrupted&) {
      throw nanobind::python_error();  // Ctrl-C
    }
  });
}

}  // namespace sandtable
