// Which move is played when a tree under a PUCT root has been searched. The tree does not depend on it.
//
// Visits lag behind values: a move that turned out better late has fewer of them, and with a few hundred simulations that is
// common. So the choice may go by a lower bound of the value among the moves that were visited often. Where several moves are as
// good as equal, in a game that is won, lost or at a standstill, it goes to the one whose principal variation makes most
// progress: values alone would not end the game.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/puct/tree.h"

namespace sandtable::search {

enum class Choice { kVisits, kBound };

// The child of a node with most visits; of several the one with the greatest value.
template <PolicyGame Game>
std::uint32_t most_visited(const PolicyTree<Game>& tree, std::uint32_t node = PolicyTree<Game>::kRoot) {
  const auto& stat = tree.stat(node);
  std::uint32_t best = stat.first_child;
  const auto key = [&](std::uint32_t child) {
    return std::pair(tree.stat(child).visits, tree.stat(child).visits ? tree.mean(child) : -2.0);
  };
  for (std::uint32_t i = 1; i < stat.children; ++i)
    if (key(stat.first_child + i) > key(best)) best = stat.first_child + i;
  return best;
}

// The most visited path from a node on, with the move that leads to it.
template <PolicyGame Game>
std::vector<typename Game::Move> principal_variation(const PolicyTree<Game>& tree, std::uint32_t node) {
  std::vector<typename Game::Move> moves{tree.edge(node).move};
  while (tree.expanded(node)) {
    node = most_visited(tree, node);
    if (tree.stat(node).visits == 0) break;
    moves.push_back(tree.edge(node).move);
  }
  return moves;
}

// The child of the root with the highest lower bound of its value, or of those with as good as the same value the one that
// makes most progress.
template <PolicyGame Game>
class HighestBound {
 public:
  using Tree = PolicyTree<Game>;

  explicit HighestBound(const Tree& tree) : tree_(tree) {}

  std::uint32_t choose() const {
    const std::uint32_t visited = most_visited(tree_);
    if (tree_.stat(visited).visits == 0) return visited;
    const auto& root = tree_.stat(Tree::kRoot);
    std::vector<std::uint32_t> often;
    for (std::uint32_t i = 0; i < root.children; ++i)
      if (tree_.stat(root.first_child + i).visits >= kOften * tree_.stat(visited).visits) often.push_back(root.first_child + i);
    const auto by_bound = [&](std::uint32_t a, std::uint32_t b) { return bound(a) < bound(b); };
    const std::uint32_t highest = *std::max_element(often.begin(), often.end(), by_bound);
    std::erase_if(often, [&](std::uint32_t child) { return std::abs(tree_.mean(child) - tree_.mean(highest)) > kEqual; });
    if (often.size() == 1) return highest;
    const auto promise = [&](std::uint32_t child) { return std::pair(progress(child), bound(child)); };
    return *std::max_element(often.begin(), often.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return promise(a) < promise(b); });
  }

 private:
  static constexpr double kOften = 0.1;   // of the visits of the most visited move
  static constexpr double kWidth = 0.5;   // of the bound: what one visit may deviate
  static constexpr double kEqual = 0.01;  // difference of values that says nothing

  double bound(std::uint32_t child) const { return tree_.mean(child) - kWidth / std::sqrt(tree_.stat(child).visits); }

  // At the end of the principal variation, for the side to move at the root.
  double progress(std::uint32_t child) const {
    if constexpr (ProgressGame<Game>) {
      auto state = tree_.root();
      for (const auto& move : principal_variation(tree_, child)) {
        if (Game::over(state)) break;
        Game::play(state, move);
      }
      return Game::progress(state, tree_.side());
    }
    return 0;
  }

  const Tree& tree_;
};

}  // namespace sandtable::search
