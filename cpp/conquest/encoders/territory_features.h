// States as our own network reads them (src/sandtable/nets/territories.py): on any map, as either player sees it.
//
//   of a map     edges [T, T]: 1 / degree from each neighbour of a territory; kin [T, T]: for every bonus that two
//                territories share, half of its value / (size * (size - 1))
//   of a state   nodes [T, 23]:
//                   0  mine, theirs, neutral
//                   3  armies if it is mine, theirs, neutral
//                   6  next to it: my armies, their armies, their largest army, neutral armies
//                  10  whether it touches land of mine, of theirs, neutral land
//                  13  neighbours / 4
//                  14  steps from my land, from theirs, / 3, six at most
//                  16  over its bonuses: value / size / 2; then / 4: value * the share that is mine, that is theirs,
//                      value / (1 + what I miss, what they miss), value if all is mine, if all is theirs
//                totals [9]: my and their income / 10; my, their, neutral armies; the share of the land that is mine,
//                theirs; turns / their limit; territories
//
// Numbers of armies, and the number of territories, are scaled by log(1 + n) / 2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "conquest/state.h"

namespace sandtable::conquest {

// The arrays that do not change from state to state.
struct FeatureMap {
  std::size_t territories = 0;
  std::vector<float> edges, kin;

  friend bool operator==(const FeatureMap&, const FeatureMap&) = default;
};

// The arrays of states of one map, one state after the other.
struct FeatureArrays {
  std::size_t states = 0;
  std::vector<float> nodes, totals;
  std::vector<std::int64_t> asked;  // states whose policy is wanted

  void clear() {
    states = 0;
    asked.clear();
    nodes.clear();
    totals.clear();
  }
};

struct TerritoryFeatures {
  static constexpr std::size_t kNode = 23, kTotals = 9;
  static constexpr std::size_t node_size() { return kNode; }

  template <class Size>
  static FeatureMap map(const Land<Size>& land);

  // One more state, as the player sees it; and without the last one.
  template <class Size>
  static void add(const State<Size>& state, int player, FeatureArrays& out);
  static void drop(std::size_t territories, FeatureArrays& out) {
    --out.states;
    out.nodes.resize(out.states * territories * kNode);
    out.totals.resize(out.states * kTotals);
  }

 private:
  static float scale(std::int64_t n) {
    static const std::vector<float> small = [] {
      std::vector<float> all(256);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(0.5 * std::log1p(static_cast<double>(i)));
      return all;
    }();
    return n < 256 ? small[static_cast<std::size_t>(n)] : static_cast<float>(0.5 * std::log1p(static_cast<double>(n)));
  }

  // Writes at `out`, a territory every kNode, the steps from the nearest of a set: all alike far if it is empty.
  template <class Size>
  static void write_steps(const Land<Size>& land, const typename Land<Size>::Set& from, float* out) {
    constexpr int kFarthest = 6;
    for (int t = 0; t < land.territories(); ++t) out[static_cast<std::size_t>(t) * kNode] = kFarthest / 3.0f;
    auto layer = from, seen = from;
    for (int steps = 0; steps < kFarthest && layer.any(); ++steps) {
      typename Land<Size>::Set next{};
      layer.for_each([&](int t) {
        out[static_cast<std::size_t>(t) * kNode] = static_cast<float>(steps) / 3.0f;
        next = next | land.neighbours(t);
      });
      layer = next & ~seen;
      seen = seen | layer;
    }
  }
};

template <class Size>
FeatureMap TerritoryFeatures::map(const Land<Size>& land) {
  const auto n = static_cast<std::size_t>(land.territories());
  FeatureMap out{n, std::vector<float>(n * n), std::vector<float>(n * n)};
  for (const auto& edge : land.directed_edges())
    out.edges[edge.source * n + edge.target] = 1.0f / static_cast<float>(land.neighbours(edge.source).count());
  for (const auto& bonus : land.bonuses()) {
    const auto size = static_cast<float>(bonus.territories.count());
    bonus.territories.for_each([&](int a) {
      bonus.territories.for_each([&](int b) {
        if (a == b) return;
        out.kin[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)] +=
            0.5f * static_cast<float>(bonus.value) / (size * (size - 1));
      });
    });
  }
  return out;
}

template <class Size>
void TerritoryFeatures::add(const State<Size>& state, int player, FeatureArrays& out) {
  const auto& land = state.land();
  const int n = land.territories();
  const std::size_t begin = out.nodes.size();
  out.nodes.resize(begin + static_cast<std::size_t>(n) * kNode);
  float* const nodes = out.nodes.data() + begin;
  const auto &mine = state.owned(player), &theirs = state.owned(1 - player);
  std::int64_t sums[3] = {0, 0, 0};
  for (int t = 0; t < n; ++t) {
    float* node = nodes + static_cast<std::size_t>(t) * kNode;
    const int whose = mine.test(t) ? 0 : theirs.test(t) ? 1 : 2;
    sums[whose] += state.armies(t);
    node[whose] = 1;
    node[3 + whose] = scale(state.armies(t));
    std::int64_t next[3] = {0, 0, 0};
    int largest = 0;
    land.neighbours(t).for_each([&](int other) {
      const int armies = state.armies(other), owner = mine.test(other) ? 0 : theirs.test(other) ? 1 : 2;
      next[owner] += armies;
      if (owner == 1) largest = std::max(largest, armies);
      node[10 + owner] = 1;
    });
    node[6] = scale(next[0]);
    node[7] = scale(next[1]);
    node[8] = scale(largest);
    node[9] = scale(next[2]);
    node[13] = static_cast<float>(land.neighbours(t).count()) / 4;
  }
  write_steps(land, mine, nodes + 14);
  write_steps(land, theirs, nodes + 15);
  for (const auto& bonus : land.bonuses()) {
    const auto value = static_cast<float>(bonus.value), size = static_cast<float>(bonus.territories.count());
    const auto my = static_cast<float>((bonus.territories & mine).count());
    const auto their = static_cast<float>((bonus.territories & theirs).count());
    const float about[7] = {value / size / 2, value * my / size / 4, value * their / size / 4,
                            value / (1 + size - my) / 4, value / (1 + size - their) / 4,
                            my == size ? value / 4 : 0, their == size ? value / 4 : 0};
    bonus.territories.for_each([&](int t) {
      float* node = nodes + static_cast<std::size_t>(t) * kNode + 16;
      for (const float one : about) *node++ += one;
    });
  }
  for (const int whose : {player, 1 - player}) out.totals.push_back(static_cast<float>(state.income(whose)) / 10);
  for (const auto sum : sums) out.totals.push_back(scale(sum));
  for (const auto* land_of : {&mine, &theirs})
    out.totals.push_back(static_cast<float>(land_of->count()) / static_cast<float>(n));
  out.totals.push_back(static_cast<float>(state.turn()) / static_cast<float>(land.rules().turn_limit));
  out.totals.push_back(scale(n));
  ++out.states;
}

}  // namespace sandtable::conquest
