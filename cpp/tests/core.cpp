#include <vector>

#include "core/bit_grid.h"
#include "core/rng.h"
#include "tests/check.h"

namespace sandtable::tests {
namespace {

void test_rng() {
  Rng a(1, 2, 3), b(1, 2, 3), other(1, 2, 4);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto x = a.next();
    CHECK(x == b.next());
    differs |= x != other.next();
  }
  CHECK(differs);
  Rng rng(7);
  std::vector<int> seen(10);
  for (int i = 0; i < 10000; ++i) ++seen.at(rng.below(10));
  for (const int n : seen) CHECK(n > 850 && n < 1150);
  for (int i = 0; i < 1000; ++i) CHECK(rng.below(1) == 0);
  for (int i = 0; i < 1000; ++i) {
    const double u = rng.uniform();
    CHECK(u >= 0 && u < 1);
  }
}

void test_nth_bit() {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t word = i % 2 ? rng.next() : rng.next() & rng.next() & rng.next();
    int k = 0;
    for (int bit = 0; bit < 64; ++bit)
      if (word >> bit & 1) CHECK(nth_bit(word, k++) == bit);
  }
  for (int bit = 0; bit < 64; ++bit) CHECK(nth_bit(~std::uint64_t{0}, bit) == bit);
}

template <int Words>
void test_grid() {
  constexpr int kCells = 64 * Words;
  Rng rng(5, Words);
  for (int round = 0; round < 200; ++round) {
    BitGrid<Words> grid{};
    std::vector<bool> plain(kCells);
    for (int i = 0; i < static_cast<int>(rng.below(kCells)); ++i) {
      const int cell = static_cast<int>(rng.below(kCells));
      grid.set(cell);
      plain[cell] = true;
    }
    std::vector<int> cells;
    grid.for_each([&](int cell) { cells.push_back(cell); });
    CHECK(grid.count() == static_cast<int>(cells.size()));
    CHECK(grid.any() == !cells.empty());
    for (int i = 0; i < grid.count(); ++i) CHECK(grid.nth(i) == cells[i]);
    const int n = 1 + static_cast<int>(rng.below(63));
    const auto up = grid.up(n), down = grid.down(n);
    for (int cell = 0; cell < kCells; ++cell) {
      CHECK(grid.test(cell) == plain[cell]);
      CHECK(up.test(cell) == (cell >= n && plain[cell - n]));
      CHECK(down.test(cell) == (cell + n < kCells && plain[cell + n]));
    }
  }
}

}  // namespace

void test_core() {
  test_rng();
  test_nth_bit();
  test_grid<1>();
  test_grid<2>();
  test_grid<4>();
  test_grid<16>();
}

}  // namespace sandtable::tests
