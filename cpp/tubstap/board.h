// The part of a game that does not change: the terrain, the rules, each unit's kind and side, as tables that the
// engine reads. One board serves all states of a scenario.
//
// Cells are numbered column by column, cell = x * height + y with x, y from 0, so that ascending cells are
// ascending (x, y): lists of operations come out in their canonical order without sorting.
#pragma once

#include <array>
#include <cstdint>

#include "core/bit_grid.h"
#include "core/rng.h"
#include "tubstap/setup.h"

namespace sandtable::tubstap {

// The engine is compiled for five sizes; a scenario takes the smallest that holds it.
struct Small {
  static constexpr int kWords = 1, kUnits = 16;
  using Cell = std::uint8_t;
};
struct Compact {  // boards up to 11 x 11
  static constexpr int kWords = 2, kUnits = 32;
  using Cell = std::uint8_t;
};
struct Medium {
  static constexpr int kWords = 4, kUnits = 32;
  using Cell = std::uint8_t;
};
struct Wide {  // up to 512 cells, such as 22 x 22
  static constexpr int kWords = 8, kUnits = 64;
  using Cell = std::uint16_t;
};
struct Large {
  static constexpr int kWords = 16, kUnits = 64;
  using Cell = std::uint16_t;
};

template <class Size>
constexpr bool fits(const Setup& setup) {
  return setup.width * setup.height <= 64 * Size::kWords && setup.units.size() <= Size::kUnits;
}

template <class Size_>
class Board {
 public:
  using Size = Size_;
  using Grid = BitGrid<Size::kWords>;
  static constexpr int kCells = 64 * Size::kWords;

  // How a kind moves: enter[c] are the cells that cost c + 1 to enter.
  struct Mobility {
    int movement = 0;
    int max_cost = 1;
    std::array<Grid, kMaxCost> enter{};
  };

  // The setup must have passed check() and fit the size.
  explicit Board(const Setup& setup);

  const Rules& rules() const { return rules_; }
  int width() const { return width_; }
  int height() const { return height_; }
  int units() const { return units_; }
  // Equal for boards with the same terrain, the same rules apart from the limits, and units of the same kinds and sides.
  std::uint64_t fingerprint() const { return fingerprint_; }
  int kind(int unit) const { return kind_[unit]; }
  int side(int unit) const { return side_[unit]; }
  std::uint64_t units_of(int side) const { return units_of_[side]; }
  const Mobility& mobility(int kind) const { return mobility_[kind]; }
  bool direct(int unit) const { return direct_[kind_[unit]]; }

  int terrain(int cell) const { return terrain_[cell]; }
  int cell(int x, int y) const { return x * height_ + y; }
  int x(int cell) const { return x_[cell]; }
  int y(int cell) const { return y_[cell]; }
  int distance(int a, int b) const {
    const int dx = x_[a] - x_[b], dy = y_[a] - y_[b];
    return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
  }

  // The enemies against which the unit has any power.
  std::uint64_t prey(int unit) const { return prey_[unit]; }
  double power(int unit, int target) const { return power_[kind_[unit]][kind_[target]]; }
  // The defence that the cell gives to the unit.
  double defence(int unit, int cell) const { return defence_[air_[kind_[unit]]][cell]; }

  // The four cells next to this one in ascending order. This cell itself stands in for neighbours off the board.
  const std::array<typename Size::Cell, 4>& around(int cell) const { return around_[cell]; }
  // The cells next to any cell of the set, possibly including cells of the set. It is nearly all the work of flood(): a
  // function call for each round costs a sixth of the speed of playouts on grids of two words.
  [[gnu::always_inline]] Grid neighbours(const Grid& g) const {
    return g.up(height_) | g.down(height_) | (g.up(1) & not_first_row_) | (g.down(1) & not_last_row_);
  }

 private:
  Rules rules_;
  int width_, height_, units_;
  std::uint64_t fingerprint_ = 0;
  std::array<std::uint64_t, 2> units_of_{};
  Grid not_first_row_{}, not_last_row_{};
  std::array<std::uint8_t, Size::kUnits> kind_{}, side_{};
  std::array<std::uint64_t, Size::kUnits> prey_{};
  std::array<bool, kKinds> direct_{}, air_{};
  std::array<Mobility, kKinds> mobility_{};
  std::array<std::array<double, kKinds>, kKinds> power_{};
  std::array<std::array<std::uint8_t, kCells>, 2> defence_{};  // for ground and for air units
  std::array<std::int8_t, kCells> x_{}, y_{}, terrain_{};
  std::array<std::array<typename Size::Cell, 4>, kCells> around_{};
};

template <class Size>
Board<Size>::Board(const Setup& setup)
    : rules_(setup.rules), width_(setup.width), height_(setup.height), units_(static_cast<int>(setup.units.size())) {
  for (int k = 0; k < kKinds; ++k) {
    direct_[k] = rules_.direct(k);
    air_[k] = rules_.air[k];
    mobility_[k].movement = rules_.movement[k];
    for (int j = 0; j < kKinds; ++j) power_[k][j] = rules_.power[k][j];
  }
  for (int x = 0; x < width_; ++x) {
    for (int y = 0; y < height_; ++y) {
      const int c = cell(x, y), terrain = setup.terrain[y * width_ + x];
      x_[c] = static_cast<std::int8_t>(x);
      y_[c] = static_cast<std::int8_t>(y);
      terrain_[c] = static_cast<std::int8_t>(terrain);
      const auto next = [&](int nx, int ny) {
        const bool inside = nx >= 0 && nx < width_ && ny >= 0 && ny < height_;
        return static_cast<typename Size::Cell>(inside ? cell(nx, ny) : c);
      };
      around_[c] = {next(x - 1, y), next(x, y - 1), next(x, y + 1), next(x + 1, y)};
      if (y > 0) not_first_row_.set(c);
      if (y < height_ - 1) not_last_row_.set(c);
      defence_[false][c] = static_cast<std::uint8_t>(rules_.defence[terrain]);
      for (int k = 0; k < kKinds; ++k) {
        const int cost = rules_.cost[k][terrain];
        if (cost == 0) continue;
        mobility_[k].enter[cost - 1].set(c);
        mobility_[k].max_cost = std::max(mobility_[k].max_cost, cost);
      }
    }
  }
  for (int id = 0; id < units_; ++id) {
    kind_[id] = static_cast<std::uint8_t>(setup.units[id].kind);
    side_[id] = static_cast<std::uint8_t>(setup.units[id].side);
    units_of_[side_[id]] |= std::uint64_t{1} << id;
  }
  for (int id = 0; id < units_; ++id)
    for (int other = 0; other < units_; ++other)
      if (side_[id] != side_[other] && power(id, other) > 0) prey_[id] |= std::uint64_t{1} << other;

  const auto add = [&](int value) { fingerprint_ = mix(fingerprint_ ^ static_cast<std::uint64_t>(value)); };
  add(width_);
  add(height_);
  add(units_);
  for (const int terrain : setup.terrain) add(terrain);
  for (int id = 0; id < units_; ++id) add(2 * kind_[id] + side_[id]);
  for (int k = 0; k < kKinds; ++k) {
    for (const int power : rules_.power[k]) add(power);
    for (const int cost : rules_.cost[k]) add(cost);
    for (const int end : rules_.range[k]) add(end);
    add(2 * rules_.movement[k] + rules_.air[k]);
  }
  for (const int defence : rules_.defence) add(defence);
  add(rules_.real_hp);
  if (rules_.harmless_attacks) add(1);
}

}  // namespace sandtable::tubstap
