// The input of this project's own network (src/sandtable/nets/territories.py): states of any map, from the perspective of
// either player, whose land is "mine" below.
//
//   of a map     edges [T, T]: 1 / degree from each neighbour of a territory; kin [T, T]: for every bonus that two
//                territories share, half of its value / (size * (size - 1))
//   of a state   nodes [T, 23]:
//                   0  mine, theirs, neutral
//                   3  armies if it is mine, theirs, neutral
//                   6  next to it: my armies, their armies, their largest army, neutral armies
//                  10  whether it borders on land that is mine, theirs, neutral
//                  13  neighbours / 4
//                  14  steps from my land, from theirs, / 3, six at most
//                  16  sums over its bonuses: value / size / 2; then, all divided by 4: value * the share that is mine, that is
//                      theirs, value / (1 + territories that I lack, that they lack), value if all is mine, if all is theirs
//                totals [9]: my and their income / 10; my, their, neutral armies; the share of the land that is mine,
//                theirs; turns / their limit; territories
//
// Numbers of armies, and the number of territories, are scaled to log(1 + n) / 2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "conquest/encoders/turn_question.h"
#include "core/batch.h"
#include "core/hash.h"
#include "core/logarithm.h"

namespace sandtable::conquest {

// The arrays that are the same for all states of a map.
struct FeatureMap {
  std::size_t territories = 0;
  std::uint64_t fingerprint = 0;
  // The matrices in sparse form: territory t receives messages along edges from[ends[2 * t - 1] .. ends[2 * t]], each with
  // its weight, and as kin from the following entries up to ends[2 * t + 1]; both in ascending order.
  std::vector<int> ends, from;
  std::vector<float> weights;

  // The same as dense arrays, for networks outside of the C++ core. They are empty until lay_out() fills them.
  std::vector<float> edges, kin;
  void lay_out() {
    edges.assign(territories * territories, 0.0f);
    kin.assign(territories * territories, 0.0f);
    for (std::size_t group = 0, at = 0; group < ends.size(); ++group)
      for (auto& into = group % 2 == 0 ? edges : kin; at < static_cast<std::size_t>(ends[group]); ++at)
        into[group / 2 * territories + static_cast<std::size_t>(from[at])] = weights[at];
  }
};

// The arrays of a batch: of one map and of its states.
struct FeatureBatch {
  FeatureMap map;
  std::size_t states = 0;
  std::vector<float> nodes, totals;
  std::vector<std::int64_t> asked;  // states whose policy is wanted
};

// A query for both players' policies at a position.
template <class Size>
struct PolicyOfBoth {
  const State<Size>& state;
};
template <class Size>
PolicyOfBoth(const State<Size>&) -> PolicyOfBoth<Size>;  // needed for the same reason as that of TurnQuestion

struct TerritoryFeatures {
  static constexpr std::size_t kNode = 23, kTotals = 9;

  template <class Size>
  static FeatureMap map(const Land<Size>& land);

  // The evaluator's contract (evaluation/evaluator.h). All questions of a batch are about one map and of one type: the
  // value for a player, without any moves, or the policies of both players, which are not cached.
  using Batch = FeatureBatch;
  using Cached = float;
  static constexpr std::size_t kMostCached = 1 << 26;
  struct Answer {
    explicit Answer(float its_value) : value(its_value) {}
    Answer(std::span<const float> its_deploys, std::span<const float> its_marches) : deploys(its_deploys), marches(its_marches) {}
    explicit operator float() const { return value; }
    float value = 0;                         // for the perspective player
    std::span<const float> deploys, marches;  // logits of both players' policies: [2, T], [2, T, T]
  };

  template <class Size>
  void begin(const TurnQuestion<Size>& question, Batch& batch) const {
    begin(question.state.land(), batch);
  }
  template <class Size>
  void begin(const PolicyOfBoth<Size>& question, Batch& batch) const {
    begin(question.state.land(), batch);
  }
  template <class Size>
  std::optional<std::uint64_t> key(const TurnQuestion<Size>& question, Batch& batch) const;
  template <class Size>
  std::optional<std::uint64_t> key(const PolicyOfBoth<Size>& question, Batch& batch) const;
  template <class Size>
  void add(const TurnQuestion<Size>&, Batch& batch) const {
    ++batch.states;
  }
  template <class Size>
  void add(const PolicyOfBoth<Size>&, Batch& batch) const {
    for (int player = 0; player < 2; ++player) batch.asked.push_back(static_cast<std::int64_t>(batch.states++));
  }
  // Removes a state that key() wrote but that was not added.
  void finish(Batch& batch) const {
    batch.nodes.resize(batch.states * batch.map.territories * kNode);
    batch.totals.resize(batch.states * kTotals);
  }
  Shapes outputs(const Batch& batch) const {
    const std::size_t t = batch.map.territories, asked = batch.asked.size();
    return {{batch.states}, {asked, t}, {asked, t, t}};
  }
  Answer read(const Batch& batch, std::size_t i, Outputs outputs) const {
    if (batch.asked.empty()) return Answer(outputs[0][i]);
    const std::size_t t = batch.map.territories;
    return {outputs[1].subspan(2 * i * t, 2 * t), outputs[2].subspan(2 * i * t * t, 2 * t * t)};
  }
  BatchSize size(const Batch& batch) const { return {batch.states, batch.states, 0}; }

  // Appends the nodes and totals of a state from the player's perspective.
  template <class Size>
  static void write(const State<Size>& state, int player, std::vector<float>& nodes, std::vector<float>& totals);

 private:
  template <class Size>
  void begin(const Land<Size>& land, Batch& batch) const {
    if (batch.map.territories == 0 || batch.map.fingerprint != land.fingerprint()) batch.map = map(land);
    batch.states = 0;
    batch.nodes.clear();
    batch.totals.clear();
    batch.asked.clear();
  }

