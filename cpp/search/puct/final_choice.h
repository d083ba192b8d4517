// The choice of the move that is played after a search with a PUCT root. It does not affect the tree.
//
// Visits lag behind values: a move that turns out to be better late has few visits, which is common with a few hundred
// simulations. The choice may therefore use a lower bound of the value, among the moves with many visits. If several
// moves are practically equal, in a game that is won, lost or at a standstill, the one whose principal variation makes
// the most progress is chosen: values alone would not end the game.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/puct/tree.h"

namespace sandtable::search {

enum class Choice { kVisits, kBound };

// The child of a node with the most visits; among several, the one with the greatest value.
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

// The most visited path from a node on, beginning with the move that leads to the node.
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

// Chooses the child of the root with the highest lower bound of its value or, among children of practically the same
// value, the one that makes the most progress.
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
  static constexpr double kOften = 0.1;   // least share of the visits of the most visited move
  static constexpr double kWidth = 0.5;   // of the bound after one visit
  static constexpr double kEqual = 0.01;  // greatest difference of values that count as equal

  double bound(std::uint32_t child) const { return tree_.mean(child) - kWidth / std::sqrt(tree_.stat(child).visits); }

  // The progress at the end of the principal variation, for the side to move at the root.
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
