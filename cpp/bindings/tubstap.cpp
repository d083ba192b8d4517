// TUBSTAP for Python. Lists of moves and units are built as the named tuples of sandtable.tubstap.types through the C
// API, and arrays through numpy's: both are made millions of times, and the generic conversions would cost several
// times as much as the move generation itself.
#include "bindings/settings.h"
#include "bindings/tubstap_objects.h"
#include "tubstap/bare_loop.h"
#include "tubstap/describe.h"
#include "tubstap/game.h"
#include "tubstap/perft.h"

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace sandtable {
namespace {

using namespace tubstap;

using Move = TubstapMoveObject;
using OfScenario = Annotated<"sandtable.tubstap.scenario.Scenario">;

template <class Size>
PyObject* hp_number(const State<Size>& state, double hp) {
  return state.board().rules().real_hp ? PyFloat_FromDouble(hp) : PyLong_FromLong(static_cast<long>(hp));
}

template <class Size>
PyObject* combat_object(const State<Size>& state, const Combat& combat) {
  static PyObject* const type = kept("sandtable.tubstap.types", "Combat");
  return named_tuple(type, hp_number(state, combat.dealt), hp_number(state, combat.taken));
}

// The operations of a state, in a buffer that is reused.
template <class Size>
const std::vector<Operation>& listed(const State<Size>& state) {
  static thread_local std::vector<Operation> operations;
  operations.clear();
  Game<Size>::moves(state, operations);
  return operations;
}

nb::typed<nb::list, Move> moves(const PyTubstapState& self) {
  return self.state.visit([](const auto& state) {
    const auto& operations = listed(state);
    const auto move = move_maker(state.board());
    return new_list(operations.size(), [&](std::size_t i) { return move(operations[i]); });
  });
}

Annotated<"numpy.typing.NDArray[numpy.int16]"> moves_array(const PyTubstapState& self) {
  // Imports numpy at the first call: a player whose network runs in the core does not need it. This is numpy 2's form
  // of import_array() without its hidden return.
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
  return self.state.visit([](const auto& state) {
    const auto& operations = listed(state);
    npy_intp shape[2] = {static_cast<npy_intp>(operations.size()), 4};
    PyObject* array = PyArray_SimpleNew(2, shape, NPY_INT16);
    if (!array) throw nb::python_error();
    write_named(state.board(), operations, static_cast<std::int16_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array))));
    return nb::steal(array);
  });
}

nb::typed<nb::list, Annotated<"sandtable.tubstap.types.Unit">> units(const PyTubstapState& self) {
  static PyObject *const type = kept("sandtable.tubstap.types", "Unit"), *const kinds = kept("sandtable.tubstap.types", "KINDS");
  return self.state.visit([](const auto& state) {
    const auto& board = state.board();
    nb::list list;
    for_each_unit(state.alive(), [&](int unit) {
      const int cell = state.cell(unit);
      list.append(nb::steal(named_tuple(type, PyLong_FromLong(unit), PySequence_GetItem(kinds, board.kind(unit)),
                                        PyLong_FromLong(board.side(unit)), PyLong_FromLong(board.x(cell) + 1),
                                        PyLong_FromLong(board.y(cell) + 1), hp_number(state, state.hp(unit)),
                                        PyBool_FromLong(state.acted(unit)))));
    });
    return list;
  });
}

nb::object play(PyTubstapState& self, nb::handle move) {
  const NamedOperation named = read_operation(move);
  return self.state.visit([&](auto& state) {
    const Operation op = legal_operation(state, named);
    const Combat combat = state.play(op);
    return nb::steal(op.attacks() ? combat_object(state, combat) : none());
  });
}

nb::object combat(const PyTubstapState& self, nb::handle move) {
  const NamedOperation named = read_operation(move);
  return self.state.visit([&](const auto& state) {
    const Operation op = legal_operation(state, named);
    return nb::steal(op.attacks() ? combat_object(state, state.combat(op)) : none());
  });
}

void end_turn(PyTubstapState& self) {
  self.state.visit([](auto& state) {
    require(!state.over(), "illegal move: the game is over");
    state.end_turn();
  });
}

auto run_playouts(const PyTubstapState& self, std::uint64_t first, std::uint64_t last, std::uint64_t seed,
                  const std::string& policy) {
  PlayoutKind kind;
  any_fields<PlayoutKind>()[0].set(&kind, policy);
  Playouts sums;
  computed(self, [&](const auto& state) { playouts(state, kind.policy, first, last, seed, sums); });
  return std::tuple(sums.red, sums.blue, sums.draws, sums.operations);
}

using UnitTuple = std::tuple<int, int, int, int, double, bool>;

void init_state(PyTubstapState* self, const Rules& rules, int width, int height, const std::vector<std::uint8_t>& terrain,
                const std::vector<UnitTuple>& units, int turn, int quiet, bool hp_lost) {
  Setup setup{rules, width, height, terrain, {}, turn, quiet, hp_lost};
  for (const auto& [kind, side, x, y, hp, acted] : units) setup.units.push_back({kind, side, x, y, hp, acted});
  new (self) PyTubstapState{make_state(setup), nb::none()};
}

