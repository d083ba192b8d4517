// The tree of a search that is guided by a policy/value network. A node is an edge and the position that it leads to.
// The children of a node are stored together, and statistics apart from moves and priors.
//
// A descent follows a selection rule from the root to a leaf; the leaf is evaluated, and its value is backed up along
// the path. Several descents may be pending at once, so that a network evaluates a batch: each counts as a loss
// (virtual loss) until its leaf is evaluated, and a leaf is never pending twice. Values are for the side that chose an
// edge, which may be the same on the next level.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/arena.h"
#include "search/game.h"

namespace sandtable::search {

// A game in which some moves are attacks, which get a bonus in the selection of kimura2020 (section 3.2).
template <class G>
concept PolicyGame = SequentialGame<G> && requires(const typename G::Move m) {
  { G::attacks(m) } -> std::convertible_to<bool>;
};

template <PolicyGame Game>
class PolicyTree {
 public:
  using State = typename Game::State;
  using Move = typename Game::Move;

  struct Edge {
    Move move;
    float prior;
  };
  struct Stat {
    double sum = 0;  // of the values for the side that chose the edge
    std::uint32_t visits = 0;
    std::uint32_t pending = 0;  // descents whose leaves have not been evaluated
    std::uint32_t first_child = 0;
    std::uint16_t children = 0;
    float network_value = 0;  // the network's value of the node for the side to move there
  };
  struct Step {
    std::uint32_t node;
    int side;  // that chose the node
  };
  // The end of a descent, with the priors and the value that the network gives it.
  struct Leaf {
    explicit Leaf(const State& at) : state(at) {}
    State state;
    std::uint32_t node = 0;
    std::vector<Step> path;
    std::vector<Move> moves;
    std::vector<float> priors;  // one for each move
    float value = 0;            // for the side to move
  };
  enum class Ended { kWaiting, kOver, kTaken };

  static constexpr std::uint32_t kRoot = 0;

  // A leaf gets no children if the tree would then have more than max_nodes nodes; the root always gets them.
  explicit PolicyTree(const State& root, std::uint32_t max_nodes = 1u << 24) : root_(root), max_nodes_(max_nodes) { plant(root); }

  void plant(const State& root) {
    root_ = root;
    edges_.clear();
    stats_.clear();
    add_nodes(1);
    stats_[kRoot] = Stat{};
    side_ = Game::side(root);
  }

  const State& root() const { return root_; }
  int side() const { return side_; }
  std::uint32_t size() const { return stats_.size(); }
  const Stat& stat(std::uint32_t node) const { return stats_[node]; }
  const Edge& edge(std::uint32_t node) const { return edges_[node]; }
  bool expanded(std::uint32_t node) const { return stats_[node].children > 0; }
  // The mean value of a child for the side that chose it; pending descents count as losses.
  double mean(std::uint32_t node) const {
    const Stat& stat = stats_[node];
    return (stat.sum - stat.pending) / static_cast<double>(stat.visits + stat.pending);
  }
  // Finished and pending visits.
  std::uint32_t visits(std::uint32_t node) const { return stats_[node].visits + stats_[node].pending; }

  // Descends from the root; choose(node) returns a child of an expanded node. kWaiting: the leaf must be passed to
  // expand() or give_up(). kOver: the game is over at the leaf, and its result has been backed up. kTaken: another
  // descent waits at this leaf.
  template <class Choose>
  Ended descend(Choose&& choose, Leaf& leaf) {
    leaf.state = root_;
    leaf.path.clear();
    leaf.node = kRoot;
    while (expanded(leaf.node) && !Game::over(leaf.state)) {
      const std::uint32_t child = choose(leaf.node);
      leaf.path.push_back({child, Game::side(leaf.state)});
      Game::play(leaf.state, edges_[child].move);
      leaf.node = child;
    }
    if (Game::over(leaf.state)) {
      back_up(leaf.path, Game::value(leaf.state, 0), 0);
      return Ended::kOver;
    }
    if (stats_[leaf.node].pending > 0) return Ended::kTaken;
    stats_[kRoot].pending += 1;
    for (const Step& step : leaf.path) stats_[step.node].pending += 1;
    leaf.moves.clear();
    Game::moves(leaf.state, leaf.moves);
    return Ended::kWaiting;
  }

