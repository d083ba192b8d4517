// A state as an image (li2022, section 3.1): planes of the board's size, rows from the top, each unit at its cell.
//
//   0  HP   1  type number   2  side, 1 for red and -1 for blue   3  mobility   4  1 if it can still act in this turn
//
// The paper names "position, HP, attack, color (side), type and other information" and prints no list: this one is ours.
#pragma once

#include "tubstap/encoders/attack_graph.h"
#include "tubstap/encoders/board_size.h"

namespace sandtable::tubstap {

struct UnitImageEncoder {
  static constexpr int kPlanes = 5;

  int width = 8, height = 8;

  std::array<int, 3> shape() const { return {kPlanes, height, width}; }
  std::size_t size() const { return static_cast<std::size_t>(kPlanes * width * height); }

  template <class Size>
  void check(const Board<Size>& board) const {
    check_board_size(board, width, height);
  }

  template <class Size>
  void encode(const State<Size>& state, float* out) const {
    const auto& board = state.board();
    std::fill_n(out, size(), 0.0f);
    const std::uint64_t can_act = state.ready();
    for_each_unit(state.alive(), [&](int unit) {
      const int cell = state.cell(unit), kind = board.kind(unit);
      float* at = out + board.y(cell) * width + board.x(cell);
      const auto plane = [&](int number) -> float& { return at[number * width * height]; };
      plane(0) = static_cast<float>(state.hp(unit)) * AttackGraphEncoder::kHp;
      plane(1) = static_cast<float>(kind + 1) * AttackGraphEncoder::kType;
      plane(2) = board.side(unit) == 0 ? 1.0f : -1.0f;
      plane(3) = static_cast<float>(board.mobility(kind).movement) * AttackGraphEncoder::kMobility;
      plane(4) = static_cast<float>(can_act >> unit & 1);
    });
  }
};

}  // namespace sandtable::tubstap
