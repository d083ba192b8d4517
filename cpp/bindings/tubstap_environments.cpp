// Groups of games of TUBSTAP, and its positions as arrays, for Python. The public face is sandtable.adapters.
#include "bindings/environments.h"
#include "bindings/tubstap_objects.h"
#include "environments/tubstap.h"

namespace sandtable {
namespace {

using environments::NamedMove, environments::TubstapGames, environments::TubstapMove;
using Group = PyGames<TubstapGames>;
using Observer = environments::TubstapObserver;

template <class Move>
NamedMove read_move(const std::optional<Move>& move) {
  return move ? NamedMove(read_operation(*move)) : std::nullopt;
}

}  // namespace

void bind_tubstap_environments(nb::module_& m) {
  bind_observer<Observer, PyTubstapState>(m, "Positions of one scenario as arrays of fixed sizes, and its moves as numbers.",
                                          "`encoder` is graph, image or tokens.")
      .def_prop_ro("actions", [](const Observer& self) { return self.actions().count(); })
      .def_prop_ro("rows", [](const Observer& self) { return self.actions().rows(); })
      .def("mask", [](const Observer& self, const PyTubstapState& one) { return Bytes(owned(self.mask(one.state))); }, "state"_a,
           "1 for every legal action, 0 for the others.")
      .def("move",
           [](const Observer& self, const PyTubstapState& state, std::int64_t action) -> std::optional<TubstapMoveObject> {
             const TubstapMove move = self.move(state.state, action);
             return move ? std::optional(move_object(state, *move)) : std::nullopt;
           },
           "state"_a, "action"_a, "The move of a legal action; None is the end of the turn.")
      .def("action",
           [](const Observer& self, const PyTubstapState& state, std::optional<TubstapMoveObject> move) {
             return self.action(state.state, read_move(move));
           },
           "state"_a, "move"_a, "The number of a legal move.")
      .def("encode", [](Observer& self, const PyTubstapState& one) { return Floats(owned(self.encode(one.state))); }, "state"_a,
           "The observation, from the perspective of the side to move.")
      .def("roster",
           [](const Observer& self, const PyTubstapState& state, int side) {
             return Floats(owned(self.roster(state.state, side), {self.roster_rows(), Observer::kRoster}));
           },
           "state"_a, "side"_a, "The units in the order of the actions, the side's own first.");

  auto group = bind_games<TubstapGames, PyTubstapState>(
      m, "Many games on one scenario, against an opponent.",
      "`opponent` is random, greedy or elsewhere; answer() takes the moves of one elsewhere.");
  group.def("act", acts<Integers>(&TubstapGames::act, "actions are an int64 array"), "actions"_a,
            "Play an action in every game; where a game has ended, a new one begins.")
      .def("answer",
           [](Group& self, std::size_t game, std::optional<SequenceOf<std::optional<int>>> move) {
             self.call(&TubstapGames::answer, game, read_move(move));
           },
           "game"_a, "move"_a, "Play a move of the opponent.");
  bind_array<Floats>(group, "rosters", &TubstapGames::rosters, [](const TubstapGames& games) {
    return Lengths{games.games(), games.observer().roster_rows(), Observer::kRoster};
  });
  bind_array<Bytes>(group, "masks", &TubstapGames::masks, [](const TubstapGames& games) {
    return Lengths{games.games(), static_cast<std::size_t>(games.observer().actions().count())};
  });
}

}  // namespace sandtable
