// What the bindings of all searches share: running without the interpreter's lock, Ctrl-C, and the result.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/python_objects.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable {

// What a search found, as Python sees it.
struct SearchResult {
  std::size_t best = 0;  // place of the move to play among the candidates
  nanobind::list candidates;  // of sandtable.analysis.Candidate
  double value = 0;
  std::uint64_t nodes = 0;
  std::uint64_t simulations = 0;
};

// ValueError in Python, unless an argument is as it must be.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline bool ctrl_c() {
  const nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

template <class State, class Result, class ToPython>
SearchResult search_result(const State& state, const Result& found, ToPython&& to_python) {
  namespace nb = nanobind;
  if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C: the budget ended the search
  static PyObject* const type = kept(nb::module_::import_("sandtable.analysis"), "Candidate");
  SearchResult out{found.best, {}, found.value, found.nodes, found.simulations};
  for (const auto& one : found.candidates) {
    const nb::object move = to_python(state, one.move);
    nb::list pv;
    pv.append(move);
    for (std::size_t i = 1; i < one.pv.size(); ++i) pv.append(to_python(state, one.pv[i]));
    out.candidates.append(nb::steal(named_tuple(type, Py_NewRef(move.ptr()), PyLong_FromUnsignedLongLong(one.visits),
                                                PyFloat_FromDouble(one.value),
                                                one.prior ? PyFloat_FromDouble(*one.prior) : none(), pv.release().ptr())));
  }
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
      return search_result(state, found(), to_python);
    } catch (const search::Interrupted&) {
      throw nanobind::python_error();  // Ctrl-C
    }
  });
}

}  // namespace sandtable
