// The input of kimura2020's network (section 3.4): for every unit that can still act one image of the 6x6 board, which asks
// about the moves of that unit. The network answers with 180 logits, one for each destination and direction of an attack
// (or no attack) from there, and a value.
//
//   planes  terrain / 6; HP / 10 of the side to move; HP / 10 of the other; 1 on cells of units that can still act; 1 on the
//           cell of the unit that is asked about
//   logits  cell * 5 + direction, cells row by row from the top, directions: no attack, left, up, down, right
//
// The priors of each unit's moves are a softmax over their logits, and the moves of each unit have the same total prior.
// The value is the mean over the units.
#pragma once

#include <stdexcept>

#include "tubstap/encoders/board_size.h"
#include "tubstap/encoders/softmax.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

class UnitQuestionBatch {
 public:
  static constexpr int kSide = 6, kCells = kSide * kSide, kPlanes = 5, kDirections = 5, kAnswers = kCells * kDirections;

  template <class Size>
  static void check(const Board<Size>& board) {
    check_board_size(board, kSide, kSide);
    for (int unit = 0; unit < board.units(); ++unit)
      if (!board.direct(unit)) throw std::invalid_argument("made for units that attack their neighbours only");
  }
  // The network sees neither the clock nor the rules.
  template <class Size>
  static std::uint64_t key(const State<Size>& state) {
    return state.position_hash();
  }

  void clear() {
    planes_.clear();
    rows_.clear();
    answers_.clear();
    states_.clear();
  }

  // The moves are those of the state, in their order: unit by unit.
  template <class Size>
  void add(const State<Size>& state, std::span<const Operation> moves) {
    const auto& board = state.board();
    states_.push_back({rows_.size(), static_cast<std::size_t>(std::popcount(state.ready()))});
    for_each_unit(state.ready(), [&](int unit) {
      rows_.push_back({answers_.size(), 0});
      planes_.resize(planes_.size() + kPlanes * kCells, 0.0f);
      float* plane = planes_.data() + planes_.size() - kPlanes * kCells;
      for (int cell = 0; cell < kCells; ++cell) plane[place(board, cell)] = static_cast<float>(board.terrain(cell)) / 6;
      for_each_unit(state.alive(), [&](int other) {
        const int at = place(board, state.cell(other));
        plane[(board.side(other) == state.side() ? 1 : 2) * kCells + at] = static_cast<float>(state.hp(other)) / 10;
        if (state.ready() >> other & 1) plane[3 * kCells + at] = 1;
      });
      plane[4 * kCells + place(board, state.cell(unit))] = 1;
      for (const Operation& move : moves)
        if (move.unit == unit) answers_.push_back(answer(state, move));
      rows_.back().answers = answers_.size() - rows_.back().first;
    });
  }

  // Appends the indices of the logits of the moves of the state that was added last.
  template <class Size>
  void places(const State<Size>& state, std::span<const Operation> moves, std::vector<std::int64_t>& out) const {
    for (const Operation& move : moves) {
      const int earlier = std::popcount(state.ready() & ((std::uint64_t{1} << move.unit) - 1));
      out.push_back(static_cast<std::int64_t>((states_.back().first + static_cast<std::size_t>(earlier)) * kAnswers) +
                    answer(state, move));
    }
  }

  std::size_t states() const { return states_.size(); }
  std::size_t rows() const { return rows_.size(); }
  float* planes() { return planes_.data(); }
  std::size_t values_wanted() const { return rows(); }
  std::size_t logits_wanted() const { return rows() * kAnswers; }

  // The priors of state i's moves, and its value, from the network's values and logits of all rows.
  void read(std::size_t i, std::span<const float> values, std::span<const float> logits, std::vector<float>& priors,
            float& value) const {
    const auto [first, units] = states_[i];
    const float share = 1.0f / static_cast<float>(units);
    priors.clear();
    value = 0;
    for (std::size_t row = first; row < first + units; ++row) {
      value += values[row] * share;
      const std::size_t begin = priors.size();
      for (std::size_t k = 0; k < rows_[row].answers; ++k)
        priors.push_back(logits[row * kAnswers + answers_[rows_[row].first + k]]);
      softmax(std::span(priors).subspan(begin), share);
    }
  }

  // The index of a move's logit among the 180 logits of its unit.
  template <class Size>
  static std::uint16_t answer(const State<Size>& state, const Operation& move) {
    const auto& board = state.board();
    int direction = 0;
    if (move.attacks()) {
      const int target = state.cell(move.target), dx = board.x(target) - board.x(move.cell);
      direction = dx ? (dx < 0 ? 1 : 4) : (board.y(target) < board.y(move.cell) ? 2 : 3);
    }
    return static_cast<std::uint16_t>(place(board, move.cell) * kDirections + direction);
  }

 private:
  struct Row {
    std::size_t first, answers;  // of answers_
  };
  struct Rows {
    std::size_t first, count;
  };

  // The index of a cell in the images, whose cells are counted row by row.
  template <class Size>
  static int place(const Board<Size>& board, int cell) {
    return board.y(cell) * kSide + board.x(cell);
  }

  std::vector<float> planes_;
  std::vector<Row> rows_;
  std::vector<std::uint16_t> answers_;
  std::vector<Rows> states_;
};

}  // namespace sandtable::tubstap
