// Conquest as the searches see it (search/game.h, search/coevolution/coevolution.h).
#pragma once

#include "conquest/genes.h"
#include "conquest/progress.h"
#include "conquest/random_move.h"

namespace sandtable::conquest {

template <class Size>
struct Game {
  using State = conquest::State<Size>;
  using Orders = conquest::Orders;

  static bool over(const State& state) { return state.over(); }
  static double value(const State& state, int player) {
    return state.winner() == kNobody ? 0 : state.winner() == player ? 1 : -1;
  }
  static std::uint64_t hash(const State& state) { return state.hash(); }
  static double progress(const State& state, int player) { return conquest::progress(state, player); }
  static void sample(const State& state, int player, Rng& rng, Orders& orders) { random_move(state, player, rng, orders); }
  static void resolve(State& state, const Orders& orders0, const Orders& orders1, Rng& rng) {
    resolve(state, orders0, orders1, static_cast<int>(rng.below(2)), rng);
  }
  static void resolve(State& state, const Orders& orders0, const Orders& orders1, int first, Rng& rng) {
    state.resolve(orders0, orders1, first, rng);
  }

  static int gene_count(const State& state) { return conquest::gene_count(state.land()); }
  static void encode(const State& state, const Orders& orders, std::int32_t* genes) {
    conquest::encode(state.land(), orders, genes);
  }
  static void decode(const State& state, const std::int32_t* genes, Orders& orders) {
    conquest::decode(state.land(), genes, orders);
  }
  static void repair(const State& state, int player, std::int32_t* genes, Rng& rng) {
    conquest::repair(state, player, genes, rng);
  }
  static void adapt(const State& state, int player, std::int32_t* genes, Rng& rng, Orders& orders) {
    conquest::adapt(state, player, genes, rng, orders);
  }
  // A random value of a gene: up to the income for a deploy; for a march up to the number of armies that its source could
  // have.
  static int random_gene(const State& state, int player, int gene, Rng& rng) {
    int most = state.income(player);
    const int edge = gene - state.land().territories();
    if (edge >= 0) most += state.armies(state.land().directed_edges()[static_cast<std::size_t>(edge)].source);
    return static_cast<int>(rng.below(static_cast<std::uint32_t>(most + 1)));
  }
};

// A hand-made evaluation, from -1 to 1: the mean of the shares of armies and of income, or the result of a finished game.
template <class Size>
double share_value(const State<Size>& state, int player) {
  if (state.over()) return state.winner() == kNobody ? 0 : state.winner() == player ? 1 : -1;
  double armies[2] = {0, 0}, income[2];
  for (int p = 0; p < 2; ++p) {
    state.owned(p).for_each([&](int t) { armies[p] += state.armies(t); });
    income[p] = state.income(p);
  }
  const auto share = [&](const double (&of)[2]) {
    const double sum = of[0] + of[1];
    return sum > 0 ? (of[player] - of[1 - player]) / sum : 0;
  };
  return 0.5 * (share(armies) + share(income));
}

}  // namespace sandtable::conquest
