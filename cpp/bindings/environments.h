// What the bindings of both games' groups share: one thread at a time, arrays over the group's memory, arrays of actions.
#pragma once

#include <mutex>
#include <span>

#include "bindings/states.h"
#include "environments/seats.h"

namespace sandtable {

// A group of games as Python holds it, with the scenario or land that its states belong to.
template <class Games>
struct PyGames {
  Games games;
  nb::object origin;
  std::mutex mutex;

  // f(games) without the interpreter's lock, one thread at a time.
  template <class F>
  auto run(F&& f) {
    const nb::gil_scoped_release release;
    const std::lock_guard guard(mutex);
    return f(games);
  }
  // The same for one of the games.
  template <class F>
  auto run(std::size_t game, F&& f) {
    require(game < games.games(), "there is no such game in the group");
    return run(std::forward<F>(f));
  }
};

inline environments::Terms read_terms(const std::string& opponent, std::optional<int> side, double shaping) {
  require(!side || *side == 0 || *side == 1, "side must be 0, 1 or None");
  return {environments::opponent_named(opponent), side, shaping};
}

// Actions as they are: numbers that would have to be converted are more likely a slip.
template <class T, class Bound>
std::span<const T> read_actions(nb::handle given, Bound& actions, const char* message) {
  if (!nb::try_cast(given, actions, false)) throw nb::value_error(message);
  return {actions.data(), actions.size()};
}

// f(state), if the state is of the scenario or map that the observer is made for.
template <class Observer, class AnyState, class F>
auto observed(const Observer& observer, const PyState<AnyState>& given, F&& f) {
  return given.state.visit([&](const auto& state) {
    observer.check(state);
    return f(state);
  });
}

using Bytes = Annotated<"numpy.typing.NDArray[numpy.uint8]">;

// Binds an array over the group's memory; shape(games) are the lengths of its axes.
template <class Array, class Games, class T, class Shape, class... Extra>
void bind_array(nb::class_<PyGames<Games>>& bound, const char* name, std::vector<T> Games::* values, Shape shape,
                const Extra&... extra) {
  const auto array = [values, shape](nb::handle self) {
    auto& games = nb::cast<PyGames<Games>&>(self).games;
    return Array(view(games.*values, shape(games), self));
  };
  bound.def_prop_ro(name, array, extra...);
}

template <class Games, class PyState>
nb::class_<PyGames<Games>> bind_games(nb::module_& m, const char* about, const char* about_opponents) {
  using Group = PyGames<Games>;
  nb::class_<Group> bound(m, "Games", about);
  bound
      .def("__init__",
           [](Group* self, const PyState& start, std::size_t games, const std::string& encoder, const std::string& opponent,
              std::optional<int> side, double shaping) {
             new (self) Group{Games(start.state, games, encoder, read_terms(opponent, side, shaping)), start.origin, {}};
           },
           "start"_a, nb::kw_only(), "games"_a, "encoder"_a, "opponent"_a, "side"_a.none(), "shaping"_a, about_opponents)
      .def("__len__", [](const Group& self) { return self.games.games(); })
      .def("reseed", [](Group& self, std::size_t game, std::uint64_t seed) { self.run(game, [&](Games& games) { games.reseed(game, seed); }); },
           "game"_a, "seed"_a, "The seed from which this place draws its further games.")
      .def("begin", [](Group& self, std::size_t game) { self.run(game, [&](Games& games) { games.begin(game); }); }, "game"_a,
           "Begin a new game there.")
      .def("waiting", [](Group& self) { return self.run([](Games& games) { return games.waiting(); }); },
           "The games that wait for the opponent's move.")
      .def("forfeit",
           [](Group& self, std::size_t game, int loser) {
             require(loser == 0 || loser == 1, "the loser must be 0 or 1");
             self.run(game, [&](Games& games) { games.forfeit(game, loser); });
           },
           "game"_a, "loser"_a, "End a game by the loss of a side.")
      .def("observe", [](Group& self) { self.run([](Games& games) { games.observe(); }); },
           "Write what the actions led to into the arrays.")
      .def("observe", [](Group& self, std::size_t game) { self.run(game, [&](Games& games) { games.observe(game); }); }, "game"_a,
           "The same for one game.")
      .def("opponent_seed", [](Group& self, std::size_t game) { return self.run(game, [&](Games& games) { return games.seat(game).opponent_seed; }); },
           "game"_a, "The seed of the opponent in the game under way.")
      .def("number", [](Group& self, std::size_t game) { return self.run(game, [&](Games& games) { return games.seat(game).number; }); },
           "game"_a, "How many games this place has begun.")
      .def("state",
           [](Group& self, std::size_t game) {
             return PyState{self.run(game, [&](Games& games) { return games.state(game); }), self.origin};
           },
           "game"_a, "The position of a game.");
  const auto one_each = [](const Games& games) { return Lengths{games.games()}; };
  bind_array<Floats>(bound, "observations", &Games::observations,
                     [](const Games& games) { return Lengths{games.games(), games.observer().size()}; });
  bind_array<Floats>(bound, "rewards", &Games::rewards, one_each);
  bind_array<Bytes>(bound, "outcomes", &Games::outcomes, one_each,
                    "0 where the game goes on, 1 where it has ended, 2 where the learner's illegal action ended it.");
  bind_array<Annotated<"numpy.typing.NDArray[numpy.int8]">>(bound, "sides", &Games::sides, one_each, "The learner's.");
  return bound;
}

}  // namespace sandtable
