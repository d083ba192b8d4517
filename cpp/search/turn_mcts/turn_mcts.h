// Monte-Carlo tree search for simultaneous turns, as soares2025's vanilla player does it (section 4.1): a turn is two
// levels, the searching player's orders and then the opponent's on the same position; the second resolves the pair.
//
// An iteration selects a leaf, makes a number of children with sampled orders, and plays one random game from each.
// Orders are remembered by the seed they were sampled from, and positions not at all: both are found again on the way
// down, which costs little beside the playouts and keeps a node small.
#pragma once

#include <cmath>

#include "core/arena.h"
#include "core/logarithm.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

struct TurnMctsSettings {
  int candidates = 20;      // children of a node
  int rollout_levels = 20;  // levels from the root at which a playout ends with value 0; whole turns, so even
  double c = 0.35;
  std::uint32_t max_nodes = 1u << 22;
};

template <SimultaneousGame Game>
class TurnMcts {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;

  explicit TurnMcts(const TurnMctsSettings& settings) : settings_(settings) {}

  // The game must not be over.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng) {
    player_ = player;
    nodes_.clear();
    nodes_[nodes_.add(1)] = Node{};
    std::uint64_t done = 0;
    for (; !budget.spent(done); ++done) iterate(root, rng);
    return result(root, done);
  }

 private:
  struct Node {
    std::uint64_t seed = 0;  // of the orders that lead here
    double sum = 0;          // of the values for the searching player
    std::uint64_t visits = 0;
    std::uint32_t first_child = 0;  // 0: none, for the root is nobody's child
  };

  void sample(const State& state, int player, std::uint64_t seed) {
    Rng rng(seed);
    Game::sample(state, player, rng, orders_[player]);
  }

  void resolve(State& state, Rng& rng) { Game::resolve(state, orders_[0], orders_[1], rng); }

  std::uint32_t best_child(const Node& node, bool own) const {
    const double k = settings_.c * std::sqrt(logarithm(std::max(static_cast<double>(node.visits), 1.0)));
    std::uint32_t best = node.first_child;
    double highest = -1e300;
    for (std::uint32_t i = node.first_child; i < node.first_child + settings_.candidates; ++i) {
      const double visits = static_cast<double>(nodes_[i].visits), mean = nodes_[i].sum / visits;
      const double score = (own ? mean : -mean) + k / std::sqrt(visits);
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }

  void iterate(const State& root, Rng& rng) {
    State state = root;
    path_.assign(1, 0);
    int level = 0;  // even: the searching player chooses, odd: the opponent
    while (nodes_[path_.back()].first_child != 0) {
      const std::uint32_t child = best_child(nodes_[path_.back()], level % 2 == 0);
      sample(state, level % 2 == 0 ? player_ : 1 - player_, nodes_[child].seed);
      if (level % 2 == 1) {
        // Who marches first is part of the child: it must not change from one visit to the next.
        Rng fate(nodes_[child].seed, stream_number("resolve"));
        resolve(state, fate);
      }
      path_.push_back(child);
      ++level;
    }
    double sum = 0;
    if (level % 2 == 0 && Game::over(state)) {
      // A decided leaf counts as often as any other, and the search goes on with the rest.
      sum = settings_.candidates * Game::value(state, player_);
    } else if (level < settings_.rollout_levels) {
      sum = expand(state, level, rng);
    }  // else undecided at the last level: worth 0
    for (const std::uint32_t node : path_) {
      nodes_[node].visits += static_cast<std::uint64_t>(settings_.candidates);
      nodes_[node].sum += sum;
    }
  }

  // One playout from each of the leaf's new children; the sum of their values.
  double expand(const State& state, int level, Rng& rng) {
    const auto n = static_cast<std::uint32_t>(settings_.candidates);
    const bool room = nodes_.size() + n <= settings_.max_nodes;
    const std::uint32_t first = room ? nodes_.add(n) : 0;
    const int mover = level % 2 == 0 ? player_ : 1 - player_;
    double sum = 0;
    const Orders own = orders_[player_];  // on odd levels: those on the way here
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t seed = rng.next();
      State next = state;
      if (level % 2 == 1) orders_[player_] = own;
      sample(state, mover, seed);
      int reached = level + 1;
      if (level % 2 == 0) {
        Game::sample(state, 1 - player_, rng, orders_[1 - player_]);
        resolve(next, rng);
        ++reached;
      } else {
        Rng fate(seed, stream_number("resolve"));
        resolve(next, fate);
      }
      for (; reached < settings_.rollout_levels && !Game::over(next); reached += 2) {
        for (int player = 0; player < 2; ++player) Game::sample(next, player, rng, orders_[player]);
        resolve(next, rng);
      }
      const double value = Game::over(next) ? Game::value(next, player_) : 0;
      if (room) nodes_[first + i] = Node{seed, value, 1, 0};
      sum += value;
    }
    if (room) nodes_[path_.back()].first_child = first;
    return sum;
  }

  Result<Orders> result(const State& root, std::uint64_t done) {
    Result<Orders> out;
    const Node& top = nodes_[0];
    for (std::uint32_t i = top.first_child; i < top.first_child + settings_.candidates; ++i) {
      const Node& node = nodes_[i];
      sample(root, player_, node.seed);
      out.candidates.push_back({orders_[player_], node.visits, node.sum / static_cast<double>(node.visits)});
      const auto &last = out.candidates.back(), &best = out.candidates[out.best];
      if (std::pair(last.visits, last.value) > std::pair(best.visits, best.value)) out.best = out.candidates.size() - 1;
    }
    out.value = top.sum / static_cast<double>(top.visits);
    out.nodes = nodes_.size();
    out.simulations = done;
    return out;
  }

  TurnMctsSettings settings_;
  int player_ = 0;
  Arena<Node> nodes_;
  std::vector<std::uint32_t> path_;
  Orders orders_[2];
};

}  // namespace sandtable::search
