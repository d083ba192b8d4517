// Competitive coevolution of whole turns (soares2025, section 4.2): a population of moves for each player, each move
// as good as it does on average against the other population.
//
// A generation keeps copies of the elites, replaces everybody by the children of random parents (one-point crossover),
// mutates and repairs them, pairs all with all, and puts the elites back in for the worst, with the fitness that made
// them elites. (To judge them anew against each generation was tried: 60.5% instead of 72.8% against mcts(300) on Owl
// Island, 400 games; an arms race with the other side's latest is not what the next turn brings.) Where the authors'
// code departed from their text (no effect of mutation, no repair after crossover), this is the text; `mutation` 0 is
// their habit. An evaluator that weighs moves may choose the first populations (section 4.3), or another search may give
// them.
//
// Future work of the thesis (sections 6.1 and 6.2). With `crossover` below 1 so many pairs of children are copies of their
// parents. With a `horizon` of several turns an individual is a plan: its first turn is a move as before, and each later
// one is a row of genes that is adapted to the position it meets, which is another against every opponent (what the
// thesis calls the challenge of it); values are of what all turns come to, and only the first is played.
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
  G::adapt(c, 0, genes, rng, orders);  // orders for a position that the genes were not made for; they may be changed
};

struct CoevolutionSettings {
  int population = 30;  // of each player
  int elites = 5;
  double mutation = 0.2;        // of an individual
  double gene_mutation = 0.05;  // of each gene of such an individual
  double crossover = 1;         // of a pair of children; else they are copies
  int horizon = 1;              // turns of a plan
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

  // The game must not be over. `simulations` of the result are generations. `given` are moves of both that come first in
  // the first populations.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng, const MovesOfBoth<Orders>* given = nullptr) {
    genes_ = Game::gene_count(root);
    for (int side = 0; side < 2; ++side) {
      begin_population(root, side, given ? (*given)[side] : std::vector<Orders>(), rng);
      for (Individual& individual : population_[side]) plan_on(root, side, individual, rng);
    }
    assign_fitness(root, budget, rng);
    std::uint64_t done = 0;
    // A generation and the last comparison must fit into the time. Where only one of them does, it is the last, and they
    // share what is left: everybody meets fewer opponents.
    bool last = false;
    for (; !last && budget.seconds_left() > evaluation_seconds_ && !budget.spent(done); ++done) {
      last = budget.seconds_left() < 1.9 * evaluation_seconds_;
      std::vector<Individual> elites[2];
      foresee(root, rng);
      for (int side = 0; side < 2; ++side) {
        auto& own = population_[side];
        elites[side].assign(own.begin(), own.begin() + settings_.elites);
        breed(root, side, rng);
      }
      assign_fitness(root, budget, rng, last ? 0.5 * budget.seconds_left() : 0);
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

  // The last population of a player, best first.
  std::vector<Orders> moves(int player) const {
    std::vector<Orders> all;
    for (const Individual& individual : population_[player]) all.push_back(individual.orders);
    return all;
  }

 private:
  struct Individual {
    std::vector<std::int32_t> genes;  // of every turn, one after the other
    Orders orders;                    // of the first
    double fitness = 0;
  };

  static void sort(std::vector<Individual>& own) {
    std::stable_sort(own.begin(), own.end(), [](const Individual& a, const Individual& b) { return a.fitness > b.fitness; });
  }

  void begin_population(const State& root, int side, const std::vector<Orders>& given, Rng& rng) {
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
      individual.orders = i < given.size() ? given[i] : moves[best[i]];
      individual.genes.assign(static_cast<std::size_t>(genes_ * settings_.horizon), 0);
      Game::encode(root, individual.orders, individual.genes.data());
    }
  }

  std::int32_t* turn_of(Individual& individual, int turn) const {
    return individual.genes.data() + static_cast<std::ptrdiff_t>(turn) * genes_;
  }

  // Begins the later turns of a plan: random moves where the first one leads to if the other plays at random too.
  void plan_on(const State& root, int side, Individual& plan, Rng& rng) {
    State state = root;
    Orders orders[2];
    orders[side] = plan.orders;
    for (int turn = 1; turn < settings_.horizon; ++turn) {
      Game::sample(state, 1 - side, rng, orders[1 - side]);
      Game::resolve(state, orders[0], orders[1], rng);
      if (Game::over(state)) return;
      Game::sample(state, side, rng, orders[side]);
      Game::encode(state, orders[side], turn_of(plan, turn));
    }
  }

