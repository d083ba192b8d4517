// TUBSTAP for Python. Lists of moves and units are built as the named tuples of sandtable.tubstap.types through
// the C API, and arrays through numpy's: both are asked for millions of times, and the generic conversions cost
// several times the move generation itself.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <stdexcept>
#include <tuple>

#include "bindings/games.h"
#include "bindings/states.h"
#include "bindings/tubstap_objects.h"
#include "tubstap/legality.h"
#include "tubstap/perft.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace tubstap;

template <class Size>
PyObject* hp_number(const State<Size>& state, double hp) {
  return state.board().rules().real_hp ? PyFloat_FromDouble(hp) : PyLong_FromLong(static_cast<long>(hp));
}

template <class Size>
PyObject* combat_object(const State<Size>& state, const Combat& combat) {
  return named_tuple(TubstapTypes::get().combat, hp_number(state, combat.dealt), hp_number(state, combat.taken));
}

// The operations of a state in a buffer that is used again and again.
template <class Size>
const std::vector<Operation>& listed(const State<Size>& state) {
  static thread_local std::vector<Operation> operations;
  operations.clear();
  for_each_operation(state, [&](const Operation& op) { operations.push_back(op); });
  return operations;
}

template <class Size>
Operation legal_operation(const State<Size>& state, nb::handle move) {
  constexpr const char* kForm = "a move is (unit, x, y, target)";
  const Items items(move, kForm);
  if (items.size() != 4) throw nb::value_error(kForm);
  const auto unit = integer(items[0], "a move's unit"), x = integer(items[1], "a move's x");
  const auto y = integer(items[2], "a move's y");
  const auto target = items[3] == Py_None ? Operation::kNoTarget : integer(items[3], "a move's target");
  Operation op;
  const std::string reason = illegal(state, unit, x, y, target, op);
  if (!reason.empty()) throw nb::value_error(("illegal move: " + reason).c_str());
  return op;
}

nb::object moves(const PyTubstapState& self) {
  return self.state.visit([](const auto& state) {
    const auto& operations = listed(state);
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(operations.size())));
    if (!list.is_valid()) throw nb::python_error();
    Py_ssize_t i = 0;
    for (const Operation& op : operations) PyList_SET_ITEM(list.ptr(), i++, tubstap_move(state.board(), op));
    return list;
  });
}

nb::object moves_array(const PyTubstapState& self) {
  return self.state.visit([](const auto& state) {
    const auto& operations = listed(state);
    const auto& board = state.board();
    npy_intp shape[2] = {static_cast<npy_intp>(operations.size()), 4};
    PyObject* array = PyArray_SimpleNew(2, shape, NPY_INT16);
    if (!array) throw nb::python_error();
    auto* out = static_cast<std::int16_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
    for (const Operation& op : operations) {
      *out++ = op.unit;
      *out++ = static_cast<std::int16_t>(board.x(op.cell) + 1);
      *out++ = static_cast<std::int16_t>(board.y(op.cell) + 1);
      *out++ = op.target;
    }
    return nb::steal(array);
  });
}

nb::object random_move(const PyTubstapState& self, std::uint64_t seed) {
  return self.state.visit([&](const auto& state) {
    if (state.over()) throw nb::value_error("the game is over");
    Rng rng(seed, stream_number("random move"));
    return with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
      Prospects<kAttacks, typename std::decay_t<decltype(state)>::Size> prospects;
      return nb::steal(tubstap_move(state.board(), random_operation<Policy::kUniform>(state, prospects, rng)));
    });
  });
}

nb::object units(const PyTubstapState& self) {
  return self.state.visit([](const auto& state) {
    const auto& board = state.board();
    nb::list list;
    for_each_unit(state.alive(), [&](int unit) {
      const int cell = state.cell(unit);
      list.append(nb::steal(named_tuple(
          TubstapTypes::get().unit, PyLong_FromLong(unit), Py_NewRef(TubstapTypes::get().kind[board.kind(unit)]),
          PyLong_FromLong(board.side(unit)), PyLong_FromLong(board.x(cell) + 1), PyLong_FromLong(board.y(cell) + 1),
          hp_number(state, state.hp(unit)), PyBool_FromLong(state.acted(unit)))));
    });
    return nb::object(list);
  });
}

