// Minimax over single moves to a fixed depth (li2022, section 3.3). The side to move decides whether a node takes the
// greatest or the least value of its children; every further move of the same side is a level of its own.
//
// The positions of a level are stored by their hash, so that moves of different units that commute lead to one
// position, not two. Leaves are passed to the evaluator in batches: a network evaluates thousands in one call.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include "core/settings.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

// Writes the value of every state for a side, in [-1, 1], to `values`.
template <SequentialGame Game>
using LeafEvaluator = std::function<void(std::span<const typename Game::State> states, int side, std::span<double> values)>;

struct MinimaxSettings {
  int depth = 2;
  std::uint32_t max_nodes = 1u << 22;

  static constexpr auto fields() {
    return std::tuple(field("depth", &MinimaxSettings::depth, 1, 8, "moves to look ahead"),
                      field("max_nodes", &MinimaxSettings::max_nodes, 1, 1u << 31, "positions beyond which the search gives up"));
  }
};

template <SequentialGame Game>
class Minimax {
 public:
  using State = typename Game::State;
  using Move = typename Game::Move;

  // `batch`: leaves that are evaluated together. A network is faster with many; other evaluators are faster with few,
  // which stay in the cache.
  Minimax(const MinimaxSettings& settings, LeafEvaluator<Game> evaluate, std::size_t batch = 1 << 16)
      : depth_(settings.depth), max_nodes_(settings.max_nodes), evaluate_(std::move(evaluate)), batch_(batch) {}

  // The game must not be over. If several moves are best, one of them is drawn. Throws std::invalid_argument if there
  // are more positions than max_nodes, and Interrupted when told to stop, since an incomplete minimax is worth nothing.
  Result<Move> search(const State& root, Rng& rng, const std::function<bool()>& interrupted = {}) {
    side_ = Game::side(root);
    interrupted_ = &interrupted;
    nodes_.clear();
    children_.clear();
    leaf_count_ = 0;
    known_.assign(static_cast<std::size_t>(depth_), {});
    std::vector<Move> moves;
    Game::moves(root, moves);
    std::vector<std::uint32_t> tops;
    for (const Move& move : moves) {
      State next = root;
      Game::play(next, move);
      tops.push_back(node(next, depth_ - 1));
    }
    evaluate_leaves();
    back_up();
    Result<Move> out;
    out.value = -2;
    std::uint32_t ties = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const double value = nodes_[tops[i]].value;
      out.candidates.push_back({moves[i], 1, value});
      if (value > out.value) ties = 0;
      if (value >= out.value && rng.below(++ties) == 0) out.best = i;
      out.value = std::max(out.value, value);
    }
    out.nodes = nodes_.size() + 1;
    out.simulations = leaf_count_;
    return out;
  }

 private:
  struct Node {
    double value;  // for the root's side
    std::uint32_t first_child, children;
    bool maximises;
  };

  // The node of a state that is searched `depth` moves further. Children are added before their parents: back_up()
  // relies on it.
  std::uint32_t node(const State& state, int depth) {
    auto& known = known_[static_cast<std::size_t>(depth)];
    const std::uint64_t hash = Game::hash(state);
    if (const auto found = known.find(hash); found != known.end()) return found->second;
    Node made{0, 0, 0, Game::side(state) == side_};
    const bool leaf = depth == 0 && !Game::over(state);
    if (Game::over(state)) {
      made.value = Game::value(state, side_);
    } else if (!leaf) {
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
    }
    if (nodes_.size() >= max_nodes_)
      throw std::invalid_argument("a depth of " + std::to_string(depth_) + " has more than " +
                                  std::to_string(max_nodes_) + " positions here: lower it");
    if (nodes_.size() % 4096 == 0 && *interrupted_ && (*interrupted_)()) throw Interrupted{};
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(made);
    known[hash] = number;
    if (leaf) {
      pending_.push_back(state);
      pending_nodes_.push_back(number);
      if (pending_.size() == batch_) evaluate_leaves();
    }
    return number;
  }

  void evaluate_leaves() {
    std::vector<double> values(pending_.size());
    if (!pending_.empty()) evaluate_(pending_, side_, values);
    for (std::size_t i = 0; i < values.size(); ++i) nodes_[pending_nodes_[i]].value = values[i];
    leaf_count_ += pending_.size();
    pending_.clear();
    pending_nodes_.clear();
  }

  void back_up() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (Node& parent : nodes_) {
      if (parent.children == 0) continue;
      parent.value = parent.maximises ? -kInfinity : kInfinity;
      for (std::uint32_t i = 0; i < parent.children; ++i) {
        const double value = nodes_[children_[parent.first_child + i]].value;
        parent.value = parent.maximises ? std::max(parent.value, value) : std::min(parent.value, value);
      }
    }
  }

  int depth_;
  std::size_t max_nodes_;
  LeafEvaluator<Game> evaluate_;
  std::size_t batch_;
  int side_ = 0;
  const std::function<bool()>* interrupted_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> children_, pending_nodes_;
  std::vector<State> pending_;
  std::uint64_t leaf_count_ = 0;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_;
};

// A search with the seed of a run. Only an interruption ends it early.
template <SequentialGame Game>
Result<typename Game::Move> minimax(const typename Game::State& root, const MinimaxSettings& settings, const Run& run,
                                    LeafEvaluator<Game> evaluate, std::size_t batch = 1 << 16) {
  Rng rng(run.seed, stream_number("minimax"));
  return Minimax<Game>(settings, std::move(evaluate), batch).search(root, rng, run.interrupted);
}

}  // namespace sandtable::search
