// A state as a graph of what its units can do to each other (takahashi, section 4.2.1), with a node for each living unit
// and an edge for each ordered pair. The terrain enters through the damages.
//
//   node i       12 values, one for each kind and owner (the side to move's six, then the other's): HP / 10 in i's place;
//                and 1 if i belongs to the side to move and can still act in this turn
//   edge i -> j  1 for friends; 1 for enemies; the damage of an attack of i on j / 10; the least damage of j's counterattack
//                / 10, over all cells from which i can attack. Both damages are 0 if i cannot harm j, whether or not the
//                rules allow attacks that do no damage.
//
// Living units fill the rows in the order of their ids; the rest is zero. As in li2022's graph, the attacks of i do not
// depend on whether it has acted: the edges of a unit that has acted, or of the side not to move, show its threats.
#pragma once

#include <stdexcept>
#include <string>

#include "core/settings.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

struct DamageGraphEncoder {
  static constexpr int kNode = 2 * kKinds + 1, kEdge = 4;
  static constexpr float kHp = 0.1f;

  int rows = 8;

  static constexpr auto fields() {
    return std::tuple(field("rows", &DamageGraphEncoder::rows, 1, 2 * kMaxUnitsPerSide, "units at most"));
  }

  // Nodes [rows, 13], then edges [rows, rows, 4].
  std::array<int, 1> shape() const { return {static_cast<int>(size())}; }
  std::size_t size() const { return static_cast<std::size_t>(rows * (kNode + rows * kEdge)); }

  template <class Size>
  void check(const Board<Size>& board) const {
    if (board.units() > rows)
      throw std::invalid_argument("made for at most " + std::to_string(rows) + " units, and there are " +
                                  std::to_string(board.units()));
  }

  template <class Size>
  void encode(const State<Size>& state, float* out) const {
    const auto& board = state.board();
    std::fill_n(out, size(), 0.0f);
    std::array<std::int8_t, Size::kUnits> row;
    int next = 0;
    for_each_unit(state.alive(), [&](int unit) { row[unit] = static_cast<std::int8_t>(next++); });
    for_each_unit(state.alive(), [&](int unit) {
      float* node = out + row[unit] * kNode;
      const bool moves = board.side(unit) == state.side();
      node[board.kind(unit) + (moves ? 0 : kKinds)] = static_cast<float>(state.hp(unit)) * kHp;
      node[2 * kKinds] = static_cast<float>(state.ready() >> unit & 1);
      float* edges = out + rows * kNode + row[unit] * rows * kEdge;
      for_each_unit(state.alive(), [&](int other) {
        if (other != unit) edges[row[other] * kEdge + (board.side(other) == board.side(unit) ? 0 : 1)] = 1;
      });
      const auto own_prospect = prospect(state, unit);
      for_each_target(state, unit, stops(state, unit, own_prospect.flooded), own_prospect.near, [&](Target target) {
        Combat least = state.combat(attack(state, unit, target, 0));
        for (int k = 1; k < target.cells(); ++k)
          least.taken = std::min(least.taken, state.combat(attack(state, unit, target, k)).taken);
        edges[row[target.unit] * kEdge + 2] = static_cast<float>(least.dealt) * kHp;
        edges[row[target.unit] * kEdge + 3] = static_cast<float>(least.taken) * kHp;
      });
    });
  }
};

}  // namespace sandtable::tubstap
