// The common part of the searches that evolve a population of moves for each player (coevolution.h): the first
// populations, and the fitness of every move, its mean value against the other population (soares2025, section 4.2.2).
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/settings.h"
#include "search/budget.h"
#include "search/turn_evaluator.h"

namespace sandtable::search {

// Settings that these searches share.
struct PopulationSettings {
  std::uint64_t generations = 100;
  int population = 30;
  int elites = 5;
  int sampled = 90;
  int batch = 128;  // pairs between two looks at the clock; not a setting of players

  // The fields of a struct that has these settings as its member `populations`, with its own ones in between.
  template <class Settings>
  static constexpr auto fields_with(auto... own) {
    using S = PopulationSettings;
    return std::tuple_cat(
        within(&Settings::populations,
               std::tuple(count("generations", &S::generations, "generations for a move"),
                          field("population", &S::population, 2, 200, "moves of each player"),
                          field("elites", &S::elites, 0, "population", "moves that survive a generation unchanged, with their fitness"))),
        std::tuple(own...),
        within(&Settings::populations,
               std::tuple(field("sampled", &S::sampled, 1, 100'000,
                                "random moves among which the network chooses the first populations, with initialise=policy"))));
  }
};

// A game whose orders can be written as a row of numbers; see conquest/genes.h.
template <class G>
concept EvolvableGame = SimultaneousGame<G> && requires(const typename G::State c, typename G::Orders& orders,
                                                        std::int32_t* genes, Rng& rng) {
  { G::gene_count(c) } -> std::convertible_to<int>;
  { G::random_gene(c, 0, 0, rng) } -> std::convertible_to<int>;  // for a player and the place of a gene
  G::encode(c, orders, genes);
  G::decode(c, genes, orders);
  G::repair(c, 0, genes, rng);
  G::adapt(c, 0, genes, rng, orders);  // orders for a position for which the genes were not made; the genes may change
};

// `size` moves of a player: first the given ones, then sampled ones. If `sampled` is above 0, that many are sampled,
// and the logits of the evaluator choose among them (section 4.3).
template <SimultaneousGame Game>
std::vector<typename Game::Orders> first_moves(const typename Game::State& root, int player, std::size_t size, int sampled,
                                               const TurnEvaluator<Game>& weigh,
                                               const std::vector<typename Game::Orders>& given, Rng& rng) {
  std::vector<typename Game::Orders> moves(std::max(size, static_cast<std::size_t>(sampled)));
  for (auto& orders : moves) Game::sample(root, player, rng, orders);
  std::vector<std::size_t> best(moves.size());
  std::iota(best.begin(), best.end(), 0);
  if (sampled > 0) {
    double value;
    std::vector<double> logits(moves.size());
    const Question<Game> question{&root, player, moves};
    weigh(std::span(&question, 1), std::span(&value, 1), logits);
    std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  }
  std::vector<typename Game::Orders> chosen;
  for (std::size_t i = 0; i < size; ++i) chosen.push_back(i < given.size() ? given[i] : moves[best[i]]);
  return chosen;
}

template <class Individual>
void sort_by_fitness(std::vector<Individual>& population) {
  std::stable_sort(population.begin(), population.end(),
                   [](const Individual& a, const Individual& b) { return a.fitness > b.fitness; });
}

// Compares two populations of the same size, all with all. With a network this takes longer than a short time control
// allows, so pairs are evaluated in an order that gives every individual one more opponent at a time. When time is up,
// fitness is the mean over the opponents that an individual has been paired with so far.
template <SimultaneousGame Game>
class PopulationComparison {
 public:
  using State = typename Game::State;

  // `batch`: pairs between two looks at the clock.
  PopulationComparison(PairEvaluator<Game> evaluate, int batch) : evaluate_(std::move(evaluate)), batch_(batch) {}

  // Sets the `fitness` of all individuals and sorts both populations, best first. `reserved` seconds of the budget are left
  // unused. `play_on(state, i, j)` may play on from the resolved pair of individuals i and j before it is evaluated.
  template <class Individual, class PlayOn>
  void compare(const State& root, std::vector<Individual> (&population)[2], Budget& budget, Rng& rng, double reserved,
               PlayOn&& play_on) {
    const double begin = budget.passed();
    const std::size_t n = population[0].size();
    resolved_.assign(n * n, root);
    values_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      budget.check_interrupted();
      for (std::size_t j = 0; j < n; ++j)
        Game::resolve(resolved_[place(i, j, n)], population[0][i].orders, population[1][j].orders, rng);
    }
    const std::size_t evaluated = evaluate_pairs(n, budget, reserved, play_on);
    const auto for_each_evaluated = [&](auto&& f) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (place(i, j, n) < evaluated) f(i, j);
    };
    std::vector<int> opponents[2];
    for (auto& of : opponents) of.assign(n, evaluated == n * n ? static_cast<int>(n) : 0);
    if (evaluated < n * n) for_each_evaluated([&](std::size_t i, std::size_t j) { ++opponents[0][i], ++opponents[1][j]; });
    for (auto& own : population)
      for (Individual& individual : own) individual.fitness = 0;
    for_each_evaluated([&](std::size_t i, std::size_t j) {
      const double value = values_[place(i, j, n)];
      population[0][i].fitness += value / opponents[0][i];
      population[1][j].fitness -= value / opponents[1][j];
    });
    for (auto& own : population) sort_by_fitness(own);
    seconds_ = budget.passed() - begin;
  }

  // The time that the last comparison took.
  double seconds() const { return seconds_; }

 private:
  // Pairs (i, j) with the same difference j - i (modulo n) are stored together.
  static std::size_t place(std::size_t i, std::size_t j, std::size_t n) { return (j < i ? j + n - i : j - i) * n + i; }

  // Evaluates the resolved pairs batch by batch until all are evaluated or only the reserved seconds are left; returns
  // the number of evaluated pairs. At least one batch is evaluated.
  template <class PlayOn>
  std::size_t evaluate_pairs(std::size_t n, Budget& budget, double reserved, PlayOn&& play_on) {
    const std::size_t batch = std::max(n, static_cast<std::size_t>(batch_));
    double step = 0, last = budget.passed();
    for (std::size_t first = 0; first < resolved_.size();) {
      if (first > 0 && budget.seconds_left() - reserved < 0.5 * step) return first;
      budget.check_interrupted();
      const std::size_t size = std::min(batch, resolved_.size() - first);
      for (std::size_t k = first; k < first + size; ++k) play_on(resolved_[k], k % n, (k % n + k / n) % n);
      evaluate_(std::span(resolved_).subspan(first, size), std::span(values_).subspan(first, size));
      first += size;
      step = budget.passed() - std::exchange(last, budget.passed());
    }
    return resolved_.size();
  }

  PairEvaluator<Game> evaluate_;
  int batch_;
  double seconds_ = 0;
  std::vector<State> resolved_;
  std::vector<double> values_;
};

}  // namespace sandtable::search
