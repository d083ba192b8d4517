// Minimax over single moves to a fixed depth (li2022, section 3.3): the side that moves decides whether a level takes
// the greatest or the least value, and a side's further moves are its own level again.
//
// The positions of a level are kept by hash, so that moves of different units that commute lead to one position and
// not two. Leaves are handed to the evaluator in batches: a network is asked once for thousands.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

// Writes the value of every state for the root's side, in [-1, 1], to `values`.
template <SequentialGame Game>
using LeafEvaluator = std::function<void(std::span<const typename Game::State> states, int side, std::span<double> values)>;

template <SequentialGame Game>
class Minimax {
 public:
  using State = typename Game::State;
  using Move = typename Game::Move;

  // Root moves are searched together until their leaves are this many.
  static constexpr std::size_t kBatch = 1 << 16;

  Minimax(int depth, LeafEvaluator<Game> evaluate) : depth_(depth), evaluate_(std::move(evaluate)) {}

  // The game must not be over. Of several best moves one is drawn.
  Result<Move> search(const State& root, Rng& rng) {
    side_ = Game::side(root);
    std::vector<Move> moves;
    Game::moves(root, moves);
    Result<Move> out;
    for (const Move& move : moves) out.candidates.push_back({move, 1, 0});
    for (std::size_t first = 0; first < moves.size();) {
      clear();
      std::vector<std::uint32_t> tops;
      while (first + tops.size() < moves.size() && leaves_.size() < kBatch) {
        State next = root;
        Game::play(next, moves[first + tops.size()]);
        tops.push_back(node(next, depth_ - 1));
      }
      back_up();
      for (const std::uint32_t top : tops) out.candidates[first++].value = nodes_[top].value;
      out.nodes += nodes_.size();
      out.simulations += leaves_.size();
    }
    out.value = -2;
    std::uint32_t ties = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const double value = out.candidates[i].value;
      if (value > out.value) ties = 0;
      if (value >= out.value && rng.below(++ties) == 0) out.best = i;
      out.value = std::max(out.value, value);
    }
    return out;
  }

 private:
  struct Node {
    double value;  // for the root's side
    std::uint32_t first_child, children;
    bool maximises;
  };

  void clear() {
    nodes_.clear();
    children_.clear();
    leaves_.clear();
    leaf_nodes_.clear();
    known_.assign(static_cast<std::size_t>(depth_), {});
  }

  // The node of a state that is searched `depth` moves further. Children are made before their parents.
  std::uint32_t node(const State& state, int depth) {
    auto& known = known_[static_cast<std::size_t>(depth)];
    const std::uint64_t hash = Game::hash(state);
    if (const auto found = known.find(hash); found != known.end()) return found->second;
    Node made{0, 0, 0, Game::side(state) == side_};
    if (Game::over(state)) {
      made.value = Game::value(state, side_);
    } else if (depth > 0) {
      std::vector<Move> moves;
      Game::moves(state, moves);
      std::vector<std::uint32_t> mine;
      for (const Move& move : moves) {
        State next = state;
        Game::play(next, move);
        mine.push_back(node(next, depth - 1));
      }
      made.first_child = static_cast<std::uint32_t>(children_.size());
      made.children = static_cast<std::uint32_t>(mine.size());
      children_.insert(children_.end(), mine.begin(), mine.end());
    } else {
      leaves_.push_back(state);
      leaf_nodes_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    }
    nodes_.push_back(made);
    return known[hash] = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void back_up() {
    std::vector<double> values(leaves_.size());
    if (!leaves_.empty()) evaluate_(leaves_, side_, values);
    for (std::size_t i = 0; i < values.size(); ++i) nodes_[leaf_nodes_[i]].value = values[i];
    for (Node& parent : nodes_) {
      if (parent.children == 0) continue;
      parent.value = parent.maximises ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
      for (std::uint32_t i = 0; i < parent.children; ++i) {
        const double value = nodes_[children_[parent.first_child + i]].value;
        parent.value = parent.maximises ? std::max(parent.value, value) : std::min(parent.value, value);
      }
    }
  }

  int depth_;
  LeafEvaluator<Game> evaluate_;
  int side_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> children_, leaf_nodes_;
  std::vector<State> leaves_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_;
};

}  // namespace sandtable::search
