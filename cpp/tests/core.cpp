#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/any_field.h"
#include "core/bit_grid.h"
#include "core/exponential.h"
#include "core/gamma.h"
#include "core/hash.h"
#include "core/logarithm.h"
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
  std::vector<int> counts(10);
  for (int i = 0; i < 10000; ++i) ++counts.at(rng.below(10));
  for (const int n : counts) CHECK(n > 850 && n < 1150);
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

// The number of steps from one positive double to another.
std::int64_t steps(double a, double b) { return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b)); }

// Our functions compared with the C library's, which are accurate to a unit in the last place.
void test_logarithm_and_exponential() {
  std::int64_t worst = 0;
  Rng rng(11);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.below(2000)) - 1000);
    const double near = 0.5 + 1.5 * rng.uniform();
    for (const double one : {x, near, 1 + x * 1e-300 + 1e-9 * near}) worst = std::max(worst, steps(std::abs(logarithm(one)), std::abs(std::log(one))));
  }
  CHECK(worst <= 4);
  CHECK(logarithm(1) == 0);
  worst = 0;
  for (int i = 0; i < 20'000; ++i)
    for (const double x : {1400 * rng.uniform() - 700, 4 * rng.uniform() - 2}) worst = std::max(worst, steps(exponential(x), std::exp(x)));
  for (double x = -1; x <= 1; x += 1.0 / 64) worst = std::max(worst, steps(exponential(x), std::exp(x)));
  CHECK(worst <= 4);
  CHECK(exponential(0) == 1 && exponential(-1000) == 0 && exponential(1000) == std::numeric_limits<double>::infinity());
  CHECK(exponential(-745) > 0 && std::isfinite(exponential(709.7)));
}

void test_power() {
  Rng rng(12);
  bool good = true;
  for (int i = 0; i < 20'000; ++i) {
    const double x = rng.uniform() + 1e-9, y = 20 * rng.uniform() + 0.01, expected = std::pow(x, y);
    good = good && std::abs(power(x, y) / expected - 1) < 1e-15 * (4 + std::abs(std::log(expected)));
  }
  CHECK(good);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(power(0, 3) == 0 && power(1, kInfinity) == 1 && power(0.5, kInfinity) == 0 && power(0.5, 1e-3) < 1);
}

// Encoders scale armies by this function: as floats, the results are the C library's to the last bit.
void test_logarithms_of_integers() {
  bool same = true;
  for (int n = 0; n <= 1'000'000; ++n)
    same = same && static_cast<float>(logarithm(1.0 + n)) == static_cast<float>(std::log1p(static_cast<double>(n)));
  CHECK(same);
}

void test_gamma() {
  for (const double shape : {0.03, 0.3, 1.0, 2.5, 40.0}) {
    Rng rng(13);
    GammaDistribution gamma(shape);
    constexpr int kDraws = 40'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = gamma.draw(rng);
      CHECK(x >= 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    CHECK(std::abs(mean - shape) < 5 * std::sqrt(shape / kDraws));
    CHECK(std::abs(variance / shape - 1) < 5 * std::sqrt((2 + 6 / shape) / kDraws));
  }
#ifdef __GLIBCXX__
  // The same numbers as GNU's library draws, from the same random bits.
  struct Bits {
    using result_type = std::uint32_t;
    Rng& rng;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return 0xffffffffu; }
    result_type operator()() { return static_cast<result_type>(rng.next() >> 32); }
  };
  for (const double shape : {0.3, 1.0, 2.5}) {
    Rng own(14), other(14);
    Bits bits{other};
    GammaDistribution gamma(shape);
    std::gamma_distribution<double> standard(shape, 1.0);
    for (int i = 0; i < 2000; ++i) {
      const double x = gamma.draw(own), expected = standard(bits);
      CHECK(std::abs(x - expected) <= 1e-12 * expected);
    }
    CHECK(own.next() == other.next());
  }
#endif
}

void test_hash_values() {
  const std::vector<float> some{1, 2, 3}, longer{1, 2, 3, 0}, other{1, 2, 4};
  const auto hash = [](const std::vector<float>& values, std::uint64_t begin = 0) { return hash_values(begin, std::span(values)); };
  CHECK(hash(some) == hash(std::vector(some)) && hash(some) != hash(longer) && hash(some) != hash(other));
  CHECK(hash(some) != hash(some, 1) && hash({0.0f}) != hash({-0.0f}) && hash({}) != hash({0.0f}));
}

enum class Colour { kRed, kGreen, kBlue };

struct Inner {
  double share = 0.5;
  static constexpr auto fields() { return std::tuple(field("share", &Inner::share, 0, 1, "a share")); }
};

struct Outer {
  std::uint64_t steps = 7;
  std::optional<std::uint64_t> rounds = 3;
  int rows = 4;
  bool bold = true;
  Colour colour = Colour::kGreen;
  Inner inner{};

  static constexpr auto fields() {
    using S = Outer;
    return std::tuple_cat(std::tuple(count("steps", &S::steps, "steps"), count("rounds", &S::rounds, "rounds", 0),
                                     field("rows", &S::rows, 1, 8, "rows"), field("bold", &S::bold, "bold"),
                                     field("colour", &S::colour, "red green blue", "a colour")),
                          within(&S::inner, Inner::fields()));
  }
};

// Whether f() throws std::invalid_argument with this message.
bool refuses(const char* words, auto&& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()) == words;
  }
  return false;
}

void test_any_field() {
  const auto fields = any_fields<Outer>();
  Outer settings;
  const std::vector<FieldValue> defaults{std::int64_t{7}, std::int64_t{3}, std::int64_t{4}, true, std::string("green"), 0.5};
  const std::vector<FieldType> types{FieldType::kInteger, FieldType::kInteger, FieldType::kInteger,
                                     FieldType::kBool,    FieldType::kWord,    FieldType::kReal};
  CHECK(fields.size() == defaults.size());
  for (std::size_t i = 0; i < fields.size(); ++i) CHECK(fields[i].get(&settings) == defaults[i] && fields[i].type == types[i]);

  const std::vector<FieldValue> others{std::monostate{}, std::int64_t{0}, std::int64_t{8}, false, std::string("blue"), 0.25};
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i].set(&settings, others[i]);
  for (std::size_t i = 0; i < fields.size(); ++i) CHECK(fields[i].get(&settings) == others[i]);
  CHECK(settings.steps == 0 && settings.rounds == 0u && settings.rows == 8 && !settings.bold);
  CHECK(settings.colour == Colour::kBlue && settings.inner.share == 0.25);
  fields[1].set(&settings, std::monostate{});
  CHECK(!settings.rounds);

  check_ranges({fields[2]}, &settings);
  settings.rows = 9;
  CHECK(refuses("rows must be within 1..8", [&] { check_ranges({fields[2]}, &settings); }));
  CHECK(refuses("colour must be red, green or blue", [&] { fields[4].set(&settings, std::string("mauve")); }));
  CHECK(settings.colour == Colour::kBlue);
  CHECK(refuses("rows is out of range", [&] { fields[2].set(&settings, (std::int64_t{1} << 32) + 4); }));
  CHECK(refuses("steps is out of range", [&] { fields[0].set(&settings, std::int64_t{-1}); }) && settings.rows == 9);
}

}  // namespace

void test_core() {
  test_any_field();
  test_logarithm_and_exponential();
  test_power();
  test_logarithms_of_integers();
  test_gamma();
  test_hash_values();
  test_rng();
  test_nth_bit();
  test_grid<1>();
  test_grid<2>();
  test_grid<4>();
  test_grid<8>();
  test_grid<16>();
}

}  // namespace sandtable::tests
