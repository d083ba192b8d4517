// A state as a graph and as an image (takahashi, section 4.4): the graph's values, then the image's, then for each row of
// the graph the cell of its unit, counted row by row from the top, or -1 for a row without a unit.
#pragma once

#include "tubstap/encoders/damage_graph.h"
#include "tubstap/encoders/terrain_image.h"

namespace sandtable::tubstap {

struct CombinedEncoder {
  DamageGraphEncoder graph;
  TerrainImageEncoder image;

  static constexpr auto fields() {
    using S = CombinedEncoder;
    return std::tuple_cat(within(&S::graph, DamageGraphEncoder::fields()), within(&S::image, TerrainImageEncoder::fields()));
  }

  std::array<int, 1> shape() const { return {static_cast<int>(size())}; }
  std::size_t size() const { return graph.size() + image.size() + static_cast<std::size_t>(graph.rows); }

  template <class Size>
  void check(const Board<Size>& board) const {
    graph.check(board);
    image.check(board);
  }

  template <class Size>
  void encode(const State<Size>& state, float* out) const {
    graph.encode(state, out);
    image.encode(state, out + graph.size());
    float* cells = out + graph.size() + image.size();
    std::fill_n(cells, graph.rows, -1.0f);
    const auto& board = state.board();
    for_each_unit(state.alive(), [&](int unit) {
      const int cell = state.cell(unit);
      *cells++ = static_cast<float>(board.y(cell) * image.width + board.x(cell));
    });
  }
};

}  // namespace sandtable::tubstap
