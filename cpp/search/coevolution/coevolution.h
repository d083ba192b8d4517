// Competitive coevolution of whole turns (soares2025, section 4.2): a population of moves for each player, whose fitness is
// their mean value against the other population.
//
// A generation copies the elites, replaces all individuals by new ones, compares all with all, and puts the elites back
// in place of the worst, with the fitness that made them elites. (Evaluating them again against each generation was
// tried: 60.5% instead of 72.8% against mcts(300) on Owl Island, 400 games; an arms race with the other side's latest
// moves is not what the next turn brings.) The source of new individuals is a template parameter: the thesis's genetic
// operators (genetic_variation.h) or an adapted distribution (cma_variation.h). The first populations may be chosen by
// an evaluator that weighs moves (section 4.3) or given by another search.
#pragma once

#include <concepts>

#include "search/coevolution/cma_variation.h"
#include "search/coevolution/genetic_variation.h"

namespace sandtable::search {

// The source of the individuals of coevolution. An individual has `orders` and a `fitness`; the settings have
// PopulationSettings as `populations`.
template <class V, class Game>
concept Variation = requires(V v, const typename Game::State root, typename Game::State& state, typename V::Population& own,
                             const typename V::Population (&both)[2], const typename V::Individual& one,
                             const typename Game::Orders& orders, Rng& rng) {
  v.begin_search(root, rng);
  { v.individual(root, 0, orders, rng) } -> std::same_as<typename V::Individual>;  // of a player's first population
  v.first_ranking(both);               // the first populations have been compared and sorted, best first
  v.begin_generation(root, both, rng);
  v.replace(root, 0, own, rng);        // replaces a player's population, sorted best first, by new individuals
  v.learn(both);                       // the new individuals have been compared and sorted
  v.play_on(state, one, one, rng);     // continues after the turn in which these two are paired, before the evaluation
};

template <EvolvableGame Game, Variation<Game> VariationType = GeneticVariation<Game>>
class Coevolution {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Settings = typename VariationType::Settings;

  // `weigh` chooses the first populations; without it they are random.
  Coevolution(const Settings& settings, PairEvaluator<Game> evaluate, TurnEvaluator<Game> weigh = {})
      : settings_(settings), variation_(settings), comparison_(std::move(evaluate), settings.populations.batch), weigh_(std::move(weigh)) {}

  // The game must not be over. `simulations` of the result is the number of generations. `given` are moves of both
  // players that come first in the first populations.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng, const MovesOfBoth<Orders>* given = nullptr) {
    variation_.begin_search(root, rng);
    for (int side = 0; side < 2; ++side) begin_population(root, side, given ? (*given)[side] : std::vector<Orders>(), rng);
    compare(root, budget, rng);
    variation_.first_ranking(population_);
    std::uint64_t done = 0;
    // A generation and the last comparison must both fit into the time. If only one of them does, this generation is
    // the last, and the two share the time left: every individual meets fewer opponents.
    bool last = false;
    for (; !last && budget.seconds_left() > comparison_.seconds() && !budget.spent(done); ++done) {
      last = budget.seconds_left() < 1.9 * comparison_.seconds();
      Population elites[2];
      variation_.begin_generation(root, population_, rng);
      for (int side = 0; side < 2; ++side) {
        auto& own = population_[side];
        elites[side].assign(own.begin(), own.begin() + settings_.populations.elites);
        variation_.replace(root, side, own, rng);
      }
      compare(root, budget, rng, last ? 0.5 * budget.seconds_left() : 0);
      variation_.learn(population_);
      for (int side = 0; side < 2; ++side) {
        std::copy(elites[side].begin(), elites[side].end(), population_[side].end() - settings_.populations.elites);
        sort_by_fitness(population_[side]);
      }
    }
    // The elites' fitness is from the generation that they come from, so all are compared once more.
    if (done > 0) compare(root, budget, rng);
    Result<Orders> out;
    for (const auto& individual : population_[player]) out.candidates.push_back({individual.orders, 0, individual.fitness});
    out.value = out.candidates[0].value;
    out.nodes = 2 * static_cast<std::uint64_t>(settings_.populations.population);
    out.simulations = done;
    return out;
  }

  // The last population of a player, best first.
  std::vector<Orders> moves(int player) const {
    std::vector<Orders> all;
    for (const auto& individual : population_[player]) all.push_back(individual.orders);
    return all;
  }

 private:
  using Population = typename VariationType::Population;

  void begin_population(const State& root, int side, const std::vector<Orders>& given, Rng& rng) {
    const auto size = static_cast<std::size_t>(settings_.populations.population);
    const auto moves = first_moves<Game>(root, side, size, weigh_ ? settings_.populations.sampled : 0, weigh_, given, rng);
    population_[side].clear();
    for (const Orders& orders : moves) population_[side].push_back(variation_.individual(root, side, orders, rng));
  }

  void compare(const State& root, Budget& budget, Rng& rng, double reserved = 0) {
    comparison_.compare(root, population_, budget, rng, reserved, [&](State& state, std::size_t i, std::size_t j) {
      variation_.play_on(state, population_[0][i], population_[1][j], rng);
    });
  }

  Settings settings_;
  VariationType variation_;
  PopulationComparison<Game> comparison_;
  TurnEvaluator<Game> weigh_;
  Population population_[2];
};

template <EvolvableGame Game>
using CmaCoevolution = Coevolution<Game, CmaVariation<Game>>;

}  // namespace sandtable::search
