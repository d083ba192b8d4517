// States of both games as Python holds them.
#pragma once

#include <optional>

#include "bindings/python.h"

namespace sandtable {

template <class AnyState>
struct PyState {
  AnyState state;
  nb::object origin;  // the scenario or the land that it comes from

  PyState copy() const { return *this; }
};

// read(state) as a function of the state that Python holds, whatever its size.
template <class PyState, class Read>
auto of_state(Read read) {
  return [read](const PyState& self) { return self.state.visit(read); };
}

// f() without the interpreter's lock.
template <class F>
auto unlocked(F&& f) {
  const nb::gil_scoped_release release;
  return f();
}

// f(copy of the state) without the lock: another thread may play on while this one computes.
template <class AnyState, class F>
auto unlocked(const PyState<AnyState>& self, F&& f) {
  const AnyState copy = self.state;
  return unlocked([&] { return f(copy); });
}
// The same for a function of a state of known size.
template <class AnyState, class F>
auto computed(const PyState<AnyState>& self, F&& f) {
  return unlocked(self, [&](const AnyState& any) { return any.visit(f); });
}

template <class PyState>
const PyState& read_state(nb::handle item, const char* message) {
  const PyState* state = nullptr;
  if (!nb::try_cast(item, state) || !state) throw nb::value_error(message);
  return *state;
}

template <class PyState>
void bind_common(nb::class_<PyState>& bound, int nobody) {
  bound.def_prop_ro("over", of_state<PyState>([](const auto& state) { return state.over(); }), "Whether the game has ended.")
      .def_prop_ro(
          "winner",
          of_state<PyState>([nobody](const auto& state) {
            return state.winner() == nobody ? std::nullopt : std::optional<int>(state.winner());
          }),
          "0, 1, or None in a draw and while the game goes on.")
      .def_prop_ro("turn", of_state<PyState>([](const auto& state) { return state.turn(); }), "Turns played so far.")
      .def("copy", &PyState::copy, "An independent state of the same position.")
      .def("__copy__", &PyState::copy)
      .def("__deepcopy__", [](const PyState& self, nb::handle) { return self.copy(); }, "memo"_a)
      .def("hash", of_state<PyState>([](const auto& state) { return state.hash(); }),
           "A 64-bit hash, equal for equal positions, however they arose, on every machine.")
      .def("__repr__", of_state<PyState>([](const auto& state) { return "<State " + in_words(state) + ">"; }))
      .def("__sizeof__", of_state<PyState>([](const auto& state) { return sizeof(PyState) + sizeof(state); }));
}

}  // namespace sandtable
