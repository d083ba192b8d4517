// A game written in Python as the searches see it (search/game.h): they hold states that call Python. What a state must
// have is in sandtable/games/python_game.py. The interpreter's lock is held for the whole search.
#pragma once

#include <optional>
#include <vector>

#include "bindings/python.h"
#include "core/rng.h"
#include "tubstap/game.h"

namespace sandtable {

// Moves are known by their places in the list of the state, which must depend on the position alone.
struct PythonMove {
  std::uint32_t place = 0;
  bool operator==(const PythonMove&) const = default;
};

// A copy of it is a copy of the position.
struct PythonState {
  explicit PythonState(nb::object state) : own(std::move(state)) {}
  PythonState(const PythonState& other) : own(other.own.attr("copy")()), listed{other.listed[0], other.listed[1]} {}
  PythonState(PythonState&&) noexcept = default;
  PythonState& operator=(PythonState&&) noexcept = default;
  PythonState& operator=(const PythonState& other) { return *this = PythonState(other); }

  bool over() const { return nb::cast<bool>(nb::bool_(read("over"))); }
  // An attribute, or what the method of that name gives.
  nb::object read(const char* name) const {
    nb::object found = own.attr(name);
    return PyCallable_Check(found.ptr()) ? found() : found;
  }
  // Calls a method that changes the position.
  template <class... Arguments>
  void change(const char* method, const Arguments&... arguments) {
    own.attr(method)(arguments...);
    listed[0].reset(), listed[1].reset();
  }

  nb::object own;
  mutable std::optional<nb::list> listed[2];  // the moves of who moves, or the candidates of each player, once asked for
};

struct PythonGame {
  using State = PythonState;
  using Move = PythonMove;
  using Orders = PythonMove;
  using Playout = tubstap::PlayoutKind;  // so that the searches' settings are one class for all games; only uniform ones

  static bool over(const State& state) { return state.over(); }
  static double value(const State& state, int side) { return number(state.own.attr("value")(side)); }
  // Of an unfinished game; 0 if the game has no estimate.
  static double estimate(const State& state, int side) {
    return nb::hasattr(state.own, "estimate") ? number(state.own.attr("estimate")(side)) : 0;
  }
  static std::uint64_t hash(const State& state) {
    const nb::object hash = state.own.attr("hash")();
    const std::uint64_t low = PyLong_AsUnsignedLongLongMask(hash.ptr());  // of a long one the lowest 64 bits
    if (PyErr_Occurred()) throw nb::python_error();
    return mix(low);
  }

  // Sequential.
  static int side(const State& state) { return nb::cast<int>(state.read("side")); }
  static void moves(const State& state, std::vector<Move>& out) {
    for (std::uint32_t i = 0; i < count(state, 0, "moves"); ++i) out.push_back({i});
  }
  static nb::object named(const State& state, const Move& move) { return listed(state, 0, "moves")[move.place]; }
  static void play(State& state, const Move& move) { state.change("play", named(state, move)); }
  static void playout(State& state, const Playout&, Rng& rng) {
    while (!state.over()) play(state, {rng.below(count(state, 0, "moves"))});
  }
  static double result(const State& state, int side, const Playout&) { return value(state, side); }

  // Simultaneous.
  static void sample(const State& state, int player, Rng& rng, Orders& orders) {
    orders.place = rng.below(count(state, player, "candidates", player));
  }
  static nb::object named(const State& state, int player, const Orders& orders) {
    return listed(state, player, "candidates", player)[orders.place];
  }
  static void resolve(State& state, const Orders& move0, const Orders& move1, Rng& rng) {
    static PyObject* const type = kept("sandtable.rng", "Rng");
    const nb::object stream = nb::handle(type)(rng.below(0xffffffffu), "resolve");
    state.change("resolve", named(state, 0, move0), named(state, 1, move1), stream);
  }

 private:
  static double number(const nb::object& object) { return nb::cast<double>(nb::float_(object)); }

  template <class... Player>
  static const nb::list& listed(const State& state, int place, const char* method, Player... player) {
    auto& list = state.listed[place];
    if (!list) list = nb::list(state.own.attr(method)(player...));
    if (list->size() == 0) throw nb::value_error("the game is not over, but there is no move");
    return *list;
  }
  template <class... Player>
  static std::uint32_t count(const State& state, int place, const char* method, Player... player) {
    return static_cast<std::uint32_t>(listed(state, place, method, player...).size());
  }
};

}  // namespace sandtable