nb::object play(PyTubstapState& self, nb::handle move) {
  return self.state.visit([&](auto& state) {
    const Operation op = legal_operation(state, move);
    const Combat combat = state.play(op);
    return nb::steal(op.attacks() ? combat_object(state, combat) : none());
  });
}

nb::object combat(const PyTubstapState& self, nb::handle move) {
  return self.state.visit([&](const auto& state) {
    const Operation op = legal_operation(state, move);
    return nb::steal(op.attacks() ? combat_object(state, state.combat(op)) : none());
  });
}

void end_turn(PyTubstapState& self) {
  self.state.visit([](auto& state) {
    if (state.over()) throw nb::value_error("illegal move: the game is over");
    state.end_turn();
  });
}

std::optional<std::string> reason(const PyTubstapState& self) {
  switch (self.state.visit([](const auto& state) { return state.reason(); })) {
    case Reason::kAnnihilation: return "annihilation";
    case Reason::kTurnLimit: return "turn limit";
    case Reason::kNoProgress: return "no progress";
    case Reason::kPlaying: break;
  }
  return std::nullopt;
}

std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> run_playouts(
    const PyTubstapState& self, std::uint64_t first, std::uint64_t last, std::uint64_t seed, const std::string& policy) {
  return self.state.visit([&](const auto& shared) {
    const auto state = shared;  // Another thread may play on while this one computes.
    const nb::gil_scoped_release release;
    Playouts sums;
    playouts(state, playout_policy(policy), first, last, seed, sums);
    return std::tuple(sums.red, sums.blue, sums.draws, sums.operations);
  });
}

std::uint64_t run_perft(const PyTubstapState& self, int depth) {
  return self.state.visit([&](const auto& shared) {
    const auto state = shared;
    const nb::gil_scoped_release release;
    return perft(state, depth);
  });
}

using UnitTuple = std::tuple<int, int, int, int, double, bool>;

void init_state(PyTubstapState* self, const Rules& rules, int width, int height, const std::vector<std::uint8_t>& terrain,
                const std::vector<UnitTuple>& units, int turn, int quiet, bool hp_lost) {
  Setup setup{rules, width, height, terrain, {}, turn, quiet, hp_lost};
  for (const auto& [kind, side, x, y, hp, acted] : units) setup.units.push_back({kind, side, x, y, hp, acted});
  new (self) PyTubstapState{make_state(setup), nb::none()};
}

}  // namespace