  static float scale(std::int64_t n) {
    static const std::vector<float> small = [] {
      std::vector<float> all(256);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(0.5 * logarithm(1.0 + static_cast<double>(i)));
      return all;
    }();
    return n < 256 ? small[static_cast<std::size_t>(n)] : static_cast<float>(0.5 * logarithm(1.0 + static_cast<double>(n)));
  }

  // Writes each territory's steps from the nearest territory of a set, scaled as above, at `out` with a stride of kNode. If
  // the set is empty, all territories have the greatest distance.
  template <class Size>
  static void write_steps(const Land<Size>& land, const typename Land<Size>::Set& from, float* out) {
    constexpr int kFarthest = 6;
    for (int t = 0; t < land.territories(); ++t) out[static_cast<std::size_t>(t) * kNode] = kFarthest / 3.0f;
    auto layer = from, visited = from;
    for (int steps = 0; steps < kFarthest && layer.any(); ++steps) {
      typename Land<Size>::Set next{};
      layer.for_each([&](int t) {
        out[static_cast<std::size_t>(t) * kNode] = static_cast<float>(steps) / 3.0f;
        next = next | land.neighbours(t);
      });
      layer = next & ~visited;
      visited = visited | layer;
    }
  }
};

template <class Size>
FeatureMap TerritoryFeatures::map(const Land<Size>& land) {
  using Set = typename Land<Size>::Set;
  FeatureMap out{static_cast<std::size_t>(land.territories()), land.fingerprint(), {}, {}, {}, {}, {}};
  std::vector<Set> kin(out.territories);
  for (const auto& bonus : land.bonuses())
    bonus.territories.for_each([&](int t) {
      auto& of = kin[static_cast<std::size_t>(t)];
      of = of | bonus.territories;
    });
  std::vector<float> weight(out.territories);
  const auto add_message = [&](int other, float how_much) {
    out.from.push_back(other);
    out.weights.push_back(how_much);
  };
  for (int t = 0; t < land.territories(); ++t) {
    land.neighbours(t).for_each([&](int other) { add_message(other, 1.0f / static_cast<float>(land.neighbours(t).count())); });
    out.ends.push_back(static_cast<int>(out.from.size()));
    for (const auto& bonus : land.bonuses()) {
      if (!bonus.territories.test(t)) continue;
      const auto size = static_cast<float>(bonus.territories.count());
      bonus.territories.for_each([&](int other) {
        weight[static_cast<std::size_t>(other)] += 0.5f * static_cast<float>(bonus.value) / (size * (size - 1));
      });
    }
    kin[static_cast<std::size_t>(t)].for_each([&](int other) {
      if (other != t) add_message(other, weight[static_cast<std::size_t>(other)]);
      weight[static_cast<std::size_t>(other)] = 0;
    });
    out.ends.push_back(static_cast<int>(out.from.size()));
  }
  return out;
}

template <class Size>
std::optional<std::uint64_t> TerritoryFeatures::key(const TurnQuestion<Size>& question, Batch& batch) const {
  finish(batch);
  write(question.state, question.player, batch.nodes, batch.totals);
  const std::span<const float> nodes(batch.nodes), totals(batch.totals);
  const std::uint64_t of_map = question.state.land().fingerprint();
  return hash_values(hash_values(of_map, nodes.last(batch.map.territories * kNode)), totals.last(kTotals));
}

template <class Size>
std::optional<std::uint64_t> TerritoryFeatures::key(const PolicyOfBoth<Size>& question, Batch& batch) const {
  for (int player = 0; player < 2; ++player) write(question.state, player, batch.nodes, batch.totals);
  return std::nullopt;
}

template <class Size>
void TerritoryFeatures::write(const State<Size>& state, int player, std::vector<float>& all_nodes, std::vector<float>& totals) {
  const auto& land = state.land();
  const int n = land.territories();
  const std::size_t begin = all_nodes.size();
  all_nodes.resize(begin + static_cast<std::size_t>(n) * kNode);
  float* const nodes = all_nodes.data() + begin;
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
  for (const int whose : {player, 1 - player}) totals.push_back(static_cast<float>(state.income(whose)) / 10);
  for (const auto sum : sums) totals.push_back(scale(sum));
  for (const auto* land_of : {&mine, &theirs})
    totals.push_back(static_cast<float>(land_of->count()) / static_cast<float>(n));
  totals.push_back(static_cast<float>(state.turn()) / static_cast<float>(land.rules().turn_limit));
  totals.push_back(scale(n));
}

// A batch of states of different maps, each with its own map, padded with zeros to `widest` territories.
struct PaddedFeatures {
  std::size_t widest = 0;
  std::vector<float> edges, kin, nodes, totals;  // [B, widest, widest], likewise, [B, widest, kNode], [B, kTotals]

  template <class Size>
  void add(const State<Size>& state, int player) {
    FeatureMap map = TerritoryFeatures::map(state.land());
    map.lay_out();
    for (const auto& [from, to] : {std::pair(&map.edges, &edges), std::pair(&map.kin, &kin)}) {
      for (std::size_t row = 0; row < map.territories; ++row) {
        const float* begin = from->data() + row * map.territories;
        to->insert(to->end(), begin, begin + map.territories);
        to->resize(to->size() + widest - map.territories);
      }
      to->resize(to->size() + (widest - map.territories) * widest);
    }
    TerritoryFeatures::write(state, player, nodes, totals);
    nodes.resize(nodes.size() + (widest - map.territories) * TerritoryFeatures::kNode);
  }
};

}  // namespace sandtable::conquest
