// The input of soares2025's network (section 4.1; src/sandtable/nets/soares2025.py): states and candidate moves.
//
//   of a map     edges [T, T], cliques [M, T]: 0 where a territory, or a member of a bonus, attends to a territory,
//                kHidden elsewhere; members [M]: the territories of the bonuses, one bonus after the other; shares [T, M]: a
//                bonus's value / size from each of its members to each of its territories. A territory attends
//                to its neighbours, a member to the whole bonus, itself included, as in the authors' code.
//   of a state   nodes [T, 5]: mine, theirs, my armies, their armies, neutral armies; totals [5]: my income, their
//                income, and the sums of the armies in the nodes
//                with the text's inputs nodes [T, 6 + B]: mine, theirs, neutral, my armies, their armies, neutral armies,
//                and for each of B bonuses 1 if the territory belongs to it
//   of an order  sources, targets: the rows of its territories in the network's table, which has five parts for each
//                territory of a state with candidate moves, and then a row of zeros; orders [6]: armies of an attack,
//                of a transfer, of a deploy, then 1 for the kind that the order has as the turn begins
//   of a move    the indices of its orders, padded with the number of all orders to the length of the longest move
//
// Every number of armies, including incomes and totals, is scaled to log(1 + n); the authors' numbers are raw.
//
// The nodes are those of the authors' code, which fit any map. Their text (section 4.1.1) adds a third value for neutral
// land and a binary vector of membership in bonuses. A network that reads that vector is tied to one map, since the bonuses
// of another map mean nothing to it. An encoder with the text's inputs therefore refuses all other maps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conquest/encoders/turn_question.h"
#include "core/batch.h"
#include "core/hash.h"
#include "core/logarithm.h"

namespace sandtable::conquest {

// The arrays that do not change from state to state.
struct MapArrays {
  std::size_t territories = 0;
  std::vector<float> edges;
  std::vector<std::int64_t> members;
  std::vector<float> cliques, shares;

  friend bool operator==(const MapArrays&, const MapArrays&) = default;
};

// The arrays of a batch: of one map, of its states, and of the candidate moves of some of them.
struct TerritoryGraphBatch {
  static constexpr std::size_t kOrder = 6;

  MapArrays map;
  std::size_t states = 0, node_size = 0;
  std::vector<float> nodes, totals;
  std::vector<std::int64_t> asked, sources, targets;
  std::vector<std::array<float, kOrder>> orders;
  std::vector<std::size_t> order_ends;  // of each move, among the orders
  std::vector<std::size_t> move_ends;   // of each state, among the moves
  std::size_t longest = 1;
  std::vector<std::int64_t> moves;  // [moves, longest]

  std::size_t order_count() const { return orders.size(); }
  float* order_values() { return orders.empty() ? nullptr : orders.front().data(); }
  std::size_t move_count() const { return order_ends.size(); }
};

// The one map of the text's inputs, and which bonuses its territories belong to.
struct BonusMembership {
  std::string map_name;
  MapArrays map;
  std::size_t bonuses = 0;
  std::vector<float> members;  // [T, bonuses]
};

struct TerritoryGraphEncoder {
  static constexpr std::size_t kTotals = 5;
  static constexpr std::int64_t kParts = 5;
  static constexpr float kHidden = -1e9f;

  bool scaled = true;
  std::shared_ptr<const BonusMembership> membership = nullptr;  // for the text's inputs; null for those of the code

  // An encoder with the text's inputs, for this map alone.
  template <class Size>
  static TerritoryGraphEncoder with_text_inputs(const Land<Size>& land, const std::string& map_name, bool scaled);

  // Throws std::invalid_argument if the encoder is for another map.
  template <class Size>
  MapArrays map(const Land<Size>& land) const;

  // The evaluator's contract (evaluation/evaluator.h). All questions of a batch are about one map.
  using Batch = TerritoryGraphBatch;
  using Cached = float;
  static constexpr std::size_t kMostCached = 1 << 28;
  struct Answer {
    explicit Answer(float its_value, std::span<const float> its_logits = {}) : value(its_value), logits(its_logits) {}
    explicit operator float() const { return value; }
    float value;                    // for the perspective player
    std::span<const float> logits;  // of the candidate moves
  };

