// Orders as a vector of numbers, for evolutionary search: one gene for every territory (armies deployed), then one for
// every directed edge (armies marching), in ascending order. The order of a player's marches is not kept, and several
// orders on one edge become one.
#pragma once

#include <string>

#include "conquest/front.h"
#include "conquest/orders.h"

namespace sandtable::conquest {

template <class Size>
int gene_count(const Land<Size>& land) {
  return land.territories() + static_cast<int>(land.directed_edges().size());
}

// Sums the orders into `genes`, which has gene_count() places. The orders must be encodable: see not_encodable().
template <class Size>
void encode(const Land<Size>& land, const Orders& orders, std::int32_t* genes) {
  std::fill(genes, genes + gene_count(land), 0);
  for (const auto& [territory, armies] : orders.deploys) genes[territory] += armies;
  for (const auto& [source, target, armies] : orders.marches)
    genes[land.territories() + land.edge_number(source, target)] += armies;
}

// The orders in canonical form: deploys by territory, marches by edge.
template <class Size>
void decode(const Land<Size>& land, const std::int32_t* genes, Orders& orders) {
  orders.clear();
  for (int t = 0; t < land.territories(); ++t)
    if (genes[t] > 0) orders.deploys.push_back({t, genes[t]});
  genes += land.territories();
  for (const auto& edge : land.directed_edges()) {
    if (*genes > 0) orders.marches.push_back({edge.source, edge.target, *genes});
    ++genes;
  }
}

// The reason why orders cannot be encoded, or "": they name territories or edges that the map does not have, or numbers of
// armies that no order may have.
template <class Size>
std::string not_encodable(const Land<Size>& land, const Orders& orders) {
  const auto known = [&](int t) { return t >= 0 && t < land.territories(); };
  std::int64_t armies = 0;
  for (const auto& d : orders.deploys) {
    if (!known(d.territory)) return "a deploy names an unknown territory";
    if (d.armies < 1 || d.armies > kMaxArmies) return "a deploy's armies must be within 1..1000000";
    armies += d.armies;
  }
  for (const auto& m : orders.marches) {
    if (!known(m.source) || !known(m.target) || land.edge_number(m.source, m.target) < 0) return "a march follows no edge";
    if (m.armies < 1 || m.armies > kMaxArmies) return "a march's armies must be within 1..1000000";
    armies += m.armies;
  }
  return armies <= 1'000 * static_cast<std::int64_t>(kMaxArmies) ? "" : "too many armies in total";
}

// Turns any vector of numbers into a legal move of the player (soares2025, section 4.2.5): no negative numbers, no orders
// on or from land that is not its own, and exactly its income deployed. A surplus is removed and a deficit added army by
// army; armies are added on any own territory, or only on those of `added_to`.
template <class Size>
void repair(const State<Size>& state, int player, std::int32_t* genes, Rng& rng,
            const typename Land<Size>::Set* added_to = nullptr) {
  const auto& land = state.land();
  const auto& own = state.owned(player);
  const int income = state.income(player);
  std::int64_t deployed = 0;
  std::array<std::uint16_t, Land<Size>::kTerritories> mine;
  int n = 0;
  for (int t = 0; t < land.territories(); ++t) {
    genes[t] = own.test(t) ? std::clamp(genes[t], 0, kMaxArmies) : 0;
    deployed += genes[t];
    if (own.test(t)) mine[n++] = static_cast<std::uint16_t>(t);
  }
  for (std::size_t e = 0; e < land.directed_edges().size(); ++e) {
    std::int32_t& armies = genes[land.territories() + e];
    armies = own.test(land.directed_edges()[e].source) ? std::clamp(armies, 0, kMaxArmies) : 0;
  }
  if (n == 0) return;
  // Removes one of all deployed armies, drawn uniformly, and returns its territory.
  const auto take_one = [&] {
    auto k = static_cast<std::int64_t>(rng.below(static_cast<std::uint32_t>(deployed--)));
    int i = 0;
    for (; k >= genes[mine[i]]; ++i) k -= genes[mine[i]];
    --genes[mine[i]];
    return mine[i];
  };
  if (deployed > 2 * static_cast<std::int64_t>(income)) {
    // Far too many: it takes fewer draws to choose the armies that stay.
    std::array<std::int32_t, Land<Size>::kTerritories> stay{};
    for (int i = 0; i < income; ++i) ++stay[take_one()];
    for (int i = 0; i < n; ++i) genes[mine[i]] = stay[mine[i]];
    deployed = income;
  }
  while (deployed > income) take_one();
  if (added_to) {
    n = 0;
    added_to->for_each([&](int t) { mine[n++] = static_cast<std::uint16_t>(t); });
  }
  for (; deployed < income; ++deployed) ++genes[mine[rng.below(static_cast<std::uint32_t>(n))]];
}

// Turns genes that were made without knowing the position into orders for it. The genes are repaired; income that they do
// not deploy goes to the front; and the armies of a territory behind the front without a march go towards it, as in sampled
// moves. The game must not be over.
template <class Size>
void adapt(const State<Size>& state, int player, std::int32_t* genes, Rng& rng, Orders& orders) {
  const auto& land = state.land();
  const auto front = front_of(state, player);
  repair(state, player, genes, rng, &front);
  decode(land, genes, orders);
  auto idle = state.owned(player) & ~front;
  for (const March& march : orders.marches) idle.reset(march.source);
  Distances<Size> distance;
  bool measured = false;
  idle.for_each([&](int t) {
    const int armies = state.armies(t) + genes[t] - land.rules().stand_guard;
    if (armies <= 0) return;
    if (!measured) measure_distances(state, player, front, distance);
    measured = true;
    orders.marches.push_back({t, step_to_front(land, t, distance, rng), armies});
  });
}

// The same functions for genes and orders that come from outside the engine. Throws std::invalid_argument if the orders
// cannot be encoded.
template <class Size>
std::vector<std::int32_t> encoded(const Land<Size>& land, const Orders& orders) {
  refuse("", not_encodable(land, orders));
  std::vector<std::int32_t> genes(static_cast<std::size_t>(gene_count(land)));
  encode(land, orders, genes.data());
  return genes;
}
template <class Size>
Orders decoded(const Land<Size>& land, const std::vector<std::int32_t>& genes) {
  Orders orders;
  decode(land, genes.data(), orders);
  return orders;
}
template <class Size>
void repair(const State<Size>& state, int player, std::vector<std::int32_t>& genes, std::uint64_t seed) {
  checked_player(player);
  Rng rng(seed, stream_number("repair"), player);
  repair(state, player, genes.data(), rng);
}

// Compiled in instances.cpp.
extern template void repair(const State<Small>&, int, std::int32_t*, Rng&, const Land<Small>::Set*);
extern template void repair(const State<Large>&, int, std::int32_t*, Rng&, const Land<Large>::Set*);
extern template void repair(const State<Huge>&, int, std::int32_t*, Rng&, const Land<Huge>::Set*);
extern template void adapt(const State<Small>&, int, std::int32_t*, Rng&, Orders&);
extern template void adapt(const State<Large>&, int, std::int32_t*, Rng&, Orders&);
extern template void adapt(const State<Huge>&, int, std::int32_t*, Rng&, Orders&);

}  // namespace sandtable::conquest
