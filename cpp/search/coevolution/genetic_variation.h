// Genetic variation of coevolution (soares2025, sections 4.2.3 to 4.2.5): a new generation consists of the children of
// selected parents, crossed, mutated and repaired. The authors' code departs from their text (mutation has no effect,
// and nothing is repaired after crossover); this follows the text, and `mutation` 0 reproduces the former. The thesis
// selects parents at random and uses one-point crossover; operators.h has the alternatives.
//
// Future work of the thesis (sections 6.1 and 6.2): with `crossover` below 1, the pairs of children that are not crossed are
// copies of their parents. With a `horizon` of several turns an individual is a plan. Its first turn is a move as before; each
// later turn is a row of genes that is adapted to the position reached, which differs with the opponent (the thesis names this
// challenge). Values are of the position after all turns, and only the first turn is played.
#pragma once

#include "search/coevolution/operators.h"
#include "search/coevolution/populations.h"

namespace sandtable::search {

struct CoevolutionSettings {
  PopulationSettings populations{};
  double mutation = 0.2;
  double gene_mutation = 0.05;
  double crossover = 1;
  CrossoverKind crossover_kind = CrossoverKind::kOnePoint;
  Selection selection = Selection::kRandom;
  int tournament_size = 2;
  int horizon = 1;

  static constexpr auto fields() {
    using S = CoevolutionSettings;
    return PopulationSettings::fields_with<S>(
        field("mutation", &S::mutation, 0, 1, "share of the children that mutate; in effect 0 in the authors' code"),
        field("gene_mutation", &S::gene_mutation, 0, 1, "share of the genes of a mutating child that change"),
        field("crossover", &S::crossover, 0, 1, "share of the pairs of children that are crossed; the others are copies"),
        field("crossover_kind", &S::crossover_kind, "one_point two_point uniform",
              "genes that two children exchange: all after a cut, those between two cuts, or each with probability 1/2"),
        field("selection", &S::selection, "random tournament",
              "how parents are chosen: uniformly, or as the fittest of tournament_size random individuals"),
        field("tournament_size", &S::tournament_size, 1, 1000, "individuals in a tournament"),
        field("horizon", &S::horizon, 1, 20, "turns of a plan, of which only the first is played"));
  }
};

template <EvolvableGame Game>
class GeneticVariation {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Settings = CoevolutionSettings;

  struct Individual {
    std::vector<std::int32_t> genes;  // of every turn, one after the other
    Orders orders;                    // of the first
    double fitness = 0;
  };
  using Population = std::vector<Individual>;

  explicit GeneticVariation(const Settings& settings) : settings_(settings) {}

  void begin_search(const State& root, Rng&) { genes_ = Game::gene_count(root); }

  Individual individual(const State& root, int side, const Orders& orders, Rng& rng) {
    Individual made{std::vector<std::int32_t>(static_cast<std::size_t>(genes_ * settings_.horizon)), orders};
    Game::encode(root, orders, made.genes.data());
    plan_on(root, side, made, rng);
    return made;
  }

  void first_ranking(const Population (&)[2]) {}

  // Finds the positions in which later turns begin when two random individuals play their plans. Mutated genes of later turns
  // are drawn for these. (Positions of the best two limited mutation to what suits plans that begin as theirs do.)
  void begin_generation(const State& root, const Population (&population)[2], Rng& rng) {
    expected_.assign(static_cast<std::size_t>(settings_.horizon), root);
    if (settings_.horizon == 1) return;
    const auto any = [&](const Population& own) -> const Individual& {
      return own[rng.below(static_cast<std::uint32_t>(own.size()))];
    };
    const Individual &plan0 = any(population[0]), &plan1 = any(population[1]);
    for (int turn = 1; turn < settings_.horizon; ++turn) {
      State& state = expected_[static_cast<std::size_t>(turn)] = expected_[static_cast<std::size_t>(turn - 1)];
      if (Game::over(state)) continue;
      if (turn == 1)
        Game::resolve(state, plan0.orders, plan1.orders, rng);
      else
        play_turn(state, plan0, plan1, turn - 1, rng);
    }
  }

  // Replaces a population, which is sorted best first, by its children.
  void replace(const State& root, int side, Population& own, Rng& rng) {
    const int length = genes_ * settings_.horizon;
    children_.resize(own.size());
    const auto parent = [&]() -> const Individual& {
      return own[select_parent(settings_.selection, settings_.tournament_size, own.size(), rng)];
    };
    for (std::size_t i = 0; i < own.size(); i += 2) {
      Individual& first = children_[i];
      Individual& second = i + 1 < own.size() ? children_[i + 1] : surplus_child_;
      first.genes = parent().genes;
      second.genes = parent().genes;
      if (settings_.crossover >= 1 || rng.uniform() < settings_.crossover)
        cross(settings_.crossover_kind, first.genes, second.genes, rng);
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

  void learn(const Population (&)[2]) {}

  // Carries out the later turns of two plans whose first turn has been resolved.
  void play_on(State& state, const Individual& plan0, const Individual& plan1, Rng& rng) {
    for (int turn = 1; turn < settings_.horizon && !Game::over(state); ++turn) play_turn(state, plan0, plan1, turn, rng);
  }

 private:
  std::int32_t* turn_of(Individual& individual, int turn) const {
    return individual.genes.data() + static_cast<std::ptrdiff_t>(turn) * genes_;
  }

  // Fills the later turns of a plan with random moves, at positions reached if the other player plays at random too.
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
  void play_turn(State& state, const Individual& plan0, const Individual& plan1, int turn, Rng& rng) {
    const Individual* plans[2] = {&plan0, &plan1};
    for (int side = 0; side < 2; ++side) {
      const auto first = plans[side]->genes.begin() + static_cast<std::ptrdiff_t>(turn) * genes_;
      row_.assign(first, first + genes_);
      Game::adapt(state, side, row_.data(), rng, orders_[side]);
    }
    Game::resolve(state, orders_[0], orders_[1], rng);
  }

  Settings settings_;
  int genes_ = 0;  // of a turn
  Population children_;
  Individual surplus_child_;  // the second child of the last pair, if the population is odd
  std::vector<State> expected_;
  std::vector<std::int32_t> row_;  // working memory
  Orders orders_[2];
};

}  // namespace sandtable::search
