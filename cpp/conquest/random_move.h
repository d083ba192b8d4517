// The random move that the Monte-Carlo players of soares2025 sample, as the authors' code draws it: deploys at the front,
// attacks with enough armies to succeed, and marches of all armies behind the front towards it.
#pragma once

#include "conquest/front.h"
#include "conquest/orders.h"

namespace sandtable::conquest {

// Writes a random legal move of the player into `orders`. The game must not be over.
template <class Size>
void random_move(const State<Size>& state, int player, Rng& rng, Orders& orders) {
  using Set = typename Land<Size>::Set;
  constexpr int kTerritories = Land<Size>::kTerritories;
  const auto& land = state.land();
  const Set own = state.owned(player), foreign = ~own;
  orders.clear();

  std::array<std::uint16_t, kTerritories> front;
  std::array<std::int32_t, kTerritories> added;
  int fronts = 0;
  Set front_set{};
  own.for_each([&](int t) {
    added[t] = 0;
    if (!(land.neighbours(t) & foreign).any()) return;
    front[fronts++] = static_cast<std::uint16_t>(t);
    front_set.set(t);
  });
  for (int i = state.income(player); i > 0; --i) ++added[front[rng.below(static_cast<std::uint32_t>(fronts))]];
  for (int i = 0; i < fronts; ++i)
    if (added[front[i]] > 0) orders.deploys.push_back({front[i], added[front[i]]});

  // Distances to foreign land, computed only if armies stand behind the front.
  Distances<Size> distance;
  bool measured = false;

  own.for_each([&](int t) {
    int left = state.armies(t) + added[t] - land.rules().stand_guard;
    if (left <= 0) return;
    if (front_set.test(t)) {
      std::array<std::uint16_t, kTerritories> next;
      int n = 0;
      (land.neighbours(t) & foreign).for_each([&](int target) { next[n++] = static_cast<std::uint16_t>(target); });
      // A random non-empty prefix of the shuffled neighbours; only this prefix is shuffled.
      const int kept = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
      for (int i = 0; i < kept; ++i) {
        std::swap(next[i], next[i + rng.below(static_cast<std::uint32_t>(n - i))]);
        const int needed = land.needed(state.armies(next[i]));
        if (left < needed) continue;
        const int committed = needed + static_cast<int>(rng.below(static_cast<std::uint32_t>(left - needed + 1)));
        orders.marches.push_back({t, next[i], committed});
        left -= committed;
      }
    } else {
      if (!measured) measure_distances(state, player, front_set, distance);
      measured = true;
      orders.marches.push_back({t, step_to_front(land, t, distance, rng), left});
    }
  });
  shuffle(orders.marches.data(), static_cast<int>(orders.marches.size()), rng);
}

// The same with a seed.
template <class Size>
void random_move(const State<Size>& state, int player, std::uint64_t seed, Orders& orders) {
  checked_player(player);
  require(!state.over(), "the game is over");
  Rng rng(seed, stream_number("random move"), player);
  // Room for most moves at once: growing the lists order by order takes a tenth of the time.
  orders.deploys.reserve(16);
  orders.marches.reserve(16);
  random_move(state, player, rng, orders);
}

// The random start of soares2025: random armies on every territory, a few territories to each player, the rest neutral.
// Throws std::invalid_argument if there are too few territories.
template <class Size>
void random_start(State<Size>& state, Rng& rng) {
  const auto& land = state.land();
  const Rules& rules = land.rules();
  if (2 * rules.start_lands > land.territories()) throw std::invalid_argument("the map has too few territories for start_lands");
  std::array<std::uint16_t, Land<Size>::kTerritories> order;
  for (int t = 0; t < land.territories(); ++t) order[t] = static_cast<std::uint16_t>(t);
  shuffle(order.data(), land.territories(), rng);
  for (int i = 0; i < land.territories(); ++i) {
    const int owner = i < rules.start_lands ? 0 : i < 2 * rules.start_lands ? 1 : kNeutral;
    state.set(order[i], owner, static_cast<int>(rng.below(static_cast<std::uint32_t>(rules.start_armies + 1))));
  }
  state.set_turn(0);
}

template <class Size>
void random_start(State<Size>& state, std::uint64_t seed) {
  Rng rng(seed, stream_number("start"));
  random_start(state, rng);
}

// Compiled in instances.cpp.
extern template void random_move(const State<Small>&, int, Rng&, Orders&);
extern template void random_move(const State<Large>&, int, Rng&, Orders&);
extern template void random_move(const State<Huge>&, int, Rng&, Orders&);

}  // namespace sandtable::conquest