void bind_tubstap(nb::module_& m) {
  // PyArray_ImportNumPyAPI is numpy 2's spelling of import_array() without its hidden return.
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();

  m.attr("VERSION") = kVersion;
  m.attr("MAX_SIDE") = kMaxSide;
  m.attr("MAX_UNITS_PER_SIDE") = kMaxUnitsPerSide;
  m.attr("MAX_TURNS") = kMaxTurns;
  m.attr("MAX_HP") = static_cast<int>(kMaxHp);

  nb::class_<Rules>(m, "Rules", "The rules as the engine reads them; made by sandtable.tubstap.Rules.")
      .def(
          "__init__",
          [](Rules* self, decltype(Rules::power) power, decltype(Rules::movement) movement, decltype(Rules::air) air,
             decltype(Rules::range) range, decltype(Rules::defence) defence, decltype(Rules::cost) cost, bool real_hp,
             std::optional<int> turn_limit, std::optional<double> hp_threshold, std::optional<int> quiet_limit,
             bool harmless_attacks) {
            const Rules rules{power,   movement,   air,          range,       defence,         cost,
                              real_hp, turn_limit, hp_threshold, quiet_limit, harmless_attacks};
            check(rules);
            new (self) Rules(rules);
          },
          nb::kw_only(), "power"_a, "movement"_a, "air"_a, "range"_a, "defence"_a, "cost"_a, "real_hp"_a,
          "turn_limit"_a.none(), "hp_threshold"_a.none(), "quiet_limit"_a.none(), "harmless_attacks"_a);

  nb::class_<PyTubstapState> state(m, "State", "A position of a game. Scenario.start() makes the first one.");
  bind_common(state, kNobody);
  state
      .def("__init__", &init_state, nb::kw_only(), "rules"_a, "width"_a, "height"_a, "terrain"_a, "units"_a, "turn"_a,
           "quiet"_a, "hp_lost"_a)
      .def(
          "with_scenario",
          [](const PyTubstapState& self, nb::object scenario) {
            PyTubstapState copy = self;
            copy.scenario = std::move(scenario);
            return copy;
          },
          "scenario"_a, nb::sig("def with_scenario(self, scenario: sandtable.tubstap.scenario.Scenario) -> State"),
          "A copy that knows its scenario.")
      .def_prop_ro(
          "scenario", [](const PyTubstapState& self) { return self.scenario; },
          nb::for_getter(nb::sig("def scenario(self) -> sandtable.tubstap.scenario.Scenario")),
          "The scenario that the game began with.")
      .def_prop_ro("side", of_state<PyTubstapState>([](const auto& state) { return state.side(); }),
                   "Whose turn it is: 0 red, 1 blue.")
      .def_prop_ro("turn", of_state<PyTubstapState>([](const auto& state) { return state.turn(); }), "Player turns played so far.")
      .def_prop_ro("quiet", of_state<PyTubstapState>([](const auto& state) { return state.quiet(); }),
                   "Player turns in a row that ended without any loss of HP.")
      .def_prop_ro("hp_lost", of_state<PyTubstapState>([](const auto& state) { return state.hp_lost(); }),
                   "Whether any unit lost HP in the turn under way.")
      .def_prop_ro("reason", &reason,
                   "'annihilation', 'turn limit' or 'no progress'; None while the game goes on.")
      .def_prop_ro("units", &units, nb::for_getter(nb::sig("def units(self) -> list[sandtable.tubstap.types.Unit]")),
                   "The living units, by id.")
      .def("moves", &moves, nb::sig("def moves(self) -> list[sandtable.tubstap.types.Move]"),
           "Every operation of the side to move, ascending by (unit, x, y, target), a plain move before the\n"
           "attacks from the same cell; empty when the game is over.")
      .def("moves_array", &moves_array, nb::sig("def moves_array(self) -> numpy.typing.NDArray[numpy.int16]"),
           "The same as int16[n, 4]; target -1 for a plain move.")
      .def("random_move", &random_move, "seed"_a,
           nb::sig("def random_move(self, seed: int) -> sandtable.tubstap.types.Move"),
           "A random unit that has not acted and one of its operations, as uniform playouts draw them.")
      .def("play", &play, "move"_a.none(),
           nb::sig("def play(self, move: collections.abc.Sequence[int | None]) -> sandtable.tubstap.types.Combat | None"),
           "Carry out one unit's operation, in place. Returns what an attack dealt and took. The turn changes by\n"
           "itself with the last unit. Raises ValueError with the reason if the move is illegal.")
      .def("combat", &combat, "move"_a.none(),
           nb::sig("def combat(self, move: collections.abc.Sequence[int | None]) -> sandtable.tubstap.types.Combat | None"),
           "What play() would return, without playing.")
      .def("end_turn", &end_turn, "End the turn early: the units that have not acted stay where they are.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            const nb::object scenario = self.attr("scenario").attr("at")(self);
            return nb::make_tuple(scenario.attr("start"), nb::make_tuple());
          },
          nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"))
      .def("__repr__", [](const PyTubstapState& s) {
        return s.state.visit([](const auto& state) {
          const auto number = [](auto n) { return std::to_string(n); };
          std::string text = "<State turn " + number(state.turn()) + ", ";
          if (state.over()) text += state.winner() == kNobody ? "draw" : state.winner() == 0 ? "red won" : "blue won";
          else text += state.side() == 0 ? "red to move" : "blue to move";
          return text + ", " + number(std::popcount(state.alive(0))) + " v " + number(std::popcount(state.alive(1))) + ">";
        });
      });

  m.def("playouts", &run_playouts, "state"_a, "first"_a, "last"_a, "seed"_a, "policy"_a,
        "Playouts first .. last-1 of the seed: (red, blue, draws, operations).");
  m.def("perft", &run_perft, "state"_a, "depth"_a);
  bind_tubstap_evaluator(m);
  bind_tubstap_policy(m);
  bind_tubstap_search(m);
  bind_tubstap_self_play(m);
}

}  // namespace sandtable
