// Checks of operations that come from outside the engine.
#pragma once

#include <string>
#include <vector>

#include "core/require.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

// The reason why an operation cannot be played; if it is legal, returns "" and sets `op`. Coordinates are the map file's.
template <class Size>
std::string illegal(const State<Size>& state, std::int64_t unit, std::int64_t x, std::int64_t y, std::int64_t target,
                    Operation& op) {
  const auto& board = state.board();
  const auto name = [](std::int64_t id) { return "unit " + std::to_string(id); };
  const auto known = [&](std::int64_t id) { return id >= 0 && id < board.units(); };
  const auto alive = [&](std::int64_t id) { return (state.alive() >> id & 1) != 0; };
  const auto place = [](std::int64_t px, std::int64_t py) { return "(" + std::to_string(px) + ", " + std::to_string(py) + ")"; };
  const std::string colour[2] = {"red", "blue"};

  if (state.over()) return "the game is over";
  if (!known(unit)) return "there is no " + name(unit);
  if (!alive(unit)) return name(unit) + " is dead";
  const int side = state.side(), u = static_cast<int>(unit);
  if (board.side(u) != side) return name(unit) + " is " + colour[1 - side] + "'s and " + colour[side] + " is to move";
  if (state.acted(u)) return name(unit) + " has acted in this turn";

  if (x < 1 || x > board.width() || y < 1 || y > board.height()) return place(x, y) + " is off the board";
  const int cell = board.cell(static_cast<int>(x) - 1, static_cast<int>(y) - 1);
  const auto reached = reach(state, u);
  if (!reached.test(cell)) return name(unit) + " cannot stop at " + place(x, y);
  op = Operation::to(u, cell);
  if (target == Operation::kNoTarget) return "";

  const std::string attack_text = name(unit) + " cannot attack " + name(target);
  if (!known(target)) return "there is no " + name(target) + " to attack";
  if (!alive(target)) return attack_text + ", which is dead";
  const int t = static_cast<int>(target);
  if (board.side(t) == side) return attack_text + " of its own side";
  if (!board.rules().harmless_attacks && !state.harms(u, t)) return attack_text + ": it would do no damage";
  if (!board.direct(u) && cell != state.cell(u)) return name(unit) + " is indirect: it cannot move and attack";
  op = Operation::to(u, cell, t);
  bool listed = false;
  with_legal_attacks(board.rules(), [&]<Attacks kAttacks>() {
    for_each_operation<kAttacks>(state, u, [&](const Operation& other) { listed |= other == op; });
  });
  if (!listed) return attack_text + " from " + place(x, y) + ": out of range";
  return "";
}

// An operation that comes from outside, in the map file's coordinates.
struct NamedOperation {
  std::int64_t unit, x, y, target = Operation::kNoTarget;
};

// Writes operations as rows of (unit, x, y, target).
template <class Size>
void write_named(const Board<Size>& board, const std::vector<Operation>& operations, std::int16_t* out) {
  for (const Operation& op : operations) {
    *out++ = op.unit;
    *out++ = static_cast<std::int16_t>(board.x(op.cell) + 1);
    *out++ = static_cast<std::int16_t>(board.y(op.cell) + 1);
    *out++ = op.target;
  }
}

// Throws std::invalid_argument with the reason if the operation is illegal.
template <class Size>
Operation legal_operation(const State<Size>& state, const NamedOperation& named) {
  Operation op;
  refuse("illegal move: ", illegal(state, named.unit, named.x, named.y, named.target, op));
  return op;
}

}  // namespace sandtable::tubstap
