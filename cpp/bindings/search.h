// The common part of the bindings of all searches: running without the interpreter's lock, Ctrl-C, and the result.
#pragma once

#include "bindings/states.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable {

using SearchResult = Annotated<"sandtable.analysis.SearchResult">;  // what a search found, as Python sees it

inline bool ctrl_c() {
  const nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

// Returns the result of search(); throws Python's error if Ctrl-C ended it.
template <class Search>
auto unless_interrupted(Search&& search) {
  try {
    auto found = search();
    if (PyErr_Occurred()) throw nb::python_error();
    return found;
  } catch (const search::Interrupted&) {
    throw nb::python_error();
  }
}

// Runs search(state) on a copy of the state without the interpreter's lock.
template <class PyState, class Search>
auto run_search(const PyState& self, Search&& search) {
  require(!self.state.visit([](const auto& state) { return state.over(); }), "the game is over");
  return unless_interrupted([&] { return unlocked(self, search); });
}

// The result for Python; variation(candidate) returns the list of moves of its principal variation, its own move first.
template <class Move, class Variation>
SearchResult search_result(const search::Result<Move>& found, Variation&& variation) {
  static PyObject *const type = kept("sandtable.analysis", "SearchResult"), *const item = kept("sandtable.analysis", "Candidate");
  const nb::list candidates = new_list(found.candidates.size(), [&](std::size_t i) {
    const auto& one = found.candidates[i];
    nb::list moves = variation(one);
    nb::object move = moves[0];
    return named_tuple(item, move.release().ptr(), PyLong_FromUnsignedLongLong(one.visits), PyFloat_FromDouble(one.value),
                       one.prior ? PyFloat_FromDouble(*one.prior) : none(), moves.release().ptr());
  });
  return nb::handle(type)(found.best, candidates, found.value, found.nodes, found.simulations);
}

// The same, where object(move) makes a new Python object of a move.
template <class Move, class Object>
SearchResult result_of(const search::Result<Move>& found, Object&& object) {
  return search_result(found, [&](const auto& one) {
    return new_list(std::max<std::size_t>(one.pv.size(), 1), [&](std::size_t i) { return object(i == 0 ? one.move : one.pv[i]); });
  });
}

}  // namespace sandtable
