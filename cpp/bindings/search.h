// What the bindings of all searches share: running without the interpreter's lock, Ctrl-C, and the result.
#pragma once

#include "bindings/states.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable {

// What a search found, as Python sees it.
struct SearchResult {
  std::size_t best = 0;  // place of the move to play among the candidates
  nb::typed<nb::list, Annotated<"sandtable.analysis.Candidate">> candidates{nb::list()};
  double value = 0;
  std::uint64_t nodes = 0;
  std::uint64_t simulations = 0;
};

inline bool ctrl_c() {
  const nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

// What search() returns; Python's error if Ctrl-C ended it.
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

// Runs search(state) on a copy of the state without the lock.
template <class PyState, class Search>
auto run_search(const PyState& self, Search&& search) {
  check_unfinished(self);
  return unless_interrupted([&] { return unlocked(self, search); });
}

// The result for Python; variation(candidate) is the list of the moves of its principal variation, its own first.
template <class Move, class Variation>
SearchResult search_result(const search::Result<Move>& found, Variation&& variation) {
  static PyObject* const type = kept("sandtable.analysis", "Candidate");
  SearchResult out{found.best, nb::list(), found.value, found.nodes, found.simulations};
  for (const auto& one : found.candidates) {
    nb::list moves = variation(one);
    nb::object move = moves[0];
    out.candidates.append(nb::steal(named_tuple(type, move.release().ptr(), PyLong_FromUnsignedLongLong(one.visits),
                                                PyFloat_FromDouble(one.value),
                                                one.prior ? PyFloat_FromDouble(*one.prior) : none(), moves.release().ptr())));
  }
  return out;
}

// The same for moves that object(move) makes new Python objects of.
template <class Move, class Object>
SearchResult result_of(const search::Result<Move>& found, Object&& object) {
  return search_result(found, [&](const auto& one) {
    return new_list(std::max<std::size_t>(one.pv.size(), 1), [&](std::size_t i) { return object(i == 0 ? one.move : one.pv[i]); });
  });
}

}  // namespace sandtable
