// A position of a game written in Python, for the searches on listed games (search/listed_game.h). The members that a
// state must have are described in sandtable/games/python_game.py. The interpreter's lock is held for the whole search.
#pragma once

#include "bindings/python.h"
#include "search/listed_game.h"
#include "tubstap/game.h"

namespace sandtable {

// A copy of it is a copy of the position.
class PythonPosition {
 public:
  using List = nb::list;

  explicit PythonPosition(nb::object state) : own_(std::move(state)) {}
  PythonPosition(const PythonPosition& other) : own_(other.own_.attr("copy")()) {}
  PythonPosition(PythonPosition&&) noexcept = default;
  PythonPosition& operator=(PythonPosition&&) noexcept = default;
  PythonPosition& operator=(const PythonPosition& other) { return *this = PythonPosition(other); }

  bool over() const { return nb::cast<bool>(nb::bool_(read("over"))); }
  int side() const { return nb::cast<int>(read("side")); }
  double value(int side) const { return number(own_.attr("value")(side)); }
  double estimate(int side) const { return nb::hasattr(own_, "estimate") ? number(own_.attr("estimate")(side)) : 0; }
  std::uint64_t hash() const {
    const nb::object hash = own_.attr("hash")();
    const std::uint64_t low = PyLong_AsUnsignedLongLongMask(hash.ptr());  // the lowest 64 bits of a longer integer
    if (PyErr_Occurred()) throw nb::python_error();
    return low;
  }
  nb::list moves() const { return nb::list(own_.attr("moves")()); }
  nb::list candidates(int player) const { return nb::list(own_.attr("candidates")(player)); }
  void play(const nb::object& move) { own_.attr("play")(move); }
  void resolve(const nb::object& move0, const nb::object& move1, std::uint32_t seed) {
    static PyObject* const type = kept("sandtable.rng", "Rng");
    own_.attr("resolve")(move0, move1, nb::handle(type)(seed, "resolve"));
  }

 private:
  static double number(const nb::object& object) { return nb::cast<double>(nb::float_(object)); }
  // The attribute of this name or, if it is a method, its result.
  nb::object read(const char* name) const {
    nb::object found = own_.attr(name);
    return PyCallable_Check(found.ptr()) ? found() : found;
  }

  nb::object own_;
};

// It has TUBSTAP's kinds of playouts, so that the settings of a search are one class for all games.
using PythonGame = search::ListedGame<PythonPosition, tubstap::PlayoutKind>;
using PythonState = PythonGame::State;

}  // namespace sandtable
