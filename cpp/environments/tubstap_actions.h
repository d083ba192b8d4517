// The operations of a board as numbers of a fixed range, for learners with a discrete action space and a mask of legal
// actions.
//
// Each unit of a side, dead or alive, has a row; rows are in the order of ids. With R rows (the number of units of the
// larger side) and C cells, a row has C + 4 R numbers:
//
//   cell                 the unit goes there, or stays; cells row by row from the top, as in images
//   C + 4 * target + k   it attacks the enemy of that row: k = 0 from the cell left of it, 1 above, 2 below, 3 right; an
//                        indirect unit, which attacks from where it stands, has k = 0 alone
//
// After all rows there is one more number, the end of the turn. `State::play` ends a turn by itself when its last unit has
// acted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tubstap/legality.h"

namespace sandtable::environments {

// An operation, or none to end the turn early. A NamedMove comes from outside and is checked by legal_move().
using TubstapMove = std::optional<tubstap::Operation>;
using NamedMove = std::optional<tubstap::NamedOperation>;

template <class Size>
TubstapMove legal_move(const tubstap::State<Size>& state, const NamedMove& named) {
  if (named) return tubstap::legal_operation(state, *named);
  require(!state.over(), "the game is over");
  return {};
}

class TubstapActions {
 public:
  template <class Size>
  explicit TubstapActions(const tubstap::Board<Size>& board)
      : cells_(board.width() * board.height()), image_cell_(static_cast<std::size_t>(cells_)), board_cell_(image_cell_) {
    for (int cell = 0; cell < cells_; ++cell) {
      const int in_image = board.y(cell) * board.width() + board.x(cell);
      image_cell_[static_cast<std::size_t>(cell)] = static_cast<std::uint16_t>(in_image);
      board_cell_[static_cast<std::size_t>(in_image)] = static_cast<std::uint16_t>(cell);
    }
    for (int side = 0; side < 2; ++side) {
      int next = 0;
      tubstap::for_each_unit(board.units_of(side), [&](int unit) {
        row_[unit] = static_cast<std::uint8_t>(next);
        unit_[side][next++] = static_cast<std::uint8_t>(unit);
      });
      units_[side] = next;
    }
    rows_ = std::max(units_[0], units_[1]);
  }

  int rows() const { return rows_; }
  int row(int unit) const { return row_[unit]; }
  std::int64_t end_turn() const { return static_cast<std::int64_t>(rows_) * per_row(); }
  std::int64_t count() const { return end_turn() + 1; }

  // Writes count() numbers, 1 for every legal action and 0 for the others. The end of the turn is always 1, so that a mask
  // is never empty.
  template <class Size>
  void write_mask(const tubstap::State<Size>& state, std::uint8_t* mask) const;

  template <class Size>
  std::int64_t number(const tubstap::State<Size>& state, const TubstapMove& move) const;

  // Sets `move` and returns true if the action is legal.
  template <class Size>
  bool read(const tubstap::State<Size>& state, std::int64_t action, TubstapMove& move) const;

 private:
  int per_row() const { return cells_ + 4 * rows_; }
  int image_cell(int cell) const { return image_cell_[static_cast<std::size_t>(cell)]; }
  int board_cell(int in_image) const { return board_cell_[static_cast<std::size_t>(in_image)]; }

  int cells_, rows_ = 0;
  std::vector<std::uint16_t> image_cell_, board_cell_;  // tables, because a division for each cell would cost more than flood()
  std::array<int, 2> units_{};
  std::array<std::uint8_t, 2 * tubstap::kMaxUnitsPerSide> row_{};
  std::array<std::array<std::uint8_t, tubstap::kMaxUnitsPerSide>, 2> unit_{};
};

template <class Size>
void TubstapActions::write_mask(const tubstap::State<Size>& state, std::uint8_t* mask) const {
  using namespace tubstap;
  std::fill_n(mask, count(), std::uint8_t{0});
  mask[end_turn()] = 1;
  if (state.over()) return;
  with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
    for_each_unit(state.ready(), [&](int unit) {
      std::uint8_t* const of_unit = mask + static_cast<std::ptrdiff_t>(row_[unit]) * per_row();
      const auto found = prospect<kAttacks>(state, unit);
      const auto reached = stops(state, unit, found.flooded);
      reached.for_each([&](int cell) { of_unit[image_cell(cell)] = 1; });
      for_each_target<kAttacks>(state, unit, reached, found.near, [&](Target target) {
        std::uint8_t* const from = of_unit + cells_ + 4 * row_[target.unit];
        for (int k = 0; k < 4; ++k) from[k] = target.from >> k & 1;
      });
    });
  });
}

template <class Size>
std::int64_t TubstapActions::number(const tubstap::State<Size>& state, const TubstapMove& move) const {
  if (!move) return end_turn();
  const auto& board = state.board();
  const std::int64_t first = static_cast<std::int64_t>(row_[move->unit]) * per_row();
  if (!move->attacks()) return first + image_cell(move->cell);
  int k = 0;
  if (board.direct(move->unit)) {
    const auto& around = board.around(state.cell(move->target));
    while (around[k] != move->cell) ++k;
  }
  return first + cells_ + 4 * row_[move->target] + k;
}

template <class Size>
bool TubstapActions::read(const tubstap::State<Size>& state, std::int64_t action, TubstapMove& move) const {
  using namespace tubstap;
  move.reset();
  if (state.over() || action < 0 || action >= count()) return false;
  if (action == end_turn()) return true;
  const auto& board = state.board();
  const int side = state.side(), row = static_cast<int>(action / per_row()), rest = static_cast<int>(action % per_row());
  if (row >= units_[side]) return false;
  const int unit = unit_[side][row];
  if (!(state.ready() >> unit & 1)) return false;
  const auto reached = reach(state, unit);
  if (rest < cells_) {
    move = Operation::to(unit, board_cell(rest));
    return reached.test(board_cell(rest));
  }
  const int target_row = (rest - cells_) / 4, k = (rest - cells_) % 4;
  if (target_row >= units_[1 - side]) return false;
  const int target = unit_[1 - side][target_row];
  if (!(state.alive() >> target & 1)) return false;
  if (!board.rules().harmless_attacks && !state.harms(unit, target)) return false;
  if (board.direct(unit)) {
    move = Operation::to(unit, board.around(state.cell(target))[k], target);
    return attack_cells(state, unit, target, reached) >> k & 1;
  }
  const auto [least, greatest] = board.rules().range[board.kind(unit)];
  const int distance = board.distance(state.cell(unit), state.cell(target));
  move = Operation::to(unit, state.cell(unit), target);
  return k == 0 && distance >= least && distance <= greatest;
}

}  // namespace sandtable::environments
