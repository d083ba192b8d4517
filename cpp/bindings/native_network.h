// Networks of the core (cpp/nets), for Python. An evaluator takes one in place of a Python function, and then never
// calls Python.
#pragma once

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>

#include "bindings/network.h"
#include "nets/kernels.h"

namespace sandtable {

template <class Net>
void bind_native_network(nb::module_& m, const char* name, const char* about) {
  nb::class_<Net>(m, name, about)
      .def(
          "__init__",
          [](Net* self, const nb::bytes& weights, std::size_t hidden, std::size_t rounds, const std::optional<std::string>& instructions) {
            const nets::Kernels& kernels = nets::kernels_named(instructions ? instructions->c_str() : nullptr);
            new (self) Net({static_cast<const unsigned char*>(weights.data()), weights.size()}, hidden, rounds, kernels);
          },
          "weights"_a, nb::kw_only(), "hidden"_a, "rounds"_a, "instructions"_a = nb::none(),
          "`weights` has the bytes of a safetensors file; `instructions` is one of `instruction_sets()`, by default the first.");
}

// The forward function of an evaluator: a network of the core, or a Python function.
template <class Encoder, class Net, class Function>
typename evaluation::Evaluator<Encoder>::Forward network_of(const std::variant<std::shared_ptr<Net>, Function>& forward) {
  if (const auto* net = std::get_if<0>(&forward)) return forward_of(*net);
  return python_network<Encoder>(std::get<1>(forward));
}

}  // namespace sandtable
