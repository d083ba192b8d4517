// A state as an image (li2022, section 3.1): planes of the board's size, rows from the top, each unit at its cell.
//
//            0          1            2            3           4
//   kFirst   HP         type number  side         mobility    1 if it can still act in this turn
//   kText    1          HP           attack       side        type number
//
// Side is 1 for red and -1 for blue. The paper names "position, HP, attack, color (side), type and other information" and
// prints no list; its weight count fits five planes. kFirst is our choice; kText has the five that the sentence names. The
// paper does not define "attack", and a unit's power depends on its target (Table 1). Our reading is the greatest power of
// its kind against any kind.
#pragma once

#include <algorithm>

#include "tubstap/encoders/attack_graph.h"
#include "tubstap/encoders/board_size.h"

namespace sandtable::tubstap {

struct UnitImageEncoder {
  enum class Planes { kFirst, kText };

  static constexpr int kPlanes = 5;
  static constexpr float kAttack = 0.01f;  // brings attack near [-1, 1]; the other factors are those of AttackGraphEncoder

  int width = 8, height = 8;
  Planes planes = Planes::kFirst;
  bool scaled = true;

  static constexpr auto fields() {
    using S = UnitImageEncoder;
    return std::tuple_cat(board_size_fields<S>(), std::tuple(field("planes", &S::planes, "first text", "what the planes show"),
                                                             field("scaled", &S::scaled, "scale values to about [-1, 1]")));
  }

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
      const auto set = [&](const std::array<float, kPlanes>& values) {
        for (int plane = 0; plane < kPlanes; ++plane) at[plane * width * height] = values[plane];
      };
      const auto number = [&](auto value, float scale) { return static_cast<float>(value) * (scaled ? scale : 1); };
      const float hp = number(state.hp(unit), AttackGraphEncoder::kHp);
      const float type = number(kind + 1, AttackGraphEncoder::kType);
      const float side = board.side(unit) == 0 ? 1.0f : -1.0f;
      if (planes == Planes::kFirst) {
        const float mobility = number(board.mobility(kind).movement, AttackGraphEncoder::kMobility);
        set({hp, type, side, mobility, static_cast<float>(can_act >> unit & 1)});
      } else {
        set({1.0f, hp, number(std::ranges::max(board.rules().power[kind]), kAttack), side, type});
      }
    });
  }
};

}  // namespace sandtable::tubstap
