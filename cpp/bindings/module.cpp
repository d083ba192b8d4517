// sandtable._core: the private native module. Bindings only; the public face is the Python package.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/games.h"
#include "core/rng.h"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_core, m) {
  // Objects that live until the interpreter ends, such as the globals of a notebook, are not leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of sandtable. Private: use the packages built on it.";

  nb::class_<sandtable::Rng>(m, "Rng", "A stream of random numbers that is the same on every machine.")
      .def(
          "__init__",
          [](sandtable::Rng* self, std::uint64_t seed, const std::string& stream) {
            new (self) sandtable::Rng(seed, sandtable::stream_number(stream));
          },
          "seed"_a, "stream"_a)
      .def("below", &sandtable::Rng::below, "n"_a, "A uniform integer in 0 .. n-1; n must be positive.")
      .def("uniform", &sandtable::Rng::uniform, "A uniform real number in [0, 1).");

  auto tubstap = m.def_submodule("tubstap", "TUBSTAP: states and what is computed on them.");
  sandtable::bind_tubstap(tubstap);
  auto conquest = m.def_submodule("conquest", "Conquest: states and what is computed on them.");
  sandtable::bind_conquest(conquest);
}
