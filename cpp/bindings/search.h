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

inline void check_limited(std::uint64_t count, double seconds) {
  require(count > 0 || seconds > 0, "a search needs a limit: a count, or seconds");
}

// So many steps (0: any number), so many seconds (0: no limit), or Ctrl-C, which alone is no limit.
inline search::Budget budget_of(std::uint64_t steps, double seconds) {
  check_limited(steps, seconds);
  return {steps, seconds, ctrl_c};
}

// variation(candidate) is the list of the moves of its principal variation, its own first.
template <class Result, class Variation>
SearchResult search_result(const Result& found, Variation&& variation) {
  if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C: the budget ended the search
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

// Runs search(state) on a copy of the state without the lock, and makes Python objects of the moves it found, each by the
// game's move_object(self, state, move).
template <class PyState, class Search>
SearchResult run_search(const PyState& self, Search&& search) {
  check_unfinished(self);
  const PyState copy = self;  // Another thread may play on while this one computes.
  return copy.state.visit([&](const auto& state) {
    const auto found = [&] {
      const nb::gil_scoped_release release;
      return search(state);
    };
    try {
      return search_result(found(), [&](const auto& one) {
        nb::list moves;
        moves.append(move_object(self, state, one.move));
        for (std::size_t i = 1; i < one.pv.size(); ++i) moves.append(move_object(self, state, one.pv[i]));
        return moves;
      });
    } catch (const search::Interrupted&) {
      throw nb::python_error();  // Ctrl-C
    }
  });
}

}  // namespace sandtable