  // Carries out a later turn of two plans.
  void play_on(State& state, const Individual& plan0, const Individual& plan1, int turn, Rng& rng) {
    const Individual* plans[2] = {&plan0, &plan1};
    for (int side = 0; side < 2; ++side) {
      const auto first = plans[side]->genes.begin() + static_cast<std::ptrdiff_t>(turn) * genes_;
      row_.assign(first, first + genes_);
      Game::adapt(state, side, row_.data(), rng, orders_[side]);
    }
    Game::resolve(state, orders_[0], orders_[1], rng);
  }

  // The positions in which later turns begin, when any two play their plans: what mutated genes of theirs may be. (Those
  // of the best two kept mutation to what suits plans that begin as theirs do.)
  void foresee(const State& root, Rng& rng) {
    expected_.assign(static_cast<std::size_t>(settings_.horizon), root);
    if (settings_.horizon == 1) return;
    const auto any = [&](const std::vector<Individual>& own) -> const Individual& {
      return own[rng.below(static_cast<std::uint32_t>(own.size()))];
    };
    const Individual &plan0 = any(population_[0]), &plan1 = any(population_[1]);
    for (int turn = 1; turn < settings_.horizon; ++turn) {
      State& state = expected_[static_cast<std::size_t>(turn)] = expected_[static_cast<std::size_t>(turn - 1)];
      if (Game::over(state)) continue;
      if (turn == 1)
        Game::resolve(state, plan0.orders, plan1.orders, rng);
      else
        play_on(state, plan0, plan1, turn - 1, rng);
    }
  }

  void breed(const State& root, int side, Rng& rng) {
    const int length = genes_ * settings_.horizon;
    auto& own = population_[side];
    children_.resize(own.size());
    const auto parent = [&]() -> const Individual& { return own[rng.below(static_cast<std::uint32_t>(own.size()))]; };
    for (std::size_t i = 0; i < own.size(); i += 2) {
      const Individual &a = parent(), &b = parent();
      const bool crossed = settings_.crossover >= 1 || rng.uniform() < settings_.crossover;
      const auto cut = static_cast<std::ptrdiff_t>(
          crossed ? 1 + rng.below(static_cast<std::uint32_t>(std::max(length - 1, 1))) : static_cast<std::uint32_t>(length));
      cross(a, b, cut, children_[i]);
      if (i + 1 < own.size()) cross(b, a, cut, children_[i + 1]);
    }
    for (Individual& child : children_) {
      if (rng.uniform() < settings_.mutation)
        for (int gene = 0; gene < length; ++gene)
          if (rng.uniform() < settings_.gene_mutation)
            child.genes[static_cast<std::size_t>(gene)] =
                Game::random_gene(expected_[static_cast<std::size_t>(gene / genes_)], side, gene % genes_, rng);
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

  // `reserved` seconds are not for it.
  void assign_fitness(const State& root, const Budget& budget, Rng& rng, double reserved = 0) {
    const double begin = budget.passed();
    const std::size_t n = population_[0].size();
    resolved_.assign(n * n, root);
    values_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        Game::resolve(resolved_[place(i, j, n)], population_[0][i].orders, population_[1][j].orders, rng);
    const std::size_t judged = judge(std::max(n, static_cast<std::size_t>(settings_.batch)), budget, reserved, rng);
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

  // Plays the later turns of the resolved pairs and evaluates them, `batch` at a time, until all are judged or only the
  // reserved seconds are left; how many are. One batch always is.
  std::size_t judge(std::size_t batch, const Budget& budget, double reserved, Rng& rng) {
    const std::size_t n = population_[0].size();
    double step = 0, last = budget.passed();
    for (std::size_t first = 0; first < resolved_.size();) {
      if (first > 0 && budget.seconds_left() - reserved < 0.5 * step) return first;
      const std::size_t size = std::min(batch, resolved_.size() - first);
      for (std::size_t k = first; k < first + size; ++k)
        for (int turn = 1; turn < settings_.horizon && !Game::over(resolved_[k]); ++turn)
          play_on(resolved_[k], population_[0][k % n], population_[1][(k % n + k / n) % n], turn, rng);
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
  std::vector<State> resolved_, expected_;
  std::vector<double> values_;
  std::vector<std::int32_t> row_;  // room to work in
  Orders orders_[2];
};

}  // namespace sandtable::search