  // Gives an evaluated leaf its children and backs up its value.
  void expand(const Leaf& leaf) {
    give_up(leaf);
    const auto n = static_cast<std::uint32_t>(leaf.moves.size());
    if (leaf.node == kRoot || size() + n <= max_nodes_) {
      const std::uint32_t first = add_nodes(n);
      for (std::uint32_t i = 0; i < n; ++i) {
        edges_[first + i] = {leaf.moves[i], leaf.priors[i]};
        stats_[first + i] = Stat{};
      }
      stats_[leaf.node].first_child = first;
      stats_[leaf.node].children = static_cast<std::uint16_t>(n);
    }
    stats_[leaf.node].network_value = leaf.value;
    back_up(leaf.path, leaf.value, Game::side(leaf.state));
  }

  void give_up(const Leaf& leaf) {
    stats_[kRoot].pending -= 1;
    for (const Step& step : leaf.path) stats_[step.node].pending -= 1;
  }

  // Makes a child of the root the new root and drops the rest of the tree. The root must be expanded, and no descent
  // may be pending.
  void advance(std::uint32_t child) {
    const int chosen_by = side_;
    Game::play(root_, edges_[child].move);
    side_ = Game::side(root_);
    Arena<Edge> edges;
    Arena<Stat> stats;
    edges.add(1);
    stats.add(1);
    edges[kRoot] = edges_[child];
    stats[kRoot] = stats_[child];
    for (std::uint32_t node = 0; node < stats.size(); ++node) {  // the copied nodes are also the queue of nodes to process
      const std::uint32_t n = stats[node].children;
      if (n == 0) continue;
      const std::uint32_t from = stats[node].first_child, to = edges.add(n);
      stats.add(n);
      std::copy_n(edges_.at(from), n, edges.at(to));
      std::copy_n(stats_.at(from), n, stats.at(to));
      stats[node].first_child = to;
    }
    edges_ = std::move(edges);
    stats_ = std::move(stats);
    // The root's own sum is for the side to move, like the value that a search gives.
    if (side_ != chosen_by) stats_[kRoot].sum = -stats_[kRoot].sum;
  }

  // Makes the node with this position the root, if it is among the `most` nodes nearest to the root; returns whether it
  // was found. Different sequences of moves may lead to one position: of several nodes at the same depth the one with
  // the most visits is taken.
  bool seek(const State& wanted, std::size_t most = 4096) {
    const std::uint64_t hash = Game::hash(wanted);
    struct Reached {
      State state;
      std::uint32_t node, place;  // place: among its parent's children
      std::size_t parent;
      int depth;
    };
    std::vector<Reached> reached{{root_, kRoot, 0, 0, 0}};
    std::optional<std::size_t> found;
    for (std::size_t at = 0; at < reached.size() && !(found && reached[at].depth > reached[*found].depth); ++at) {
      if (Game::hash(reached[at].state) == hash && (!found || visits(reached[at].node) > visits(reached[*found].node))) found = at;
      if (found) continue;
      const Stat& stat = stats_[reached[at].node];
      for (std::uint32_t i = 0; i < stat.children && reached.size() < most; ++i) {
        if (!expanded(stat.first_child + i)) continue;
        reached.push_back({reached[at].state, stat.first_child + i, i, at, reached[at].depth + 1});
        Game::play(reached.back().state, edges_[stat.first_child + i].move);
      }
    }
    if (!found) return false;
    // Each advance renumbers the nodes, so the path is kept as places among the children.
    std::vector<std::uint32_t> path;
    for (std::size_t i = *found; i != 0; i = reached[i].parent) path.push_back(reached[i].place);
    for (auto place = path.rbegin(); place != path.rend(); ++place) advance(stats_[kRoot].first_child + *place);
    return true;
  }

 private:
  std::uint32_t add_nodes(std::uint32_t n) {
    edges_.add(n);
    return stats_.add(n);
  }

  // `value` is for `side`; games are zero-sum.
  void back_up(const std::vector<Step>& path, double value, int side) {
    add(kRoot, side == side_ ? value : -value);
    for (const Step& step : path) add(step.node, side == step.side ? value : -value);
  }
  void add(std::uint32_t node, double value) {
    stats_[node].visits += 1;
    stats_[node].sum += value;
  }

  State root_;
  std::uint32_t max_nodes_;
  int side_ = 0;
  Arena<Edge> edges_;
  Arena<Stat> stats_;
};

}  // namespace sandtable::search
