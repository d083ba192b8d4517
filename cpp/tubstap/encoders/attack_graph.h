// A state as a graph (li2022, section 3.1): N x N matrices over the units, with an edge i -> j if unit i can attack unit j
// and has power against it. Other attacks are never edges, even if the rules allow them.
//
//   0  adjacency   1 on every edge: i can attack j in one turn on the current board, whether or not i has acted
//   1  HP          the attacker's, on every edge
//   2  type        the number of the attacker's kind on every edge, positive for red, negative for blue
//   3  mobility    the attacker's, on every edge
//   4  ready       in row i, if i can still act in this turn, 1 in the other side's columns
//   5  distance    Manhattan, between every two living units
//
// Rows are red's units, then blue's, each in the order of their ids. The paper has as many rows as the map has units; here
// a side has a fixed number of rows, so that one network plays with fewer units as well. A dead or absent unit's row is
// zero. The paper lists matrices 1 to 5; with the adjacency as a sixth its networks have the number of weights that it
// states.
#pragma once

#include <stdexcept>
#include <string>

#include "core/settings.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

struct AttackGraphEncoder {
  static constexpr int kMatrices = 6;
  // Factors that bring values near [-1, 1].
  static constexpr float kHp = 0.1f, kType = 1.0f / 6, kMobility = 0.1f, kDistance = 0.1f;

  int side_rows = 3;    // rows of each side
  int first_type = 1;   // the fighter's number; 0, as in the paper's figure, would make fighters invisible
  bool scaled = true;

  static constexpr auto fields() {
    using S = AttackGraphEncoder;
    return std::tuple(field("side_rows", &S::side_rows, 1, kMaxUnitsPerSide, "rows of each side"),
                      field("first_type", &S::first_type, "the fighter's number"),
                      field("scaled", &S::scaled, "scale values to about [-1, 1]"));
  }

  int rows() const { return 2 * side_rows; }
  std::array<int, 3> shape() const { return {kMatrices, rows(), rows()}; }
  std::size_t size() const { return static_cast<std::size_t>(kMatrices * rows() * rows()); }

  template <class Size>
  void check(const Board<Size>& board) const {
    for (int side = 0; side < 2; ++side) {
      const int units = std::popcount(board.units_of(side));
      if (units > side_rows)
        throw std::invalid_argument("made for at most " + std::to_string(side_rows) + " units a side, and there are " +
                                    std::to_string(units));
    }
  }

  template <class Size>
  void encode(const State<Size>& state, float* out) const {
    const auto& board = state.board();
    const int n = rows();
    std::fill_n(out, size(), 0.0f);
    float *adjacency = out, *hp = out + n * n, *type = out + 2 * n * n, *mobility = out + 3 * n * n;
    float *ready = out + 4 * n * n, *distance = out + 5 * n * n;
    std::array<std::int8_t, Size::kUnits> row;
    for (int side = 0; side < 2; ++side) {
      int next = side * side_rows;
      for_each_unit(board.units_of(side), [&](int unit) { row[unit] = static_cast<std::int8_t>(next++); });
    }
    const std::uint64_t can_act = state.ready();
    for_each_unit(state.alive(), [&](int unit) {
      const int at = row[unit] * n, side = board.side(unit);
      const float own_hp = static_cast<float>(state.hp(unit)) * (scaled ? kHp : 1);
      const float number = static_cast<float>(board.kind(unit) + first_type) * (scaled ? kType : 1);
      const float own_type = side == 0 ? number : -number;
      const float own_mobility = static_cast<float>(board.mobility(board.kind(unit)).movement) * (scaled ? kMobility : 1);
      const auto own_prospect = prospect(state, unit);
      const auto reached = stops(state, unit, own_prospect.flooded);
      for_each_unit(own_prospect.near, [&](int target) {
        if (!attack_cells(state, unit, target, reached)) return;
        const int edge = at + row[target];
        adjacency[edge] = 1;
        hp[edge] = own_hp;
        type[edge] = own_type;
        mobility[edge] = own_mobility;
      });
      if (can_act >> unit & 1) std::fill_n(ready + at + (1 - side) * side_rows, side_rows, 1.0f);
      for_each_unit(state.alive(), [&](int other) {
        const int cells = board.distance(state.cell(unit), state.cell(other));
        distance[at + row[other]] = static_cast<float>(cells) * (scaled ? kDistance : 1);
      });
    });
  }
};

}  // namespace sandtable::tubstap
