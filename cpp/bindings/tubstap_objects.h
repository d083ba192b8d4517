// The common part of the bindings of TUBSTAP: the state as Python holds it, moves as its named tuples, and lists of states.
#pragma once

#include "bindings/states.h"
#include "tubstap/any_state.h"
#include "tubstap/legality.h"

namespace sandtable {

using PyTubstapState = PyState<tubstap::AnyState>;
using TubstapStates = SequenceOf<PyTubstapState>;
using TubstapMoveObject = Annotated<"sandtable.tubstap.types.Move">;

// Makes moves for Python, as new references.
template <class Size>
auto move_maker(const tubstap::Board<Size>& board) {
  static PyObject* const type = kept("sandtable.tubstap.types", "Move");
  return [&board, type = type, integers = small_integers()](const tubstap::Operation& op) {
    return named_tuple(type, Py_NewRef(integers[op.unit]), Py_NewRef(integers[board.x(op.cell) + 1]),
                       Py_NewRef(integers[board.y(op.cell) + 1]), op.attacks() ? Py_NewRef(integers[op.target]) : none());
  };
}

inline TubstapMoveObject move_object(const PyTubstapState& self, const tubstap::Operation& op) {
  return self.state.visit([&](const auto& state) { return nb::steal(move_maker(state.board())(op)); });
}

// The operation that a move from Python names, whether legal or not.
inline tubstap::NamedOperation read_operation(nb::handle move) {
  constexpr const char* kForm = "a move is (unit, x, y, target)";
  const Items items(move, kForm);
  if (items.size() != 4) throw nb::value_error(kForm);
  const auto unit = integer(items[0], "a move's unit"), x = integer(items[1], "a move's x");
  const auto y = integer(items[2], "a move's y");
  const auto target = items[3] == Py_None ? tubstap::Operation::kNoTarget : integer(items[3], "a move's target");
  return {unit, x, y, target};
}

// Copies the states, since another thread may play on while this one computes.
inline std::vector<tubstap::AnyState> read_states(nb::handle sequence) {
  std::vector<tubstap::AnyState> states;
  for (PyObject* item : Items(sequence, "states must be a sequence"))
    states.push_back(read_state<PyTubstapState>(item, "states must be states of TUBSTAP").state);
  return states;
}

}  // namespace sandtable
