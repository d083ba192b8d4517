// What the states of both games have in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

namespace sandtable {

// read(state) as a function of the state that Python holds, whatever its size.
template <class PyState, class Read>
auto of_state(Read read) {
  return [read](const PyState& self) { return self.state.visit(read); };
}

template <class PyState>
void bind_common(nanobind::class_<PyState>& bound, int nobody) {
  namespace nb = nanobind;
  using namespace nb::literals;
  bound.def_prop_ro("over", of_state<PyState>([](const auto& state) { return state.over(); }), "Whether the game has ended.")
      .def_prop_ro(
          "winner",
          of_state<PyState>([nobody](const auto& state) {
            return state.winner() == nobody ? std::nullopt : std::optional<int>(state.winner());
          }),
          "0, 1, or None in a draw and while the game goes on.")
      .def("copy", &PyState::copy, "An independent state of the same position.")
      .def("__copy__", &PyState::copy)
      .def(
          "__deepcopy__", [](const PyState& self, nb::handle) { return self.copy(); }, "memo"_a)
      .def("hash", of_state<PyState>([](const auto& state) { return state.hash(); }),
           "64 bits, equal for equal positions whatever led to them, on every machine.")
      .def("__sizeof__", of_state<PyState>([](const auto& state) { return sizeof(PyState) + sizeof(state); }));
}

}  // namespace sandtable
