// soares2025's vanilla player (sections 2.1 and 5.2.1): an iteration gives a leaf children with sampled orders, and
// plays one random game from each.
#pragma once

#include <stdexcept>
#include <string>

#include "search/turn_mcts/turn_tree.h"

namespace sandtable::search {

struct TurnMctsSettings {
  TurnTreeSettings tree{};
  std::uint64_t iterations = 300;
  int rollout_levels = 20;

  static constexpr auto fields() {
    using S = TurnMctsSettings;
    return std::tuple_cat(TurnTreeSettings::fields_of<S>(1000),
                          std::tuple(count("iterations", &S::iterations, "iterations for a move; each plays a game from every candidate"),
                                     field("rollout_levels", &S::rollout_levels, 2, 1e6,
                                           "levels below the root, two per turn, at which an undecided game counts 0")));
  }

  void check() const {
    if (rollout_levels % 2)
      throw std::invalid_argument("rollout_levels are whole turns of two levels: an even number, not " + std::to_string(rollout_levels));
  }
};

template <SimultaneousGame Game>
class TurnMcts : private TurnTree<Game> {
  using Tree = TurnTree<Game>;
  using typename Tree::Leaf;
  using typename Tree::Node;
  using Tree::nodes_;
  using Tree::orders_;
  using Tree::player_;

 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;

  explicit TurnMcts(const TurnMctsSettings& settings)
      : Tree(settings.tree), settings_(settings) {}

  // The game must not be over. `given` are moves of both players for the root's turn; if they are too few, the rest are
  // sampled.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng, const MovesOfBoth<Orders>* given = nullptr) {
    this->plant(player, given);
    const std::uint64_t done = this->run(root, budget, [&](const Leaf& leaf) { return expand(leaf, rng); });
    return this->result(root, done);
  }

 private:
  // Plays one random game from each of the leaf's new children. Returns the sum of their values.
  double expand(const Leaf& leaf, Rng& rng) {
    if (leaf.level >= settings_.rollout_levels) return 0;  // undecided at the last level
    const auto n = static_cast<std::uint32_t>(settings_.tree.candidates);
    const bool room = this->room(n);
    const std::uint32_t first = room ? nodes_.add(n) : 0;
    double sum = 0;
    const Orders own = orders_[player_];  // on odd levels, the searching player's orders on the path to the leaf
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t seed = rng.next();
      State next = leaf.state;
      if (leaf.level % 2 == 1) orders_[player_] = own;
      this->orders_of(leaf.level, i, leaf.state, leaf.mover, seed, orders_[leaf.mover]);
      int reached = leaf.level + 1;
      if (leaf.level % 2 == 0) {
        reply(leaf, rng);
        this->resolve(next, rng);
        ++reached;
      } else {
        this->resolve(next, seed);
      }
      for (; reached < settings_.rollout_levels && !Game::over(next); reached += 2) {
        for (int player = 0; player < 2; ++player) Game::sample(next, player, rng, orders_[player]);
        this->resolve(next, rng);
      }
      const double value = Game::over(next) ? Game::value(next, player_) : 0;
      if (room) nodes_[first + i] = Node{seed, value, 1};
      sum += value;
    }
    if (room) nodes_[this->path_.back()].first_child = first;
    return sum;
  }

  // A random reply to the searching player's orders; in the root's turn one of the given replies, if there are any.
  void reply(const Leaf& leaf, Rng& rng) {
    const int other = 1 - player_;
    if (leaf.level > 0 || !this->given_ || (*this->given_)[other].empty()) {
      Game::sample(leaf.state, other, rng, orders_[other]);
    } else {
      const auto& replies = (*this->given_)[other];
      orders_[other] = replies[rng.below(static_cast<std::uint32_t>(replies.size()))];
    }
  }

  TurnMctsSettings settings_;
};

}  // namespace sandtable::search
