// Competitive coevolution of whole turns (soares2025, section 4.2): a population of moves for each player, each move
// as good as it does on average against the other population.
//
// A generation keeps copies of the elites, replaces everybody by the children of random parents (one-point crossover),
// mutates and repairs them, pairs all with all, and puts the elites back in for the worst, with the fitness that made
// them elites. (To judge them anew against each generation was tried: 60.5% instead of 72.8% against mcts(300) on Owl
// Island, 400 games; an arms race with the other side's latest is not what the next turn brings.) Where the authors'
// code departed from their text (no effect of mutation, no repair after crossover), this is the text; `mutation` 0 is
// their habit. An evaluator that weighs moves may choose the first populations (section 4.3).
//
// A network takes longer for a generation than a short clock allows. Pairs are judged in an order that gives everybody
// one more opponent at a time, and when time is up everybody is as good as against those it has met.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "search/budget.h"
#include "search/turn_evaluator.h"

namespace sandtable::search {

// Orders as a row of numbers; see conquest/genes.h.
template <class G>
concept EvolvableGame = SimultaneousGame<G> && requires(const typename G::State c, typename G::Orders& orders,
                                                        std::int32_t* genes, Rng& rng) {
  { G::gene_count(c) } -> std::convertible_to<int>;
  { G::random_gene(c, 0, 0, rng) } -> std::convertible_to<int>;  // for a player and the place of a gene
  G::encode(c, orders, genes);
  G::decode(c, genes, orders);
  G::repair(c, 0, genes, rng);
};

struct CoevolutionSettings {
  int population = 30;  // of each player
  int elites = 5;
  double mutation = 0.2;        // of an individual
  double gene_mutation = 0.05;  // of each gene of such an individual
  int sampled = 0;              // random moves of which the evaluator chooses a first population; 0: it is random
  int batch = 128;              // pairs between two looks at the clock
};

template <EvolvableGame Game>
class Coevolution {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;

  // `weigh` is asked only if settings.sampled is not 0.
  Coevolution(const CoevolutionSettings& settings, PairEvaluator<Game> evaluate, TurnEvaluator<Game> weigh = {})
      : settings_(settings), evaluate_(std::move(evaluate)), weigh_(std::move(weigh)) {}

  // The game must not be over. `simulations` of the result are generations.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng) {
    genes_ = Game::gene_count(root);
    for (int side = 0; side < 2; ++side) begin_population(root, side, rng);
    assign_fitness(root, budget, rng);
    std::uint64_t done = 0;
    // A generation and the last comparison must fit into the time.
    for (; budget.seconds_left() > 1.9 * evaluation_seconds_ && !budget.spent(done); ++done) {
      std::vector<Individual> elites[2];
      for (int side = 0; side < 2; ++side) {
        auto& own = population_[side];
        elites[side].assign(own.begin(), own.begin() + settings_.elites);
        breed(root, side, rng);
      }
      assign_fitness(root, budget, rng);
      for (int side = 0; side < 2; ++side) {
        std::copy(elites[side].begin(), elites[side].end(), population_[side].end() - settings_.elites);
        sort(population_[side]);
      }
    }
    // The elites' fitness is of the generation that they come from: all are compared once more.
    if (done > 0) assign_fitness(root, budget, rng);
    Result<Orders> out;
    for (const Individual& individual : population_[player]) out.candidates.push_back({individual.orders, 0, individual.fitness});
    out.value = out.candidates[0].value;
    out.nodes = 2 * static_cast<std::uint64_t>(settings_.population);
    out.simulations = done;
    return out;
  }

 private:
  struct Individual {
    std::vector<std::int32_t> genes;
    Orders orders;
    double fitness = 0;
  };

  static void sort(std::vector<Individual>& own) {
    std::stable_sort(own.begin(), own.end(), [](const Individual& a, const Individual& b) { return a.fitness > b.fitness; });
  }

  void begin_population(const State& root, int side, Rng& rng) {
    const auto size = static_cast<std::size_t>(settings_.population);
    std::vector<Orders> moves(std::max(size, static_cast<std::size_t>(settings_.sampled)));
    for (Orders& orders : moves) Game::sample(root, side, rng, orders);
    std::vector<std::size_t> best(moves.size());
    std::iota(best.begin(), best.end(), 0);
    if (settings_.sampled > 0) {
      double value;
      std::vector<double> logits(moves.size());
      const Question<Game> question{&root, side, moves};
      weigh_(std::span(&question, 1), std::span(&value, 1), logits);
      std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
    }
    population_[side].assign(size, Individual{});
    for (std::size_t i = 0; i < size; ++i) {
      Individual& individual = population_[side][i];
      individual.orders = moves[best[i]];
      individual.genes.resize(static_cast<std::size_t>(genes_));
      Game::encode(root, individual.orders, individual.genes.data());
    }
  }

