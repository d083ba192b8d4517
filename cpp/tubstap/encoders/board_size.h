// The board size that all image encoders require.
#pragma once

#include <stdexcept>
#include <string>

#include "core/settings.h"
#include "tubstap/board.h"

namespace sandtable::tubstap {

template <class Encoder>
constexpr auto board_size_fields() {
  return std::tuple(field("width", &Encoder::width, 1, kMaxSide, "of the board"),
                    field("height", &Encoder::height, 1, kMaxSide, "of the board"));
}

// Throws std::invalid_argument unless the board is width x height cells.
template <class Size>
void check_board_size(const Board<Size>& board, int width, int height) {
  const auto size = [](int w, int h) { return std::to_string(w) + "x" + std::to_string(h); };
  if (board.width() != width || board.height() != height)
    throw std::invalid_argument("made for boards of " + size(width, height) + ", and this one is " +
                                size(board.width(), board.height()));
}

}  // namespace sandtable::tubstap
