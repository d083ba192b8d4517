// A game written in Python as the searches see it (search/game.h): they hold states that call Python. What a state must
// have is in sandtable/games/python_game.py. The interpreter's lock is held for the whole search.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "bindings/python_objects.h"
#include "core/rng.h"
#include "tubstap/game.h"

namespace sandtable {

// Moves are known by their places in the list of the state, which must depend on the position alone.
struct PythonMove {
  std::uint32_t place = 0;
  bool operator==(const PythonMove&) const = default;
};

// A copy of it is a copy of the position.
class PythonState {
 public:
  explicit PythonState(nanobind::object own) : own_(std::move(own)) {}
  PythonState(const PythonState& other) : own_(other.own_.attr("copy")()), moves_{other.moves_[0], other.moves_[1]} {}
  PythonState(PythonState&&) noexcept = default;
  PythonState& operator=(PythonState&&) noexcept = default;
  PythonState& operator=(const PythonState& other) { return *this = PythonState(other); }

  bool over() const { return nanobind::cast<bool>(nanobind::bool_(read("over"))); }
  int side() const { return nanobind::cast<int>(read("side")); }
  double value(int side) const { return nanobind::cast<double>(nanobind::float_(own_.attr("value")(side))); }
  // Of an unfinished game; 0 if the game has no estimate.
  double estimate(int side) const {
    return nanobind::hasattr(own_, "estimate") ? nanobind::cast<double>(nanobind::float_(own_.attr("estimate")(side))) : 0;
  }
  std::uint64_t hash() const {
    const nanobind::object hash = own_.attr("hash")();
    const std::uint64_t low = PyLong_AsUnsignedLongLongMask(hash.ptr());  // of a long one the lowest 64 bits
    if (PyErr_Occurred()) throw nanobind::python_error();
    return mix(low);
  }

  // The moves of who moves, or the candidates of a side; asked for once a position.
  const nanobind::list& moves() const {
    return listed(0, [&] { return own_.attr("moves")(); });
  }
  const nanobind::list& candidates(int side) const {
    return listed(side, [&] { return own_.attr("candidates")(side); });
  }
  void play(const nanobind::handle& move) {
    own_.attr("play")(move);
    forget();
  }
  void resolve(const nanobind::handle& move0, const nanobind::handle& move1, const nanobind::handle& rng) {
    own_.attr("resolve")(move0, move1, rng);
    forget();
  }

 private:
  // An attribute, or what the method of that name gives.
  nanobind::object read(const char* name) const {
    nanobind::object found = own_.attr(name);
    return PyCallable_Check(found.ptr()) ? found() : found;
  }
  template <class Make>
  const nanobind::list& listed(int place, Make&& make) const {
    if (!moves_[place].is_valid()) {
      moves_[place] = nanobind::list(make());
      if (moves_[place].size() == 0) throw nanobind::value_error("the game is not over, but there is no move");
    }
    return moves_[place];
  }
  void forget() { moves_[0] = moves_[1] = nanobind::steal<nanobind::list>(nanobind::handle()); }

  nanobind::object own_;
  mutable nanobind::list moves_[2] = {nanobind::steal<nanobind::list>(nanobind::handle()),
                                      nanobind::steal<nanobind::list>(nanobind::handle())};
};

struct PythonGame {
  using State = PythonState;
  using Move = PythonMove;
  using Orders = PythonMove;
  using Playout = tubstap::PlayoutKind;  // so that the searches' settings are one class for all games; only uniform ones

  static bool over(const State& state) { return state.over(); }
  static double value(const State& state, int side) { return state.value(side); }
  static std::uint64_t hash(const State& state) { return state.hash(); }

  // Sequential.
  static int side(const State& state) { return state.side(); }
  static void moves(const State& state, std::vector<Move>& out) {
    for (std::uint32_t i = 0; i < state.moves().size(); ++i) out.push_back({i});
  }
  static nanobind::object named(const State& state, const Move& move) { return state.moves()[move.place]; }
  static void play(State& state, const Move& move) { state.play(named(state, move)); }
  static void playout(State& state, const Playout&, Rng& rng) {
    while (!state.over()) play(state, {rng.below(static_cast<std::uint32_t>(state.moves().size()))});
  }
  static double result(const State& state, int side, const Playout&) { return value(state, side); }

  // Simultaneous.
  static void sample(const State& state, int player, Rng& rng, Orders& orders) {
    orders.place = rng.below(static_cast<std::uint32_t>(state.candidates(player).size()));
  }
  static void resolve(State& state, const Orders& move0, const Orders& move1, Rng& rng) {
    static PyObject* const type = kept(nanobind::module_::import_("sandtable.rng"), "Rng");
    const nanobind::object stream = nanobind::handle(type)(rng.below(0xffffffffu), "resolve");
    const nanobind::object first = state.candidates(0)[move0.place], second = state.candidates(1)[move1.place];
    state.resolve(first, second, stream);
  }
};

}  // namespace sandtable