  template <class Size>
  void begin(const TurnQuestion<Size>& question, Batch& batch) const;
  // No key for questions about moves: their logits are not cached.
  template <class Size>
  std::optional<std::uint64_t> key(const TurnQuestion<Size>& question, Batch& batch) const;
  template <class Size>
  void add(const TurnQuestion<Size>& question, Batch& batch) const;
  void finish(Batch& batch) const;
  Shapes outputs(const Batch& batch) const { return {{batch.states}, {batch.move_count()}}; }
  Answer read(const Batch& batch, std::size_t i, Outputs outputs) const {
    const std::size_t first = i == 0 ? 0 : batch.move_ends[i - 1];
    return Answer(outputs[0][i], outputs[1].subspan(first, batch.move_ends[i] - first));
  }
  BatchSize size(const Batch& batch) const { return {batch.states, batch.states, batch.move_count()}; }

 private:
  template <class Size>
  static MapArrays arrays_of(const Land<Size>& land);
  // Writes the nodes and totals of a state, from the player's perspective, behind those of the states in the batch.
  template <class Size>
  void write_state(const State<Size>& state, int player, Batch& batch) const;
  template <class Size>
  void add_move(const State<Size>& state, int player, const Orders& orders, Batch& batch) const;

  static constexpr std::int64_t kZeros = -1;  // stands for the row of zeros, whose index is known only at the end

