// Adapts a game that lists its moves to the searches (game.h): a move is an index into the list. Games written in
// Python are adapted like this (bindings/python_game.h). The adapter asks for each list once per position, and draws
// samples and playouts from it.
//
// A Position, whose copies are independent positions, has
//
//   over(), value(side), hash(), side()   as in game.h; hash() may be any number
//   estimate(side)                        the value of an unfinished game; 0 if the game has none
//   moves(), candidates(player)           a List with size(): the moves, or the choices of one player
//   play(list[place]), resolve(list0[place0], list1[place1], seed)
//
// The order of a list must depend on the position alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/require.h"
#include "core/rng.h"

namespace sandtable::search {

struct Place {
  std::uint32_t place = 0;
  bool operator==(const Place&) const = default;
};

template <class Position>
struct ListedState {
  using List = typename Position::List;

  explicit ListedState(Position position) : position(std::move(position)) {}

  bool over() const { return position.over(); }
  // The moves of the side to move, or the choices of a player in a simultaneous turn.
  const List& moves() const { return listed(0, [&] { return position.moves(); }); }
  const List& moves(int player) const { return listed(player, [&] { return position.candidates(player); }); }

  // Calls a function that changes the position, and drops the lists.
  template <class... Parameters, class... Arguments>
  void change(void (Position::*function)(Parameters...), const Arguments&... arguments) {
    (position.*function)(arguments...);
    lists[0].reset(), lists[1].reset();
  }

  Position position;

 private:
  template <class Make>
  const List& listed(int place, Make&& make) const {
    auto& list = lists[place];
    if (!list) list.emplace(make());
    require(list->size() > 0, "the game is not over, but there is no move");
    return *list;
  }

  mutable std::optional<List> lists[2];
};

// The game has only the default kind of playouts.
template <class Position, class Kind>
struct ListedGame {
  using State = ListedState<Position>;
  using Move = Place;
  using Orders = Place;
  using Playout = Kind;

  static void check(const Playout& playout) {
    require(playout == Playout(), "policy must be uniform: a game written in Python has no other playouts");
  }
  static bool over(const State& state) { return state.over(); }
  static double value(const State& state, int side) { return state.position.value(side); }
  // Evaluates the leaves of minimax.
  static void estimate(std::span<const State> states, int side, std::span<double> values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].position.estimate(side);
  }
  static std::uint64_t hash(const State& state) { return mix(state.position.hash()); }

  // Sequential.
  static int side(const State& state) { return state.position.side(); }
  static void moves(const State& state, std::vector<Move>& out) {
    for (std::uint32_t i = 0; i < state.moves().size(); ++i) out.push_back({i});
  }
  static void play(State& state, const Move& move) { state.change(&Position::play, state.moves()[move.place]); }
  static void playout(State& state, const Playout&, Rng& rng) {
    while (!state.over()) play(state, random(state.moves(), rng));
  }
  static double result(const State& state, int side, const Playout&) { return value(state, side); }

  // Simultaneous.
  static void sample(const State& state, int player, Rng& rng, Orders& orders) { orders = random(state.moves(player), rng); }
  static void resolve(State& state, const Orders& orders0, const Orders& orders1, Rng& rng) {
    const auto seed = rng.below(0xffffffffu);
    state.change(&Position::resolve, state.moves(0)[orders0.place], state.moves(1)[orders1.place], seed);
  }

 private:
  static Place random(const auto& list, Rng& rng) { return {rng.below(static_cast<std::uint32_t>(list.size()))}; }
};

}  // namespace sandtable::search
