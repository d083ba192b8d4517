// The operators of coevolution, and CMA-ES in place of them.
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "conquest/game.h"
#include "search/coevolution/coevolution.h"
#include "tests/check.h"
#include "tests/toy.h"

namespace sandtable::tests {
namespace {

using namespace search;

void test_normal_numbers() {
  Rng rng(1);
  std::vector<double> all(100'001);  // an odd number: the second number of the last pair is dropped
  draw_normal(all, rng);
  double sum = 0, squares = 0, fourth = 0;
  int beyond_two = 0;
  for (const double z : all) {
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    beyond_two += std::abs(z) > 2;
  }
  const auto n = static_cast<double>(all.size());
  CHECK(std::abs(sum / n) < 0.015 && std::abs(squares / n - 1) < 0.02 && std::abs(fourth / n - 3) < 0.15);
  CHECK(std::abs(beyond_two / n - 0.0455) < 0.003);
}

// The fittest of k, drawn with replacement from n, is at place i with probability ((n - i)^k - (n - i - 1)^k) / n^k.
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

// The genes that a row of zeros and a row of ones exchanged, as bits.
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

// A quadratic whose curvature differs between axes by a factor of up to `condition`, with its minimum, 0, at (0, 1, 2, ...).
struct Quadratic {
  std::size_t n;
  double condition;

  double curvature(std::size_t i) const {
    return std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
  }
  double operator()(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = x[i] - static_cast<double>(i);
      sum += curvature(i) * d * d;
    }
    return sum;
  }
};

// Runs `generations` generations of `points` points; returns the best value of the last one.
double minimise(const Quadratic& f, SepCmaEs& search, std::size_t points, int generations) {
  Rng rng(2);
  std::vector<std::vector<double>> all(points, std::vector<double>(f.n));
  for (int g = 0; g < generations; ++g) {
    for (auto& point : all) search.sample(point, rng);
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return f(a) < f(b); });
    search.update(all);
  }
  return f(all[0]);
}

void test_cma_es_on_quadratics() {
  for (const double condition : {1.0, 1e6}) {
    const Quadratic f{20, condition};
    SepCmaEs search(std::vector<double>(f.n, 5), std::vector<double>(f.n, 2), 12);
    const double least = minimise(f, search, 12, condition == 1 ? 250 : 600);
    CHECK(least < 1e-9);
    for (std::size_t i = 0; i < f.n; ++i) CHECK(std::abs(search.mean()[i] - static_cast<double>(i)) < 1e-4);
    // On a quadratic the covariance matrix converges to the inverse of the Hessian, up to a factor.
    const double ratio = search.deviation(0) / search.deviation(f.n - 1);
    CHECK(ratio > 0.2 * std::sqrt(condition) && ratio < 5 * std::sqrt(condition));
  }
}

void test_cma_es_keeps_its_deviations_within_range() {
  const Quadratic f{5, 1};
  SepCmaEs search(std::vector<double>(5, 2), std::vector<double>{0, 1, 2, 3, 1000}, 10, 0.25, 4);
  CHECK(search.deviation(0) == 0.25 && search.deviation(4) == 4);
  minimise(f, search, 10, 200);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(search.deviation(i) >= 0.25 - 1e-12 && search.deviation(i) < 1);  // without a limit it would fall to 0 at the optimum
    CHECK(std::abs(search.mean()[i] - static_cast<double>(i)) < 0.5);
  }
}

// Points that were not sampled move the mean, but no further than sampled ones might have.
void test_cma_es_with_points_from_elsewhere() {
  SepCmaEs search({0, 0, 0}, {1, 1, 1}, 4);
  const std::vector<std::vector<double>> far(4, {1e6, 0, 0});
  search.update(far);
  CHECK(search.mean()[0] > 2 && search.mean()[0] < 4 && search.mean()[1] == 0);
  CHECK(search.deviation(0) < 6 && search.deviation(1) < 3);
}

const PairEvaluator<Digits> kDifference = [](auto states, auto values) {
  for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
};

// One of a million moves is the best reply to all others: all nines.
void test_cma_coevolution() {
  CmaCoevolution<Digits> search({}, kDifference);
  std::vector<int> sums;
  for (const std::uint64_t seed : {1, 1, 2}) {
    Rng rng(seed);
    const auto found = search.search({}, 1, Budget(60, 0), rng);
    CHECK(found.simulations == 60 && found.candidates.size() == 30);
    CHECK(Digits::sum(found.candidates[0].move) == 54 && Digits::sum(search.moves(0)[0]) == 54);
    int sum = 0;
    for (const auto& candidate : found.candidates) {
      for (const int digit : candidate.move.digit) CHECK(digit >= 0 && digit <= 9);  // repaired
      sum = 31 * sum % 1'000'003 + Digits::sum(candidate.move);
    }
    for (std::size_t i = 1; i < 30; ++i) CHECK(found.candidates[i - 1].value >= found.candidates[i].value);
    sums.push_back(sum);
  }
  CHECK(sums[0] == sums[1] && sums[0] != sums[2]);  // a seed gives one result, whatever was searched before
}

// Without time, the result is the first population; a player without income can only march.
void test_cma_coevolution_at_its_limits() {
  CmaCoevolution<Digits> search({.populations = {.population = 8, .elites = 8, .batch = 16}}, kDifference);
  Rng rng(4);
  CHECK(search.search({}, 0, Budget(100, 1e-9), rng).simulations == 0);
  MovesOfBoth<Digits::Orders> given{};
  given[0].assign(8, {{4, 4, 4, 4, 4, 4}});
  const auto found = search.search({}, 0, Budget(1, 0), rng, &given);
  for (const auto& candidate : found.candidates) CHECK(Digits::sum(candidate.move) == 24);  // all of them elites

  conquest::Setup setup;
  setup.territories = 3;
  setup.edges = {{0, 1}, {1, 2}};
  setup.rules.base_income = 0;
  const conquest::Land<conquest::Small> land(setup);
  conquest::State<conquest::Small> state(land);
  for (const int t : {0, 1, 2}) state.set(t, t == 0 ? 0 : 1, 4);
  using Game = conquest::Game<conquest::Small>;
  CmaCoevolution<Game> small({.populations = {.population = 4, .elites = 1}}, [](auto states, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = conquest::share_value(states[i], 0);
  });
  const auto moves = small.search(state, 1, Budget(5, 0), rng);
  for (const auto& candidate : moves.candidates) {
    CHECK(candidate.move.deploys.empty());  // no income
    for (const auto& march : candidate.move.marches) CHECK(march.source != 0);
  }
}

}  // namespace

void test_evolution() {
  test_normal_numbers();
  test_selection();
  test_crossover();
  test_cma_es_on_quadratics();
  test_cma_es_keeps_its_deviations_within_range();
  test_cma_es_with_points_from_elsewhere();
  test_cma_coevolution();
  test_cma_coevolution_at_its_limits();
}

}  // namespace sandtable::tests
