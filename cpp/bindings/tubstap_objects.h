// What the bindings of TUBSTAP share: the state as Python holds it, and moves as its named tuples.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "bindings/python_objects.h"
#include "tubstap/any_state.h"
#include "tubstap/game.h"
#include "tubstap/playout.h"

namespace sandtable {

// The named tuples and words of sandtable.tubstap.types, looked up once.
struct TubstapTypes {
  PyObject* move;
  PyObject* unit;
  PyObject* combat;
  std::array<PyObject*, tubstap::kKinds> kind;

  static const TubstapTypes& get() {
    static const TubstapTypes types;
    return types;
  }

 private:
  TubstapTypes() {
    const nanobind::module_ m = nanobind::module_::import_("sandtable.tubstap.types");
    move = kept(m, "Move");
    unit = kept(m, "Unit");
    combat = kept(m, "Combat");
    for (int k = 0; k < tubstap::kKinds; ++k) kind[k] = nanobind::object(m.attr("KINDS")[nanobind::int_(k)]).release().ptr();
  }
};

// nanobind tells types apart by their names, anonymous namespaces or not: no two bindings share one.
struct PyTubstapState {
  tubstap::AnyState state;
  nanobind::object scenario;

  PyTubstapState copy() const { return *this; }
};

template <class Size>
PyObject* tubstap_move(const tubstap::Board<Size>& board, const tubstap::Operation& op) {
  return named_tuple(TubstapTypes::get().move, PyLong_FromLong(op.unit), PyLong_FromLong(board.x(op.cell) + 1),
                     PyLong_FromLong(board.y(op.cell) + 1), op.attacks() ? PyLong_FromLong(op.target) : none());
}

// As searches give moves to Python.
inline constexpr auto kTubstapMove = [](const auto& state, const tubstap::Operation& op) {
  return nanobind::steal(tubstap_move(state.board(), op));
};

template <class State>
using TubstapGame = tubstap::Game<typename State::Size>;

inline tubstap::Policy playout_policy(const std::string& word) {
  if (word == "uniform") return tubstap::Policy::kUniform;
  if (word == "flat") return tubstap::Policy::kFlat;
  if (word == "attack80") return tubstap::Policy::kAttack80;
  if (word == "attack80_harmful") return tubstap::Policy::kAttack80Harmful;
  throw std::invalid_argument("unknown policy '" + word + "': uniform, flat, attack80 or attack80_harmful");
}

}  // namespace sandtable
