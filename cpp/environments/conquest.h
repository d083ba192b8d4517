// A group of Conquest games on one map as an environment for reinforcement learning; a step is a turn. The learner's action
// is a vector of numbers, one for each territory and then one for each directed edge (conquest/genes.h):
//
//   genes    armies to deploy and to march, repaired into legal orders as evolutionary search repairs them
//   shares   from 0 to 1: the income is divided among the own territories in proportion to theirs; an edge's is the part of
//            its source's armies after the deployment that marches along it. Parts that add up to more than 1 are scaled down
//
// Observations are made by one of the engine's encoders, from the learner's perspective:
//
//   graph        nodes [T, 23], totals [9]        encoders/territory_features.h
//   soares2025   nodes [T, 5], totals [5]         encoders/territory_graph.h
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "conquest/any_state.h"
#include "conquest/encoders/territory_features.h"
#include "conquest/encoders/territory_graph.h"
#include "conquest/genes.h"
#include "environments/group.h"

namespace sandtable::environments {

class ConquestObserver {
 public:
  // `encoder`: graph or soares2025.
  ConquestObserver(const conquest::AnyState& start, const std::string& encoder);

  std::size_t size() const { return territories_ * node_size() + totals_size(); }
  std::size_t territories() const { return territories_; }
  std::size_t node_size() const { return soares2025_ ? 5 : conquest::TerritoryFeatures::kNode; }
  std::size_t totals_size() const { return soares2025_ ? 5 : conquest::TerritoryFeatures::kTotals; }

  // For a state that comes from outside. They throw std::invalid_argument if it is not of the observer's map, which
  // determines the sizes of the arrays.
  std::vector<float> encode(const conquest::AnyState& state, int player);
  std::vector<std::int32_t> genes_of_shares(const conquest::AnyState& state, int player, std::span<const float> shares) const;

  // Writes size() numbers, the nodes and then the totals.
  template <class Size>
  void encode(const conquest::State<Size>& state, int player, float* out);

 private:
  // Returns f(state) after checking that the state is of the map.
  template <class F>
  auto observed(const conquest::AnyState& any, int player, F&& f) const {
    conquest::checked_player(player);
    return any.visit([&](const auto& state) {
      require(state.land().fingerprint() == fingerprint_, "the state is of another map");
      return f(state);
    });
  }

  std::uint64_t fingerprint_;  // of the map
  std::size_t territories_;
  bool soares2025_;
  conquest::TerritoryGraphBatch batch_;
  std::vector<float> nodes_, totals_;
};

// Turns shares (see above) into genes. The whole income is deployed: the armies left by rounding down go to the greatest
// remainders. The armies of each edge are rounded down.
template <class Size>
void genes_of_shares(const conquest::State<Size>& state, int player, const float* shares, std::int32_t* genes);

class ConquestGames : public Group<conquest::AnyState, ConquestObserver> {
 public:
  // `land` may be any state of the map: games begin with the map's random starts.
  ConquestGames(const conquest::AnyState& land, std::size_t games, const std::string& encoder, const GroupSettings& settings);

  std::size_t genes() const { return genes_; }
  // The learner's orders of the current turn.
  const conquest::Orders& orders(std::size_t game) const { return orders_[in_group(game)]; }

  // As in environments/tubstap.h. If the opponent plays elsewhere, every game that goes on waits for it after act().
  void begin(std::size_t game);
  void act_genes(std::span<const std::int32_t> actions);   // [games, genes()]
  void act_shares(std::span<const float> actions);         // likewise
  std::vector<std::size_t> waiting() const;
  // Resolves the turn of a waiting game with the opponent's orders. Returns the player that marched first, and the seed of
  // the random order.
  std::pair<int, std::uint64_t> answer(std::size_t game, const conquest::Orders& orders);
  void observe();
  void observe_one(std::size_t game);

 private:
  template <class MakeGenes>
  void act(MakeGenes&& make_genes);
  bool waits(std::size_t game) const { return pending_[game] && !slots_[game].forfeited; }
  std::pair<int, std::uint64_t> resolve(std::size_t game, const conquest::Orders& orders);

  std::size_t genes_;
  std::vector<conquest::Orders> orders_;
  std::vector<std::uint8_t> pending_;  // 1 where the orders wait for the opponent's
  std::vector<std::int32_t> row_;
};

template <class Size>
void ConquestObserver::encode(const conquest::State<Size>& state, int player, float* out) {
  if (soares2025_) {
    const conquest::TerritoryGraphEncoder encoder;
    const conquest::TurnQuestion<Size> question{state, player, {}};
    if (batch_.node_size == 0) encoder.begin(question, batch_);
    batch_.states = 0;
    batch_.nodes.clear();
    batch_.totals.clear();
    encoder.key(question, batch_);  // writes the state behind those of the batch
    std::copy_n(batch_.nodes.data(), territories_ * node_size(), out);
    std::copy_n(batch_.totals.data(), totals_size(), out + territories_ * node_size());
    return;
  }
  nodes_.clear();
  totals_.clear();
  conquest::TerritoryFeatures::write(state, player, nodes_, totals_);
  std::copy(nodes_.begin(), nodes_.end(), out);
  std::copy(totals_.begin(), totals_.end(), out + nodes_.size());
}

template <class Size>
void genes_of_shares(const conquest::State<Size>& state, int player, const float* shares, std::int32_t* genes) {
  const auto& land = state.land();
  const auto& own = state.owned(player);
  const int n = land.territories(), income = state.income(player);
  const auto share = [&](int i) { return shares[i] > 0 ? std::min(static_cast<double>(shares[i]), 1.0) : 0.0; };
  std::fill_n(genes, conquest::gene_count(land), 0);
  double sum = 0;
  own.for_each([&](int t) { sum += share(t); });
  std::vector<std::pair<double, int>> remainders;
  int left = income;
  own.for_each([&](int t) {
    const double exact = sum > 0 ? income * share(t) / sum : static_cast<double>(income) / own.count();
    genes[t] = static_cast<std::int32_t>(exact);
    left -= genes[t];
    remainders.emplace_back(exact - genes[t], -t);
  });
  std::sort(remainders.rbegin(), remainders.rend());
  for (std::size_t i = 0; left > 0 && !remainders.empty(); i = (i + 1) % remainders.size(), --left) ++genes[-remainders[i].second];
  const auto& edges = land.directed_edges();
  for (int e = 0; e < static_cast<int>(edges.size());) {
    const int source = edges[static_cast<std::size_t>(e)].source;
    int last = e;
    double wanted = 0;
    for (; last < static_cast<int>(edges.size()) && edges[static_cast<std::size_t>(last)].source == source; ++last) wanted += share(n + last);
    const int free = own.test(source) ? state.armies(source) + genes[source] - land.rules().stand_guard : 0;
    for (; e < last; ++e)
      if (free > 0) genes[n + e] = static_cast<std::int32_t>(free * share(n + e) / std::max(wanted, 1.0));
  }
}

}  // namespace sandtable::environments