  float scale(int armies) const {
    static const std::vector<float> small = [] {
      std::vector<float> all(256);
      for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<float>(logarithm(1.0 + static_cast<double>(n)));
      return all;
    }();
    if (!scaled) return static_cast<float>(armies);
    const auto n = static_cast<std::size_t>(armies);
    return n < small.size() ? small[n] : static_cast<float>(logarithm(1.0 + armies));
  }
};

template <class Size>
TerritoryGraphEncoder TerritoryGraphEncoder::with_text_inputs(const Land<Size>& land, const std::string& map_name, bool scaled) {
  BonusMembership made{map_name, arrays_of(land), land.bonuses().size(), {}};
  for (int t = 0; t < land.territories(); ++t)
    for (const auto& bonus : land.bonuses()) made.members.push_back(bonus.territories.test(t));
  return {scaled, std::make_shared<const BonusMembership>(std::move(made))};
}

template <class Size>
MapArrays TerritoryGraphEncoder::map(const Land<Size>& land) const {
  MapArrays found = arrays_of(land);
  if (membership && found != membership->map)
    throw std::invalid_argument("this network reads the bonuses of the map " + membership->map_name + " and cannot play another map");
  return found;
}

template <class Size>
MapArrays TerritoryGraphEncoder::arrays_of(const Land<Size>& land) {
  const auto n = static_cast<std::size_t>(land.territories());
  MapArrays out{n, std::vector<float>(n * n, kHidden), {}, {}, {}};
  for (const auto& edge : land.directed_edges()) out.edges[edge.source * n + edge.target] = 0;
  auto bonuses = land.bonuses();
  // Some runtimes cannot take an empty matrix, so a map without bonuses gets a bonus that is worth nothing.
  if (bonuses.empty()) bonuses.push_back({0, Land<Size>::Set::of(0)});
  for (const auto& bonus : bonuses) bonus.territories.for_each([&](int t) { out.members.push_back(t); });
  const std::size_t m = out.members.size();
  out.cliques.assign(m * n, kHidden);
  out.shares.assign(n * m, 0);
  std::size_t member = 0;
  for (const auto& bonus : bonuses) {
    const float share = static_cast<float>(bonus.value) / static_cast<float>(bonus.territories.count());
    bonus.territories.for_each([&](int) {
      bonus.territories.for_each([&](int t) {
        out.cliques[member * n + static_cast<std::size_t>(t)] = 0;
        out.shares[static_cast<std::size_t>(t) * m + member] = share;
      });
      ++member;
    });
  }
  return out;
}

template <class Size>
void TerritoryGraphEncoder::begin(const TurnQuestion<Size>& question, Batch& batch) const {
  batch.map = map(question.state.land());
  batch.states = 0;
  batch.node_size = membership ? 6 + membership->bonuses : 5;
  batch.longest = 1;
  batch.nodes.clear();
  batch.totals.clear();
  batch.asked.clear();
  batch.sources.clear();
  batch.targets.clear();
  batch.orders.clear();
  batch.order_ends.clear();
  batch.move_ends.clear();
}

template <class Size>
std::optional<std::uint64_t> TerritoryGraphEncoder::key(const TurnQuestion<Size>& question, Batch& batch) const {
  write_state(question.state, question.player, batch);
  if (!question.moves.empty()) return std::nullopt;
  const std::span<const float> nodes(batch.nodes), totals(batch.totals);
  const std::uint64_t of_map = question.state.land().fingerprint();
  return hash_values(hash_values(of_map, nodes.last(batch.map.territories * batch.node_size)), totals.last(kTotals));
}

template <class Size>
void TerritoryGraphEncoder::add(const TurnQuestion<Size>& question, Batch& batch) const {
  if (!question.moves.empty()) batch.asked.push_back(static_cast<std::int64_t>(batch.states));
  for (const Orders& orders : question.moves) add_move(question.state, question.player, orders, batch);
  batch.move_ends.push_back(batch.move_count());
  ++batch.states;
}

template <class Size>
void TerritoryGraphEncoder::write_state(const State<Size>& state, int player, Batch& batch) const {
  const std::size_t n = batch.map.territories, size = batch.node_size, owners = membership ? 3 : 2;
  batch.nodes.resize((batch.states + 1) * n * size);
  batch.totals.resize(batch.states * kTotals);
  float* node = batch.nodes.data() + batch.states * n * size;
  int sums[3] = {0, 0, 0};
  for (int t = 0; t < static_cast<int>(n); ++t, node += size) {
    const int armies = state.armies(t);
    const std::size_t whose = state.owned(player).test(t) ? 0 : state.owned(1 - player).test(t) ? 1 : 2;
    sums[whose] += armies;
    std::fill(node, node + size, 0.0f);
    if (whose < owners) node[whose] = 1;
    node[owners + whose] = scale(armies);
    if (membership)
      std::copy_n(membership->members.data() + static_cast<std::size_t>(t) * membership->bonuses, membership->bonuses, node + 6);
  }
  for (const int whose : {player, 1 - player}) batch.totals.push_back(scale(state.income(whose)));
  for (const int sum : sums) batch.totals.push_back(scale(sum));
}

template <class Size>
void TerritoryGraphEncoder::add_move(const State<Size>& state, int player, const Orders& orders, Batch& batch) const {
  const std::int64_t first = (static_cast<std::int64_t>(batch.asked.size()) - 1) * state.land().territories();
  const auto row = [&](int territory, int part) { return (first + territory) * kParts + part; };
  const auto add = [&](std::int64_t source, std::int64_t target, std::size_t kind, int armies) {
    batch.sources.push_back(source);
    batch.targets.push_back(target);
    auto& values = batch.orders.emplace_back();
    values[kind] = scale(armies);
    values[3 + kind] = 1;
  };
  for (const auto& [territory, armies] : orders.deploys) add(row(territory, 4), kZeros, 2, armies);
  for (const auto& [source, target, armies] : orders.marches) {
    const int kind = state.owned(player).test(target) ? 1 : 0;
    add(row(source, 2 * kind), row(target, 2 * kind + 1), static_cast<std::size_t>(kind), armies);
  }
  batch.longest = std::max(batch.longest, orders.deploys.size() + orders.marches.size());
  batch.order_ends.push_back(batch.order_count());
}

// Removes a state that key() wrote but that was not added, and fills in the indices that depend on the size of the whole
// batch.
inline void TerritoryGraphEncoder::finish(Batch& batch) const {
  batch.nodes.resize(batch.states * batch.map.territories * batch.node_size);
  batch.totals.resize(batch.states * kTotals);
  const auto zeros = static_cast<std::int64_t>(batch.asked.size() * batch.map.territories) * kParts;
  std::replace(batch.targets.begin(), batch.targets.end(), kZeros, zeros);
  batch.moves.assign(batch.move_count() * batch.longest, static_cast<std::int64_t>(batch.order_count()));
  std::size_t order = 0;
  for (std::size_t move = 0; move < batch.move_count(); ++move)
    for (std::int64_t* at = batch.moves.data() + move * batch.longest; order < batch.order_ends[move]; ++order)
      *at++ = static_cast<std::int64_t>(order);
}

}  // namespace sandtable::conquest
