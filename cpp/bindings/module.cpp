// sandtable._core: the private native module. Bindings only; the public face is the Python package.
#include "bindings/search.h"
#include "bindings/settings.h"
#include "core/rng.h"
#include "nets/kernels.h"
#include "search/conquest.h"
#include "search/tubstap.h"

using namespace sandtable;

NB_MODULE(_core, m) {
  // Objects that live until the interpreter ends, such as the globals of a notebook, are not leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of sandtable. Private: use the packages built on it.";

  nb::class_<Rng>(m, "Rng", "A stream of random numbers that is the same on every machine.")
      .def(
          "__init__",
          [](Rng* self, std::uint64_t seed, const std::string& stream) { new (self) Rng(seed, stream_number(stream)); },
          "seed"_a, "stream"_a)
      .def("below", &Rng::below, "n"_a, "A uniform integer in 0 .. n-1; n must be positive.")
      .def("uniform", &Rng::uniform, "A uniform real number in [0, 1).");

  // Sets an attribute of one of nanobind's types, which Python code may not change: see sandtable.signatures.
  m.def("set_type_attribute", [](nb::type_object type, const char* name, nb::object value) {
    auto* changed = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (PyDict_SetItemString(changed->tp_dict, name, value.ptr())) throw nb::python_error();
    PyType_Modified(changed);
  }, "type"_a, "name"_a, "value"_a);

  m.def("instruction_sets", [] {
    std::vector<std::string> names;
    for (const auto* set = nets::instruction_sets(); *set; ++set) names.emplace_back((*set)->name);
    return names;
  }, "The instruction sets that networks of the core can use on this processor, the best first.");

  // Settings that players of any game and recipes of training use.
  using namespace search;
  bind_settings<TubstapUct>(m, "UctSettings", "Settings of uct().");
  bind_settings<TubstapPmc>(m, "PmcSettings", "Settings of pmc().");
  bind_settings<MinimaxSettings>(m, "MinimaxSettings", "Settings of minimax().");
  bind_settings<PrunedMinimaxSettings>(m, "PrunedMinimaxSettings", "Settings of pruned_minimax().");
  bind_settings<DuctSettings>(m, "DuctSettings", "Settings of duct().");
  bind_settings<RegretSettings>(m, "RegretSettings", "Settings of regret().");
  bind_settings<SelfPlaySettings>(m, "SelfPlaySettings", "Settings of self-play in sequential games.");
  bind_settings<EquilibriumSettings>(m, "EquilibriumSettings", "Settings of the search that solves a simultaneous turn.");

  auto tubstap = m.def_submodule("tubstap", "TUBSTAP: states, encoders, evaluators and searches.");
  bind_tubstap(tubstap);
  auto conquest = m.def_submodule("conquest", "Conquest: states, encoders, evaluators and searches.");
  bind_conquest(conquest);
  auto python_game = m.def_submodule("python_game", "Searches on games written in Python.");
  bind_python_game(python_game);
}
