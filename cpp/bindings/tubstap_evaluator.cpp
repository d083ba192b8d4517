// Encoders and evaluators of TUBSTAP, for Python. The public face is sandtable.nets.
#include "bindings/tubstap_evaluator.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/games.h"
#include "bindings/tubstap_objects.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using States = std::vector<const PyTubstapState*>;
using FloatArray = nb::ndarray<nb::numpy, float>;

States states_of(nb::handle sequence) {
  const Items items(sequence, "states must be a sequence");
  States states;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const PyTubstapState* state = nullptr;
    if (!nb::try_cast(nb::handle(items[i]), state) || !state) throw nb::value_error("states must be states of TUBSTAP");
    states.push_back(state);
  }
  return states;
}

template <class Encoder>
void check_all(const Encoder& encoder, const States& states) {
  for (const auto* one : states) one->state.visit([&](const auto& state) { encoder.check(state.board()); });
}

FloatArray owned(std::vector<float>&& values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<float>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
  return FloatArray(kept->data(), shape.size(), shape.data(), owner);
}

// [states, matrices or planes, rows, columns]
template <class Encoder>
FloatArray encode(const Encoder& encoder, nb::handle sequence, int matrices, int rows, int columns) {
  const States states = states_of(sequence);
  check_all(encoder, states);
  std::vector<float> out(states.size() * encoder.size());
  for (std::size_t i = 0; i < states.size(); ++i)
    states[i]->state.visit([&](const auto& state) { encoder.encode(state, out.data() + i * encoder.size()); });
  return owned(std::move(out), {states.size(), static_cast<std::size_t>(matrices), static_cast<std::size_t>(rows),
                                static_cast<std::size_t>(columns)});
}

FloatArray evaluate(PyTubstapEvaluator& self, nb::handle sequence) {
  const States states = states_of(sequence);
  check_all(self, states);
  std::vector<tubstap::AnyState> copies;  // another thread may play on while this one computes
  for (const auto* one : states) copies.push_back(one->state);
  std::vector<float> values(states.size());
  {
    const nb::gil_scoped_release release;
    self.judge(
        states.size(), [&](std::size_t i, auto&& f) { copies[i].visit(f); },
        [&](std::size_t i, float value) { values[i] = value; });
  }
  return owned(std::move(values), {states.size()});
}

}  // namespace

void bind_tubstap_evaluator(nb::module_& m) {
  using tubstap::AttackGraphEncoder;
  using tubstap::UnitImageEncoder;
  nb::class_<AttackGraphEncoder>(m, "AttackGraphEncoder", "li2022's graph of who can attack whom: matrices [6, N, N].")
      .def(
          "__init__",
          [](AttackGraphEncoder* self, int side_rows, int first_type, bool scaled) {
            if (side_rows < 1 || side_rows > tubstap::kMaxUnitsPerSide) throw std::invalid_argument("side_rows must be within 1..32");
            new (self) AttackGraphEncoder{side_rows, first_type, scaled};
          },
          nb::kw_only(), "side_rows"_a = 3, "first_type"_a = 1, "scaled"_a = true)
      .def(
          "encode",
          [](const AttackGraphEncoder& self, nb::handle states) {
            return encode(self, states, AttackGraphEncoder::kMatrices, self.rows(), self.rows());
          },
          "states"_a,
          nb::sig("def encode(self, states: collections.abc.Sequence[State]) -> numpy.typing.NDArray[numpy.float32]"),
          "float32[B, 6, N, N]: adjacency, HP, type, mobility, ready, distance.");
  nb::class_<UnitImageEncoder>(m, "UnitImageEncoder", "li2022's image of the board: planes [5, height, width].")
      .def(
          "__init__",
          [](UnitImageEncoder* self, int width, int height) {
            if (width < 1 || width > tubstap::kMaxSide || height < 1 || height > tubstap::kMaxSide)
              throw std::invalid_argument("width and height must be within 1..32");
            new (self) UnitImageEncoder{width, height};
          },
          nb::kw_only(), "width"_a = 8, "height"_a = 8)
      .def(
          "encode",
          [](const UnitImageEncoder& self, nb::handle states) {
            return encode(self, states, UnitImageEncoder::kPlanes, self.height, self.width);
          },
          "states"_a,
          nb::sig("def encode(self, states: collections.abc.Sequence[State]) -> numpy.typing.NDArray[numpy.float32]"),
          "float32[B, 5, height, width]: HP, type, side, mobility, ready.");
  nb::class_<PyTubstapEvaluator>(m, "Evaluator", "An encoder and a function from encoded states to values, with a cache.")
      .def(
          "__init__",
          [](PyTubstapEvaluator* self, nb::handle encoder, nb::callable forward, std::size_t batch, std::size_t cache) {
            if (batch < 1 || batch > 1 << 20) throw std::invalid_argument("batch must be within 1..1048576");
            if (cache > 1 << 28) throw std::invalid_argument("cache must be within 0..268435456");
            TubstapEncoder chosen;
            if (nb::isinstance<AttackGraphEncoder>(encoder)) chosen = nb::cast<AttackGraphEncoder>(encoder);
            else if (nb::isinstance<UnitImageEncoder>(encoder)) chosen = nb::cast<UnitImageEncoder>(encoder);
            else throw nb::type_error("an evaluator needs an encoder");
            new (self) PyTubstapEvaluator(chosen, std::move(forward), batch, cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          nb::sig("def __init__(self, encoder: AttackGraphEncoder | UnitImageEncoder, forward: "
                  "collections.abc.Callable[[numpy.typing.NDArray[numpy.float32]], numpy.typing.NDArray[numpy.float32]], *, "
                  "batch: int, cache: int) -> None"),
          "`forward` maps float32[n, values of a state], valid during the call only, to the values float32[n].")
      .def("evaluate", &evaluate, "states"_a,
           nb::sig("def evaluate(self, states: collections.abc.Sequence[State]) -> numpy.typing.NDArray[numpy.float32]"),
           "float32[n]: the value of each state for its side to move.")
      .def_prop_ro(
          "evaluated", [](const PyTubstapEvaluator& self) { return self.evaluated.load(); }, "Positions that the network has judged.")
      .def_prop_ro(
          "hits", [](const PyTubstapEvaluator& self) { return self.hits.load(); }, "Positions that the cache knew.")
      .def_prop_ro(
          "forward_seconds", [](const PyTubstapEvaluator& self) { return self.forward_seconds.load(); }, "Time inside `forward`.");
}

}  // namespace sandtable