  void breed(const State& root, int side, Rng& rng) {
    auto& own = population_[side];
    children_.resize(own.size());
    const auto parent = [&]() -> const Individual& { return own[rng.below(static_cast<std::uint32_t>(own.size()))]; };
    for (std::size_t i = 0; i < own.size(); i += 2) {
      const Individual &a = parent(), &b = parent();
      const auto cut = static_cast<std::ptrdiff_t>(1 + rng.below(static_cast<std::uint32_t>(std::max(genes_ - 1, 1))));
      cross(a, b, cut, children_[i]);
      if (i + 1 < own.size()) cross(b, a, cut, children_[i + 1]);
    }
    for (Individual& child : children_) {
      if (rng.uniform() < settings_.mutation)
        for (int gene = 0; gene < genes_; ++gene)
          if (rng.uniform() < settings_.gene_mutation)
            child.genes[static_cast<std::size_t>(gene)] = Game::random_gene(root, side, gene, rng);
      Game::repair(root, side, child.genes.data(), rng);
      Game::decode(root, child.genes.data(), child.orders);
    }
    own.swap(children_);
  }

  static void cross(const Individual& a, const Individual& b, std::ptrdiff_t cut, Individual& child) {
    child.genes.assign(a.genes.begin(), a.genes.begin() + cut);
    child.genes.insert(child.genes.end(), b.genes.begin() + cut, b.genes.end());
  }

  // Pair (i, j) is kept where the pairs of one distance j - i lie together.
  static std::size_t place(std::size_t i, std::size_t j, std::size_t n) { return (j < i ? j + n - i : j - i) * n + i; }

  void assign_fitness(const State& root, const Budget& budget, Rng& rng) {
    const double begin = budget.passed();
    const std::size_t n = population_[0].size();
    resolved_.assign(n * n, root);
    values_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        Game::resolve(resolved_[place(i, j, n)], population_[0][i].orders, population_[1][j].orders, rng);
    const std::size_t judged = judge(std::max(n, static_cast<std::size_t>(settings_.batch)), budget);
    const auto for_each_judged = [&](auto&& f) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (place(i, j, n) < judged) f(i, j);
    };
    std::vector<int> met[2];
    for (auto& of : met) of.assign(n, judged == n * n ? static_cast<int>(n) : 0);
    if (judged < n * n) for_each_judged([&](std::size_t i, std::size_t j) { ++met[0][i], ++met[1][j]; });
    for (auto& own : population_)
      for (Individual& individual : own) individual.fitness = 0;
    for_each_judged([&](std::size_t i, std::size_t j) {
      const double value = values_[place(i, j, n)];
      population_[0][i].fitness += value / met[0][i];
      population_[1][j].fitness -= value / met[1][j];
    });
    for (auto& own : population_) sort(own);
    evaluation_seconds_ = budget.passed() - begin;
  }

  // Evaluates the resolved pairs, `batch` at a time, until all are judged or time is up; how many are. One batch always is.
  std::size_t judge(std::size_t batch, const Budget& budget) {
    double step = 0, last = budget.passed();
    for (std::size_t first = 0; first < resolved_.size();) {
      if (first > 0 && budget.seconds_left() < 0.5 * step) return first;
      const std::size_t size = std::min(batch, resolved_.size() - first);
      evaluate_(std::span(resolved_).subspan(first, size), std::span(values_).subspan(first, size));
      first += size;
      step = budget.passed() - std::exchange(last, budget.passed());
    }
    return resolved_.size();
  }

  CoevolutionSettings settings_;
  PairEvaluator<Game> evaluate_;
  TurnEvaluator<Game> weigh_;
  int genes_ = 0;
  double evaluation_seconds_ = 0;  // of the last comparison of all with all
  std::vector<Individual> population_[2];
  std::vector<Individual> children_;
  std::vector<State> resolved_;
  std::vector<double> values_;
};

}  // namespace sandtable::search
