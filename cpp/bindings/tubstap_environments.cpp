// Groups of games of TUBSTAP, and its positions as arrays, for Python. The public face is sandtable.adapters.
#include "bindings/environments.h"
#include "bindings/tubstap_objects.h"
#include "environments/tubstap.h"

namespace sandtable {
namespace {

using environments::TubstapGames, environments::TubstapMove, environments::TubstapObserver;
using Group = PyGames<TubstapGames>;

TubstapMoveObject move_object(const auto& state, const TubstapMove& move) {
  return nb::steal(move ? move_maker(state.board())(*move) : none());
}

TubstapMove read_move(const auto& state, nb::handle move) {
  if (!move.is_none()) return legal_operation(state, read_operation(move));
  check_unfinished(state.over());
  return std::nullopt;
}

void bind_observer(nb::module_& m) {
  using Observer = TubstapObserver;
  nb::class_<Observer>(m, "Observer", "Positions of one scenario as arrays of fixed sizes, and its moves as numbers.")
      .def("__init__",
           [](Observer* self, const PyTubstapState& start, const std::string& encoder) {
             new (self) Observer(start.state, encoder);
           },
           "start"_a, "encoder"_a, "`encoder` is graph, image or tokens.")
      .def_prop_ro("actions", [](const Observer& self) { return self.actions().count(); })
      .def_prop_ro("rows", [](const Observer& self) { return self.actions().rows(); })
      .def("mask",
           [](const Observer& self, const PyTubstapState& state) {
             std::vector<std::uint8_t> mask(static_cast<std::size_t>(self.actions().count()));
             observed(self, state, [&](const auto& one) { self.actions().write_mask(one, mask.data()); });
             return Bytes(owned(std::move(mask)));
           },
           "state"_a, "1 for every legal action.")
      .def("move",
           [](const Observer& self, const PyTubstapState& state, std::int64_t action) {
             return observed(self, state, [&](const auto& one) {
               TubstapMove move;
               if (!self.actions().read(one, action, move))
                 throw nb::value_error(("action " + std::to_string(action) + " is illegal here; the mask says which are legal").c_str());
               return move_object(one, move);
             });
           },
           "state"_a, "action"_a, nb::sig("def move(self, state: State, action: int) -> sandtable.tubstap.types.Move | None"),
           "The move of a legal action; None is the end of the turn.")
      .def("action",
           [](const Observer& self, const PyTubstapState& state, nb::handle move) {
             return observed(self, state, [&](const auto& one) { return self.actions().number(one, read_move(one, move)); });
           },
           "state"_a, "move"_a.none(),
           nb::sig("def action(self, state: State, move: sandtable.tubstap.types.Move | None) -> int"), "The number of a legal move.")
      .def("encode",
           [](Observer& self, const PyTubstapState& state) {
             std::vector<float> values(self.size());
             observed(self, state, [&](const auto& one) { self.encode(one, values.data()); });
             return Floats(owned(std::move(values)));
           },
           "state"_a, "As the side to move sees it.")
      .def("roster",
           [](const Observer& self, const PyTubstapState& state, int side) {
             require(side == 0 || side == 1, "side must be 0 or 1");
             std::vector<float> values(self.roster_size());
             const auto rows = static_cast<std::size_t>(2 * self.actions().rows());
             observed(self, state, [&](const auto& one) { self.write_roster(one, side, values.data()); });
             return Floats(owned(std::move(values), {rows, Observer::kRoster}));
           },
           "state"_a, "side"_a, "The units in the order of the actions, the side's own first.");
}

void act(Group& self, nb::handle given) {
  nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu> array;
  const auto actions = read_actions<std::int64_t>(given, array, "actions are an int64 array");
  self.run([&](TubstapGames& games) { games.act(actions); });
}

}  // namespace

void bind_tubstap_environments(nb::module_& m) {
  bind_observer(m);
  auto group = bind_games<TubstapGames, PyTubstapState>(
      m, "Many games on one scenario, against an opponent.", "`opponent` is random, greedy, or elsewhere: then answer() gives its moves.");
  group.def("act", &act, "actions"_a, nb::sig("def act(self, actions: numpy.typing.NDArray[numpy.int64]) -> None"),
            "Play an action in every game; where a game has ended a new one begins.")
      .def("answer",
           [](Group& self, std::size_t game, nb::handle move) {
             require(game < self.games.games(), "there is no such game in the group");
             TubstapMove read;
             self.games.state(game).visit([&](const auto& state) {
               require(state.over() || state.side() != self.games.seat(game).side, "it is the learner's move");
               read = read_move(state, move);
             });
             self.run([&](TubstapGames& games) { games.answer(game, read); });
           },
           "game"_a, "move"_a.none(),
           nb::sig("def answer(self, game: int, move: collections.abc.Sequence[int | None] | None) -> None"), "Play a move of the opponent.");
  bind_array<Floats>(group, "rosters", &TubstapGames::rosters, [](const TubstapGames& games) {
    return Lengths{games.games(), static_cast<std::size_t>(2 * games.observer().actions().rows()), TubstapObserver::kRoster};
  });
  bind_array<Bytes>(group, "masks", &TubstapGames::masks, [](const TubstapGames& games) {
    return Lengths{games.games(), static_cast<std::size_t>(games.observer().actions().count())};
  });
}

}  // namespace sandtable
