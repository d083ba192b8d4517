// Networks of the core (cpp/nets), for Python: an evaluator is made of one as of a Python function, and never calls Python.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "bindings/network.h"
#include "nets/kernels.h"

namespace sandtable {

// The kernels of that name, or the best that this processor has.
inline const nets::Kernels& kernels_named(const std::optional<std::string>& name) {
  std::string known;
  for (const auto* set = nets::instruction_sets(); *set; ++set) {
    if (!name || *name == (*set)->name) return **set;
    known += (known.empty() ? "" : ", ") + std::string((*set)->name);
  }
  throw nb::value_error(("this processor has no instruction set '" + *name + "': " + known).c_str());
}

template <class Net>
void bind_native_network(nb::module_& m, const char* name, const char* about) {
  nb::class_<Net>(m, name, about)
      .def(
          "__init__",
          [](Net* self, const nb::bytes& weights, std::size_t hidden, std::size_t rounds, const std::optional<std::string>& instructions) {
            const nets::Kernels& kernels = kernels_named(instructions);
            new (self) Net({static_cast<const unsigned char*>(weights.data()), weights.size()}, hidden, rounds, kernels);
          },
          "weights"_a, nb::kw_only(), "hidden"_a, "rounds"_a, "instructions"_a = nb::none(),
          "`weights` is a safetensors file; `instructions` one of `instruction_sets()`, by default the first.");
}

// Makes the evaluator of an encoder and a network of the core.
template <class Encoder, class Net>
void make_native_evaluator(evaluation::Evaluator<Encoder>* self, Encoder encoder, std::shared_ptr<const Net> net,
                           std::size_t batch, std::size_t cache) {
  new (self) evaluation::Evaluator<Encoder>(std::move(encoder), forward_of(std::move(net)), batch, cache);
}

}  // namespace sandtable
