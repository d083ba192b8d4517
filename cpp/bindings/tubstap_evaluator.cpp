// Encoders and evaluators of TUBSTAP, for Python. The public face is sandtable.nets.
#include "bindings/tubstap_evaluator.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/games.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

template <class Encoder>
nb::object encode(const Encoder& one, nb::handle sequence) {
  const tubstap::ValueEncoder encoder(one);
  const auto states = read_states(sequence);
  for (const auto& any : states) any.visit([&](const auto& state) { encoder.check(state.board()); });
  const auto batch = std::make_shared<tubstap::ValueEncoder::Batch>();
  evaluation::encode(encoder, states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); }, *batch);
  std::vector<std::size_t> shape{states.size()};
  for (const int length : one.shape()) shape.push_back(static_cast<std::size_t>(length));
  return view(batch->values.data(), std::span<const std::size_t>(shape), keep(batch));
}

int within(const char* name, int value, int low, int high) {
  if (value < low || value > high)
    throw std::invalid_argument(std::string(name) + " must be within " + std::to_string(low) + ".." + std::to_string(high));
  return value;
}

tubstap::UnitImageEncoder::Planes planes_of(const std::string& word) {
  using Planes = tubstap::UnitImageEncoder::Planes;
  if (word == "first") return Planes::kFirst;
  if (word == "text") return Planes::kText;
  throw std::invalid_argument("planes must be first or text");
}

template <class Encoder>
nb::class_<Encoder> bind_encoder(nb::module_& m, const char* name, const char* what) {
  return nb::class_<Encoder>(m, name, what)
      .def("encode", &encode<Encoder>, "states"_a,
           nb::sig("def encode(self, states: " SANDTABLE_STATES ") -> " SANDTABLE_FLOATS),
           "float32[states, ...].");
}

// The encoder in a Python object, of whichever kind it is.
template <class... Encoders>
bool take(nb::handle object, std::variant<Encoders...>& into) {
  return ((nb::isinstance<Encoders>(object) && (into = nb::cast<Encoders>(object), true)) || ...);
}

nb::object evaluate(PyTubstapEvaluator& self, nb::handle sequence) {
  const auto states = read_states(sequence);
  for (const auto& any : states) any.visit([&](const auto& state) { self.check(state.board()); });
  std::vector<float> values(states.size());
  {
    const nb::gil_scoped_release release;
    self.evaluate(
        states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); },
        [&](std::size_t i, float value) { values[i] = value; });
  }
  return owned(std::move(values), {states.size()});
}

}  // namespace

template <>
struct PythonArrays<tubstap::ValueEncoder> {
  static constexpr const char* kAnswer = "an evaluator must return an array of float32, a value for each state";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(tubstap::ValueEncoder::Batch& batch, nb::handle owner) {
    return nb::make_tuple(view(batch.values, {batch.states, batch.floats}, owner));
  }
};

void bind_tubstap_evaluator(nb::module_& m) {
  using namespace tubstap;
  bind_encoder<AttackGraphEncoder>(m, "AttackGraphEncoder",
                                   "li2022's graph of who can attack whom, [6, N, N]: adjacency, HP, type, mobility, ready, "
                                   "distance.")
      .def(
          "__init__",
          [](AttackGraphEncoder* self, int side_rows, int first_type, bool scaled) {
            new (self) AttackGraphEncoder{within("side_rows", side_rows, 1, kMaxUnitsPerSide), first_type, scaled};
          },
          nb::kw_only(), "side_rows"_a = 3, "first_type"_a = 1, "scaled"_a = true);
  bind_encoder<UnitImageEncoder>(m, "UnitImageEncoder",
                                 "li2022's image of the board, [5, height, width]: HP, type, side, mobility, ready; with "
                                 "planes=\"text\": position, HP, attack, side, type.")
      .def(
          "__init__",
          [](UnitImageEncoder* self, int width, int height, const std::string& planes, bool scaled) {
            new (self) UnitImageEncoder{within("width", width, 1, kMaxSide), within("height", height, 1, kMaxSide),
                                        planes_of(planes), scaled};
          },
          nb::kw_only(), "width"_a = 8, "height"_a = 8, "planes"_a = "first", "scaled"_a = true);
  bind_encoder<DamageGraphEncoder>(m, "DamageGraphEncoder",
                                   "takahashi's graph of what units can do to each other, flat: nodes [N, 13], edges [N, N, 4].")
      .def(
          "__init__",
          [](DamageGraphEncoder* self, int rows) {
            new (self) DamageGraphEncoder{within("rows", rows, 1, 2 * kMaxUnitsPerSide)};
          },
          nb::kw_only(), "rows"_a = 8);
  bind_encoder<TerrainImageEncoder>(m, "TerrainImageEncoder",
                                    "takahashi's image of the board, [20, height, width]: units, terrain, can act.")
      .def(
          "__init__",
          [](TerrainImageEncoder* self, int width, int height) {
            new (self) TerrainImageEncoder{within("width", width, 1, kMaxSide), within("height", height, 1, kMaxSide)};
          },
          nb::kw_only(), "width"_a = 8, "height"_a = 8);
  bind_encoder<CombinedEncoder>(m, "CombinedEncoder",
                                "Both of takahashi's, flat: the graph, the image, and the cell of each of the graph's rows.")
      .def(
          "__init__",
          [](CombinedEncoder* self, int rows, int width, int height) {
            new (self) CombinedEncoder{{within("rows", rows, 1, 2 * kMaxUnitsPerSide)},
                                       {within("width", width, 1, kMaxSide), within("height", height, 1, kMaxSide)}};
          },
          nb::kw_only(), "rows"_a = 8, "width"_a = 8, "height"_a = 8);
  auto evaluator =
      nb::class_<PyTubstapEvaluator>(m, "Evaluator", "An encoder and a function from encoded states to values, with a cache.")
          .def(
              "__init__",
              [](PyTubstapEvaluator* self, nb::handle encoder, nb::callable forward, std::size_t batch, std::size_t cache) {
                check_sizes(batch, cache, 1 << 28);
                ValueEncoder::Any chosen;
                if (!take(encoder, chosen)) throw nb::type_error("an evaluator needs an encoder");
                new (self) PyTubstapEvaluator(ValueEncoder(chosen), python_network<ValueEncoder>(std::move(forward)), batch, cache);
              },
              "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
              nb::sig("def __init__(self, encoder: AttackGraphEncoder | UnitImageEncoder | DamageGraphEncoder | "
                      "TerrainImageEncoder | CombinedEncoder, forward: collections.abc.Callable[[" SANDTABLE_FLOATS "], " SANDTABLE_FLOATS
                      "], *, batch: int, cache: int) -> None"),
              "`forward` maps float32[n, values of a state] to the values float32[n].")
          .def("evaluate", &evaluate, "states"_a,
               nb::sig("def evaluate(self, states: " SANDTABLE_STATES ") -> " SANDTABLE_FLOATS),
               "float32[n]: the value of each state for its side to move.");
  bind_counters(evaluator);
}

}  // namespace sandtable