// Binds the constructor of the rules, with a keyword for each member.
template <class... Members>
void bind_init(nb::class_<Rules>& bound, const Field<Members Rules::*>&... fields) {
  const auto init = [fields...](Rules* self, const Members&... given) {
    Rules made;
    ((fields.of(made) = given), ...);
    check(made);
    new (self) Rules(made);
  };
  bound.def("__init__", init, nb::kw_only(), nb::arg(fields.name)...);
}

}  // namespace

void bind_tubstap(nb::module_& m) {
  m.attr("VERSION") = kVersion;
  m.attr("MAX_SIDE") = kMaxSide;
  m.attr("MAX_UNITS_PER_SIDE") = kMaxUnitsPerSide;
  m.attr("MAX_TURNS") = kMaxTurns;
  m.attr("MAX_HP") = static_cast<int>(kMaxHp);

  nb::class_<Rules> rules(m, "Rules", "The rules as the engine reads them; made by sandtable.tubstap.Rules.");
  bind_init(rules, field("power", &Rules::power), field("movement", &Rules::movement), field("air", &Rules::air),
            field("range", &Rules::range), field("defence", &Rules::defence), field("cost", &Rules::cost),
            field("real_hp", &Rules::real_hp), field("turn_limit", &Rules::turn_limit),
            field("hp_threshold", &Rules::hp_threshold), field("quiet_limit", &Rules::quiet_limit),
            field("harmless_attacks", &Rules::harmless_attacks));

  const auto read = [](auto reader) { return of_state<PyTubstapState>(reader); };
  nb::class_<PyTubstapState> state(m, "State", "A position of a game. Scenario.start() makes the first one.");
  bind_common(state, kNobody);
  state
      .def("__init__", &init_state, nb::kw_only(), "rules"_a, "width"_a, "height"_a, "terrain"_a, "units"_a, "turn"_a,
           "quiet"_a, "hp_lost"_a)
      .def("with_scenario", [](const PyTubstapState& self, OfScenario scenario) { return PyTubstapState{self.state, scenario}; },
           "scenario"_a, "A copy with this scenario.")
      .def_prop_ro("scenario", [](const PyTubstapState& self) { return OfScenario(self.origin); },
                   "The scenario that the game began with.")
      .def_prop_ro("side", read([](const auto& state) { return state.side(); }), "Whose turn it is: 0 red, 1 blue.")
      .def_prop_ro("quiet", read([](const auto& state) { return state.quiet(); }),
                   "Turns in a row that ended without any loss of HP.")
      .def_prop_ro("hp_lost", read([](const auto& state) { return state.hp_lost(); }),
                   "Whether any unit has lost HP in the current turn.")
      .def_prop_ro("reason", read([](const auto& state) -> std::optional<std::string> {
                     return state.over() ? std::optional(in_words(state.reason())) : std::nullopt;
                   }),
                   "'annihilation', 'turn limit' or 'no progress'; None while the game goes on.")
      .def_prop_ro("units", &units, "The living units, by id.")
      .def("moves", &moves,
           "Every operation of the side to move, ascending by (unit, x, y, target), a plain move before the\n"
           "attacks from the same cell; empty when the game is over.")
      .def("moves_array", &moves_array, "The same as int16[n, 4]; target -1 for a plain move.")
      .def("random_move",
           [](const PyTubstapState& self, std::uint64_t seed) {
             return move_object(self, self.state.visit([&](const auto& state) { return random_move(state, seed); }));
           },
           "seed"_a,
           "A random operation of a random unit that has not acted, as uniform playouts draw it.")
      .def("play", &play, "move"_a.none(),  // None is an illegal move, not a wrong call
           nb::sig("def play(self, move: collections.abc.Sequence[int | None]) -> sandtable.tubstap.types.Combat | None"),
           "Carry out one unit's operation, in place. Returns what an attack dealt and took. The turn changes by\n"
           "itself with the last unit. Raises ValueError with the reason if the move is illegal.")
      .def("combat", &combat, "move"_a.none(),
           nb::sig("def combat(self, move: collections.abc.Sequence[int | None]) -> sandtable.tubstap.types.Combat | None"),
           "What play() would return, without playing.")
      .def("end_turn", &end_turn, "End the turn early: the units that have not acted stay where they are.")
      .def("__reduce__",
           [](nb::handle self) -> Reduced {
             const nb::object scenario = self.attr("scenario").attr("at")(self);
             return nb::make_tuple(scenario.attr("start"), nb::make_tuple());
           });

  m.def("playouts", &run_playouts, "state"_a, "first"_a, "last"_a, "seed"_a, "policy"_a,
        "The results of playouts first .. last-1 of the seed: (red, blue, draws, operations).");
  m.def("bare_loop", [](std::uint64_t games, std::uint64_t seed) { return unlocked([&] { return bare_loop(games, seed); }); },
        "games"_a, "seed"_a, "The number of operations in `games` random games of 3 v 3 on 8x8 plains, played by the bare loop.");
  const auto run_perft = [](const PyTubstapState& self, int depth) {
    return computed(self, [&](const auto& state) { return perft(state, depth); });
  };
  m.def("perft", run_perft, "state"_a, "depth"_a,
        "The number of sequences of exactly `depth` operations; games that end earlier count 0.");
  bind_tubstap_environments(m);
  bind_tubstap_evaluator(m);
  bind_tubstap_search(m);
}

}  // namespace sandtable
