// A player's front, which is its land that borders on foreign land, and the distances of its other land from foreign land.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "conquest/state.h"

namespace sandtable::conquest {

template <class Size>
typename Land<Size>::Set front_of(const State<Size>& state, int player) {
  typename Land<Size>::Set front{};
  const auto foreign = ~state.owned(player);
  state.owned(player).for_each([&](int t) {
    if ((state.land().neighbours(t) & foreign).any()) front.set(t);
  });
  return front;
}

template <class Size>
using Distance = std::conditional_t<Land<Size>::kTerritories <= 256, std::uint8_t, std::uint16_t>;
template <class Size>
using Distances = std::array<Distance<Size>, Land<Size>::kTerritories>;

// Writes the number of steps over own land to foreign land, found layer by layer: 1 at the front. Only the entries of own
// territories are meaningful.
template <class Size>
void measure_distances(const State<Size>& state, int player, const typename Land<Size>::Set& front, Distances<Size>& distance) {
  using Set = typename Land<Size>::Set;
  const Set own = state.owned(player);
  Set visited = front, layer = front;
  for (Distance<Size> d = 1; layer.any(); ++d) {
    Set next{};
    layer.for_each([&](int t) {
      distance[t] = d;
      next = next | state.land().neighbours(t);
    });
    layer = next & own & ~visited;
    visited = visited | layer;
  }
}

// A random neighbour, drawn uniformly, that is one step nearer to the front than a territory behind the front.
template <class Size>
int step_to_front(const Land<Size>& land, int territory, const Distances<Size>& distance, Rng& rng) {
  std::array<std::uint16_t, Land<Size>::kTerritories> next;
  int n = 0;
  land.neighbours(territory).for_each([&](int target) {
    if (distance[target] < distance[territory]) next[n++] = static_cast<std::uint16_t>(target);
  });
  return next[rng.below(static_cast<std::uint32_t>(n))];
}

}  // namespace sandtable::conquest
