// Groups of games of TUBSTAP, and its positions as arrays, for Python. The public face is sandtable.adapters.
#include "bindings/environments.h"
#include "bindings/tubstap_objects.h"
#include "environments/tubstap.h"

namespace sandtable {
namespace {

using environments::TubstapGames, environments::TubstapMove, environments::TubstapObserver;
using Bytes = Annotated<"numpy.typing.NDArray[numpy.uint8]">;
using Group = PyGames<TubstapGames>;

TubstapMoveObject move_object(const auto& state, const TubstapMove& move) {
  return nb::steal(move ? move_maker(state.board())(*move) : none());
}

TubstapMove read_move(const auto& state, nb::handle move) {
  if (!move.is_none()) return legal_operation(state, move);
  check_unfinished(state.over());
  return std::nullopt;
}

// An observer with the start whose scenario it is for.
struct Observer {
  TubstapObserver observer;
  tubstap::AnyState start;

  // f(state, observer), if the state is one of the scenario: arrays of others have other sizes.
  template <class F>
  auto with(const PyTubstapState& given, F&& f) {
    return given.state.visit([&]<class Size>(const tubstap::State<Size>& state) {
      const bool same = start.visit([&]<class Other>(const tubstap::State<Other>& own) {
        return std::is_same_v<Size, Other> && own.board().fingerprint() == state.board().fingerprint();
      });
      require(same, "the state is of another scenario");
      return f(state, observer);
    });
  }
};

void bind_observer(nb::module_& m) {
  nb::class_<Observer>(m, "Observer", "Positions of one scenario as arrays of fixed sizes, and its moves as numbers.")
      .def("__init__",
           [](Observer* self, const PyTubstapState& start, const std::string& encoder) {
             new (self) Observer{TubstapObserver(start.state, encoder), start.state};
           },
           "start"_a, "encoder"_a, "`encoder` is graph, image or tokens.")
      .def_prop_ro("actions", [](const Observer& self) { return self.observer.actions().count(); })
      .def_prop_ro("rows", [](const Observer& self) { return self.observer.actions().rows(); })
      .def("mask",
           [](Observer& self, const PyTubstapState& state) {
             std::vector<std::uint8_t> mask(static_cast<std::size_t>(self.observer.actions().count()));
             self.with(state, [&](const auto& one, const auto& observer) { observer.actions().write_mask(one, mask.data()); });
             return Bytes(owned(std::move(mask)));
           },
           "state"_a, "1 for every legal action.")
      .def("move",
           [](Observer& self, const PyTubstapState& state, std::int64_t action) {
             return self.with(state, [&](const auto& one, const auto& observer) {
               TubstapMove move;
               if (!observer.actions().read(one, action, move))
                 throw nb::value_error(("action " + std::to_string(action) + " is illegal here; the mask says which are legal").c_str());
               return move_object(one, move);
             });
           },
           "state"_a, "action"_a, nb::sig("def move(self, state: State, action: int) -> sandtable.tubstap.types.Move | None"),
           "The move of a legal action; None is the end of the turn.")
      .def("action",
           [](Observer& self, const PyTubstapState& state, nb::handle move) {
             return self.with(state, [&](const auto& one, const auto& observer) { return observer.actions().number(one, read_move(one, move)); });
           },
           "state"_a, "move"_a.none(),
           nb::sig("def action(self, state: State, move: sandtable.tubstap.types.Move | None) -> int"), "The number of a legal move.")
      .def("encode",
           [](Observer& self, const PyTubstapState& state) {
             std::vector<float> values(self.observer.size());
             self.with(state, [&](const auto& one, auto& observer) { observer.encode(one, values.data()); });
             return Floats(owned(std::move(values)));
           },
           "state"_a, "As the side to move sees it.")
      .def("roster",
           [](Observer& self, const PyTubstapState& state, int side) {
             require(side == 0 || side == 1, "side must be 0 or 1");
             std::vector<float> values(self.observer.roster_size());
             const auto rows = static_cast<std::size_t>(2 * self.observer.actions().rows());
             self.with(state, [&](const auto& one, const auto& observer) { observer.write_roster(one, side, values.data()); });
             return Floats(owned(std::move(values), {rows, TubstapObserver::kRoster}));
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
  nb::class_<Group> group(m, "Games", "Many games on one scenario, against an opponent.");
  group.def("__init__",
            [](Group* self, const PyTubstapState& start, std::size_t games, const std::string& encoder, const std::string& opponent,
               std::optional<int> side, double shaping) {
              check_unfinished(start);
              require(games <= 1 << 20, "a group has at most 1048576 games");
              new (self) Group{TubstapGames(start.state, games, encoder, read_terms(opponent, side, shaping)), start.origin, {}};
            },
            "start"_a, nb::kw_only(), "games"_a, "encoder"_a, "opponent"_a, "side"_a.none(), "shaping"_a,
            "`opponent` is random, greedy, or elsewhere: then answer() gives its moves.");
  bind_games(group);
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
           nb::sig("def answer(self, game: int, move: collections.abc.Sequence[int | None] | None) -> None"), "Play a move of the opponent.")
      .def("state",
           [](Group& self, std::size_t game) {
             return PyTubstapState{self.run(game, [&](TubstapGames& games) { return games.state(game); }), self.origin};
           },
           "game"_a, "The position of a game.")
      .def_prop_ro("rosters",
                   [](nb::handle self) {
                     auto& games = nb::cast<Group&>(self).games;
                     const auto rows = static_cast<std::size_t>(2 * games.observer().actions().rows());
                     return Floats(view(games.rosters, {games.games(), rows, TubstapObserver::kRoster}, self));
                   })
      .def_prop_ro("masks", [](nb::handle self) {
        auto& games = nb::cast<Group&>(self).games;
        return Bytes(view(games.masks, {games.games(), static_cast<std::size_t>(games.observer().actions().count())}, self));
      });
}

}  // namespace sandtable
