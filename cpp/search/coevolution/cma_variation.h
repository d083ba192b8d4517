// CMA-ES in place of coevolution's genetic operators: future work of soares2025 (section 6.2).
//
// Each player has a normal distribution over the genes of its move (sep_cma_es.h) instead of parents, crossover and
// mutation. A new generation is sampled from it, rounded and repaired to legal moves. When all moves have been
// compared, the distributions are updated from the ranking, so that both sides evolve against each other. A
// distribution begins at the best move of the first population, with the spread of that population's genes.
//
// - Only genes that can survive repair are searched: deploys on own land and marches from it.
// - A distribution learns from repaired genes where repair changed them, so that it stays near legal moves, and from
//   unrounded genes elsewhere, so that it can move by less than an army.
// - A distribution does not learn from the elites that coevolution keeps: their fitness is against earlier opponents.
#pragma once

#include <cmath>
#include <optional>

#include "search/coevolution/populations.h"
#include "search/coevolution/sep_cma_es.h"

namespace sandtable::search {

struct CmaSettings {
  PopulationSettings populations{};
  double step = 0.5;

  static constexpr auto fields() {
    return PopulationSettings::fields_with<CmaSettings>(
        field("step", &CmaSettings::step, 0.01, 100,
              "initial standard deviation of a gene, as a multiple of its spread in the first population"));
  }
};

template <EvolvableGame Game>
class CmaVariation {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Settings = CmaSettings;

  static constexpr double kLeastDeviation = 0.25;  // of a gene; see sep_cma_es.h

  struct Individual {
    std::vector<double> point;  // values of the searched genes, from which the distribution learns
    Orders orders;
    double fitness = 0;
  };
  using Population = std::vector<Individual>;

  explicit CmaVariation(const Settings& settings) : settings_(settings) {}

  void begin_search(const State& root, Rng& rng) {
    row_.resize(static_cast<std::size_t>(Game::gene_count(root)));
    for (int side = 0; side < 2; ++side) {
      searched_[side].clear();
      for (std::size_t gene = 0; gene < row_.size(); ++gene)
        if (survives_repair(root, side, gene, rng)) searched_[side].push_back(gene);
    }
  }

  Individual individual(const State& root, int side, const Orders& orders, Rng&) {
    Individual made{{}, orders};
    Game::encode(root, orders, row_.data());
    for (const std::size_t gene : searched_[side]) made.point.push_back(row_[gene]);
    return made;
  }

  void first_ranking(const Population (&population)[2]) {
    for (int side = 0; side < 2; ++side) begin_distribution(side, population[side]);
  }

  void begin_generation(const State&, const Population (&)[2], Rng&) {}

  void replace(const State& root, int side, Population& own, Rng& rng) {
    for (Individual& individual : own) draw(root, side, individual, rng);
  }

  void learn(const Population (&population)[2]) {
    for (int side = 0; side < 2; ++side) {
      if (!distribution_[side]) continue;
      ranked_.clear();
      for (const Individual& individual : population[side]) ranked_.push_back(individual.point);
      distribution_[side]->update(ranked_);
    }
  }

  void play_on(State&, const Individual&, const Individual&, Rng&) {}

 private:
  static constexpr double kFarthest = 1e9;  // within 32 bits

  bool survives_repair(const State& root, int side, std::size_t gene, Rng& rng) {
    std::fill(row_.begin(), row_.end(), 0);
    row_[gene] = 1;
    Game::repair(root, side, row_.data(), rng);
    return row_[gene] > 0;
  }

  void begin_distribution(int side, const Population& own) {
    const std::size_t n = searched_[side].size();
    const auto size = static_cast<double>(own.size());
    distribution_[side].reset();
    if (n == 0) return;  // a player with nothing to decide
    std::vector<double> deviations(n);
    double widest = 1;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0, squares = 0;
      for (const Individual& individual : own) {
        sum += individual.point[i];
        squares += individual.point[i] * individual.point[i];
        widest = std::max(widest, individual.point[i]);
      }
      deviations[i] = settings_.step * std::sqrt(std::max(0.0, squares / size - sum / size * (sum / size)));
    }
    distribution_[side].emplace(own[0].point, std::move(deviations), own.size(), kLeastDeviation, widest);
  }

  void draw(const State& root, int side, Individual& individual, Rng& rng) {
    const auto& searched = searched_[side];
    std::vector<double>& point = individual.point;
    std::fill(row_.begin(), row_.end(), 0);
    rounded_.resize(point.size());
    if (distribution_[side]) distribution_[side]->sample(point, rng);
    for (std::size_t i = 0; i < point.size(); ++i) {
      rounded_[i] = static_cast<std::int32_t>(std::floor(std::clamp(point[i], -kFarthest, kFarthest) + 0.5));
      row_[searched[i]] = rounded_[i];
    }
    Game::repair(root, side, row_.data(), rng);
    for (std::size_t i = 0; i < point.size(); ++i)
      if (row_[searched[i]] != rounded_[i]) point[i] = row_[searched[i]];
    Game::decode(root, row_.data(), individual.orders);
  }

  Settings settings_;
  std::vector<std::size_t> searched_[2];  // the searched genes of each player
  std::optional<SepCmaEs> distribution_[2];
  std::vector<std::vector<double>> ranked_;
  std::vector<std::int32_t> row_, rounded_;  // working memory
};

}  // namespace sandtable::search
