// The search tree of a player, kept from one decision to the next, so that the part below the position that the game
// has reached is reused.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

namespace sandtable::search {

// A tree that can be advanced to a position.
template <class T>
concept ReusableTree = requires(T tree, const typename T::State& state, std::uint32_t max_nodes) {
  T(state, max_nodes);
  { tree.seek(state) } -> std::convertible_to<bool>;
  { tree.size() } -> std::convertible_to<std::uint32_t>;
  { tree.root().board() } -> std::convertible_to<decltype(state.board())>;
};

// `AnyState` owns the board of a state; `Trees` are for states of different sizes.
template <class AnyState, ReusableTree... Trees>
class KeptTree {
 public:
  // The tree with this position at its root: the last tree, advanced, if `keep` is true, the position has the same
  // board and is found in the tree, and it has fewer nodes than half of max_nodes; otherwise a new one.
  template <class Tree>
  Tree& at(const typename Tree::State& state, const AnyState& any, std::uint32_t max_nodes, bool keep) {
    Tree* tree = std::get_if<Tree>(&tree_);
    if (keep && tree && &tree->root().board() == &state.board() && tree->size() < max_nodes / 2 && tree->seek(state)) return *tree;
    tree_.template emplace<std::monostate>();
    owner_.emplace(any);
    return tree_.template emplace<Tree>(state, max_nodes);
  }

 private:
  std::optional<AnyState> owner_;  // owns the board that the tree's states refer to
  std::variant<std::monostate, Trees...> tree_;
};

}  // namespace sandtable::search
