// The operators of coevolution.
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "search/coevolution/coevolution.h"
#include "tests/check.h"

namespace sandtable::tests {
namespace {

using namespace search;

// The fittest of k, drawn with replacement from n, is place i with probability ((n - i)^k - (n - i - 1)^k) / n^k.
void test_selection() {
  constexpr int kDraws = 40'000, kPopulation = 5;
  for (const int size : {1, 2, 4}) {
    Rng rng(7);
    int drawn[kPopulation] = {};
    for (int i = 0; i < kDraws; ++i) ++drawn[select_parent(Selection::kTournament, size, kPopulation, rng)];
    for (int i = 0; i < kPopulation; ++i) {
      const double expected = std::pow((kPopulation - i) / 5.0, size) - std::pow((kPopulation - i - 1) / 5.0, size);
      CHECK(std::abs(drawn[i] / static_cast<double>(kDraws) - expected) < 0.01);
    }
  }
  Rng one(3), other(3);  // a random parent is one draw, whatever the size of tournaments
  for (int i = 0; i < 100; ++i) CHECK(select_parent(Selection::kRandom, 9, 30, one) == other.below(30));
}

// Which genes changed places between rows of zeros and of ones, as bits.
std::uint32_t crossed(CrossoverKind kind, std::size_t length, Rng& rng) {
  std::vector<std::int32_t> first(length, 0), second(length, 1);
  cross(kind, first, second, rng);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < length; ++i) {
    CHECK(first[i] + second[i] == 1);  // nothing is lost
    mask |= static_cast<std::uint32_t>(first[i]) << i;
  }
  return mask;
}

void test_crossover() {
  constexpr std::size_t kLength = 6;
  std::set<std::uint32_t> one_point, two_point, segments, tails;
  for (std::uint32_t from = 0; from < kLength; ++from)
    for (std::uint32_t to = from + 1; to <= kLength; ++to) segments.insert((1u << to) - (1u << from));
  for (std::uint32_t cut = 1; cut < kLength; ++cut) tails.insert((1u << kLength) - (1u << cut));
  Rng rng(5);
  std::vector<int> uniform(1 << kLength);
  for (int i = 0; i < 64'000; ++i) {
    if (i < 2000) one_point.insert(crossed(CrossoverKind::kOnePoint, kLength, rng));
    if (i < 2000) two_point.insert(crossed(CrossoverKind::kTwoPoint, kLength, rng));
    ++uniform[crossed(CrossoverKind::kUniform, kLength, rng)];
  }
  CHECK(one_point == tails && two_point == segments);
  for (const int count : uniform) CHECK(count > 800 && count < 1200);  // each of the 64 ways equally often
  CHECK(crossed(CrossoverKind::kOnePoint, 1, rng) == 0);
}

}  // namespace

void test_evolution() {
  test_selection();
  test_crossover();
}

}  // namespace sandtable::tests
