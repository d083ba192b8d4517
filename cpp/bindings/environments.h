// The common part of the bindings of both games' groups: use by one thread at a time, arrays over the group's memory,
// and arrays of actions.
#pragma once

#include <span>

#include "bindings/states.h"
#include "environments/group.h"

namespace sandtable {

// A group of games as Python holds it, with the scenario or land that its states belong to.
template <class Games>
struct PyGames {
  environments::Shared<Games> shared;
  nb::object origin;

  // Calls a function of the group without the interpreter's lock.
  template <class Member, class... Arguments>
  auto call(Member member, const Arguments&... arguments) {
    return unlocked([&] { return shared.call(member, arguments...); });
  }
};

// Such a call as a function for Python.
template <class Games, class... Arguments, class Member>
auto locked(Member member) {
  return [member](PyGames<Games>& self, Arguments... arguments) { return self.call(member, arguments...); };
}

// Reads actions without conversion: an array that would have to be converted is more likely a mistake.
template <class T, class Bound>
std::span<const T> read_actions(nb::handle given, Bound& actions, const char* message) {
  if (!nb::try_cast(given, actions, false)) throw nb::value_error(message);
  return {actions.data(), actions.size()};
}

// A function of the group that takes actions, as a function for Python.
template <class Array, class Games, class T>
auto acts(void (Games::*member)(std::span<const T>), const char* message) {
  return [=](PyGames<Games>& self, Array given) {
    nb::ndarray<const T, nb::c_contig, nb::device::cpu> array;
    self.call(member, read_actions<T>(given, array, message));
  };
}

using Bytes = Annotated<"numpy.typing.NDArray[numpy.uint8]">;

// Binds an array over the group's memory; shape(games) are the lengths of its axes.
template <class Array, class Games, class Values, class Shape, class... Extra>
void bind_array(nb::class_<PyGames<Games>>& bound, const char* name, Values values, Shape shape, const Extra&... extra) {
  const auto array = [values, shape](nb::handle self) {
    auto& games = nb::cast<PyGames<Games>&>(self).shared.games();
    return Array(view(games.*values, shape(games), self));
  };
  bound.def_prop_ro(name, array, extra...);
}

template <class Observer, class PyState>
nb::class_<Observer> bind_observer(nb::module_& m, const char* about, const char* encoders) {
  const auto init = [](Observer* self, const PyState& start, const std::string& encoder) {
    new (self) Observer(start.state, encoder);
  };
  return nb::class_<Observer>(m, "Observer", about).def("__init__", init, "start"_a, "encoder"_a, encoders);
}

template <class Games, class PyState>
nb::class_<PyGames<Games>> bind_games(nb::module_& m, const char* about, const char* about_opponents) {
  using Group = PyGames<Games>;
  nb::class_<Group> bound(m, "Games", about);
  bound
      .def("__init__",
           [](Group* self, const PyState& start, std::size_t games, const std::string& encoder, const std::string& opponent,
              std::optional<int> side, double shaping) {
             const environments::GroupSettings settings = environments::group_settings(opponent, side, shaping);
             new (self) Group{environments::Shared<Games>(start.state, games, encoder, settings), start.origin};
           },
           "start"_a, nb::kw_only(), "games"_a, "encoder"_a, "opponent"_a, "side"_a.none(), "shaping"_a, about_opponents)
      .def("__len__", [](Group& self) { return self.shared.games().games(); })
      .def("reseed", locked<Games, std::size_t, std::uint64_t>(&Games::reseed), "game"_a, "seed"_a,
           "Set the seed from which this slot draws its further games.")
      .def("begin", locked<Games, std::size_t>(&Games::begin), "game"_a, "Begin a new game in this slot.")
      .def("waiting", locked<Games>(&Games::waiting), "The games that wait for the opponent's move.")
      .def("forfeit", locked<Games, std::size_t, int>(&Games::forfeit), "game"_a, "loser"_a, "End a game as a loss of this side.")
      .def("observe", locked<Games>(&Games::observe), "Write the results of the actions into the arrays.")
      .def("observe", locked<Games, std::size_t>(&Games::observe_one), "game"_a, "The same for one game.")
      .def("opponent_seed", locked<Games, std::size_t>(&Games::opponent_seed), "game"_a,
           "The opponent's seed in the current game.")
      .def("number", locked<Games, std::size_t>(&Games::number), "game"_a, "The number of games that this slot has begun.")
      .def("state", [](Group& self, std::size_t game) { return PyState{self.call(&Games::state, game), self.origin}; }, "game"_a,
           "The position of a game.");
  const auto one_each = [](const Games& games) { return Lengths{games.games()}; };
  bind_array<Floats>(bound, "observations", &Games::observations,
                     [](const Games& games) { return Lengths{games.games(), games.observer().size()}; });
  bind_array<Floats>(bound, "rewards", &Games::rewards, one_each);
  bind_array<Bytes>(bound, "outcomes", &Games::outcomes, one_each,
                    "0 where the game goes on, 1 where it has ended, 2 where the learner's illegal action ended it.");
  bind_array<Annotated<"numpy.typing.NDArray[numpy.int8]">>(bound, "sides", &Games::sides, one_each,
                                                            "The learner's side in each game.");
  return bound;
}

}  // namespace sandtable
