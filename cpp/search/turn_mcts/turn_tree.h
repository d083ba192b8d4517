// The tree of soares2025's searches of simultaneous turns. The thesis gives their parameters (section 5.2.1); the tree
// follows the authors' code. A turn is two levels: the searching player's orders, and then the opponent's on the same
// position. The opponent's orders resolve the pair.
//
// A node stores the seed from which its orders were sampled, and no position. Orders and positions are computed again during
// each descent, which costs little compared to playouts or a network and keeps a node small. An iteration descends to a leaf
// and evaluates each of its children once, so it always counts as many visits as there are children, at any leaf.
//
// Moves of the root's turn may be given, for instance those of a coevolved population, so that the tree searches what
// follows them (future work of the thesis, section 6.2).
#pragma once

#include <cmath>

#include "core/arena.h"
#include "core/logarithm.h"
#include "core/settings.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

// Settings that the searches on such a tree share.
struct TurnTreeSettings {
  int candidates = 20;
  double c = 0.35;
  bool stall = false;
  std::uint32_t max_nodes = 1u << 22;

  // The declarations of these fields for a settings struct of a search, which has this struct as the member `tree`.
  template <class Settings>
  static constexpr auto fields_of(int most_candidates) {
    using S = TurnTreeSettings;
    return within(&Settings::tree,
                  std::tuple(field("candidates", &S::candidates, 1, most_candidates, "candidate moves of each node"),
                             field("c", &S::c, 0, 1000, "exploration constant"),
                             field("stall", &S::stall, "reproduce the authors' bug: a terminal leaf ends the search"),
                             field("max_nodes", &S::max_nodes, 1, 1u << 31,
                                   "nodes beyond which the tree stops growing; the root's children are always made")));
  }
};

template <SimultaneousGame Game>
class TurnTree {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;

 protected:
  explicit TurnTree(const TurnTreeSettings& settings) : tree_(settings) {}

  struct Node {
    std::uint64_t seed = 0;  // of the orders that lead here
    double sum = 0;          // of the values for the searching player
    std::uint64_t visits = 0;
    std::uint32_t first_child = 0;  // 0: none, since the root is no node's child
    float factor = 1;               // of the exploration term
  };
  static_assert(sizeof(Node) == 32);

  struct Leaf {
    State state;
    int level;  // even: the searching player chooses; odd: the opponent, and orders_ has the searching player's orders
    int mover;
  };

  // `given` are candidates of both players at the root, best first; if they are too few, the rest are sampled.
  void plant(int player, const MovesOfBoth<Orders>* given) {
    player_ = player;
    given_ = given;
    nodes_.clear();
    nodes_[nodes_.add(1)] = Node{};
  }

  // Runs iterations until the budget is spent and returns their number. expand(leaf) returns the sum of the values of
  // an undecided leaf's children.
  template <class Expand>
  std::uint64_t run(const State& root, Budget& budget, Expand&& expand) {
    const auto n = static_cast<std::uint64_t>(tree_.candidates);
    std::uint64_t done = 0;
    for (; !budget.spent(done); ++done) {
      const Leaf leaf = descend(root);
      const bool decided = leaf.level % 2 == 0 && Game::over(leaf.state);
      if (decided && tree_.stall) break;
      // A decided leaf counts as many visits as any other leaf, and the search goes on.
      const double sum = decided ? tree_.candidates * Game::value(leaf.state, player_) : expand(leaf);
      for (const std::uint32_t node : path_) {
        nodes_[node].visits += n;
        nodes_[node].sum += sum;
      }
    }
    return done;
  }

  void sample(const State& state, int player, std::uint64_t seed, Orders& orders) const {
    Rng rng(seed);
    Game::sample(state, player, rng, orders);
  }

  // The orders of child i of a node at a level: those given, or sampled from the child's seed.
  void orders_of(int level, std::uint32_t i, const State& state, int mover, std::uint64_t seed, Orders& orders) const {
    if (level < 2 && given_ && i < (*given_)[mover].size())
      orders = (*given_)[mover][i];
    else
      sample(state, mover, seed, orders);
  }

  void resolve(State& state, Rng& rng) const { Game::resolve(state, orders_[0], orders_[1], rng); }
  // The draw of who marches first belongs to the opponent's child: it must not change from one visit to the next.
  void resolve(State& state, std::uint64_t seed) const {
    Rng fate(seed, stream_number("resolve"));
    resolve(state, fate);
  }

  // Whether there is room for n more nodes. There always is for the root's children.
  bool room(std::uint32_t n) const { return nodes_.size() == 1 || nodes_.size() + n <= tree_.max_nodes; }

  Result<Orders> result(const State& root, std::uint64_t done) {
    Result<Orders> out;
    const Node& top = nodes_[0];
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(tree_.candidates); ++i) {
      const Node& node = nodes_[top.first_child + i];
      orders_of(0, i, root, player_, node.seed, orders_[player_]);
      out.candidates.push_back({orders_[player_], node.visits, node.sum / static_cast<double>(node.visits)});
      const auto &last = out.candidates.back(), &best = out.candidates[out.best];
      if (std::pair(last.visits, last.value) > std::pair(best.visits, best.value)) out.best = out.candidates.size() - 1;
    }
    out.value = top.sum / static_cast<double>(top.visits);
    out.nodes = nodes_.size();
    out.simulations = done;
    return out;
  }

  int player_ = 0;
  const MovesOfBoth<Orders>* given_ = nullptr;  // during a search
  Arena<Node> nodes_;
  std::vector<std::uint32_t> path_;
  Orders orders_[2];

 private:
  // A leaf may have children that wait for their first evaluation.
  bool is_leaf(const Node& node) const { return node.first_child == 0 || nodes_[node.first_child].visits == 0; }

  std::uint32_t best_child(const Node& node, bool own) const {
    const double k = tree_.c * std::sqrt(logarithm(std::max(static_cast<double>(node.visits), 1.0)));
    std::uint32_t best = node.first_child;
    double highest = -1e300;
    for (std::uint32_t i = node.first_child; i < node.first_child + tree_.candidates; ++i) {
      const double visits = static_cast<double>(nodes_[i].visits), mean = nodes_[i].sum / visits;
      const double score = (own ? mean : -mean) + k * static_cast<double>(nodes_[i].factor) / std::sqrt(visits);
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }

  Leaf descend(const State& root) {
    Leaf leaf{root, 0, player_};
    path_.assign(1, 0);
    while (!is_leaf(nodes_[path_.back()])) {
      const Node& node = nodes_[path_.back()];
      const std::uint32_t child = best_child(node, leaf.mover == player_);
      orders_of(leaf.level, child - node.first_child, leaf.state, leaf.mover, nodes_[child].seed, orders_[leaf.mover]);
      if (leaf.level % 2 == 1) resolve(leaf.state, nodes_[child].seed);
      path_.push_back(child);
      ++leaf.level;
      leaf.mover = 1 - leaf.mover;
    }
    return leaf;
  }

  TurnTreeSettings tree_;
};

}  // namespace sandtable::search
