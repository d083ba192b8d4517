// A state as an image with its terrain (takahashi, section 4.3.1): planes of the board's size, rows from the top.
//
//   0..11   HP / 10 of the units of each kind, the side to move's six, then the other's
//   12..18  1 on cells of each terrain
//   19      1 where a unit stands that can still act in this turn
#pragma once

#include "tubstap/encoders/board_size.h"
#include "tubstap/state.h"

namespace sandtable::tubstap {

struct TerrainImageEncoder {
  static constexpr int kPlanes = 2 * kKinds + kTerrains + 1;
  static constexpr float kHp = 0.1f;

  int width = 8, height = 8;

  static constexpr auto fields() { return board_size_fields<TerrainImageEncoder>(); }

  std::array<int, 3> shape() const { return {kPlanes, height, width}; }
  std::size_t size() const { return static_cast<std::size_t>(kPlanes * width * height); }

  template <class Size>
  void check(const Board<Size>& board) const {
    check_board_size(board, width, height);
  }

  template <class Size>
  void encode(const State<Size>& state, float* out) const {
    const auto& board = state.board();
    const int cells = width * height;
    std::fill_n(out, size(), 0.0f);
    for (int x = 0; x < width; ++x)
      for (int y = 0; y < height; ++y) out[(2 * kKinds + board.terrain(board.cell(x, y))) * cells + y * width + x] = 1;
    for_each_unit(state.alive(), [&](int unit) {
      const int cell = state.cell(unit), at = board.y(cell) * width + board.x(cell);
      const int plane = board.kind(unit) + (board.side(unit) == state.side() ? 0 : kKinds);
      out[plane * cells + at] = static_cast<float>(state.hp(unit)) * kHp;
      out[(kPlanes - 1) * cells + at] = static_cast<float>(state.ready() >> unit & 1);
    });
  }
};

}  // namespace sandtable::tubstap
