// soares2025's guided player (sections 4.1 and 5.2.1), with an evaluator instead of playouts. An iteration asks the evaluator
// about all children of a leaf at once: the value of each child for the player to move there, and the prior p of each of that
// player's candidates. The prior scales the candidate's exploration term by trust * p * (number of candidates) + 1 - trust.
//
// The searching player's orders alone resolve nothing, so all children that they lead to are the same position. As in
// the authors' code, all of them get its value from the opponent's perspective; here it is computed once for all their
// candidates. The authors' code gave the root's own candidates no prior and stalled at decided leaves; the default here
// follows the text, and options reproduce the code.
#pragma once

#include "core/softmax.h"
#include "search/turn_evaluator.h"
#include "search/turn_mcts/turn_tree.h"

namespace sandtable::search {

struct GuidedMctsSettings {
  TurnTreeSettings tree{};
  std::uint64_t iterations = 150;
  double trust = 0.75;
  bool root_prior = true;

  static constexpr auto fields() {
    using S = GuidedMctsSettings;
    return std::tuple_cat(TurnTreeSettings::fields_of<S>(100),
                          std::tuple(count("iterations", &S::iterations, "iterations for a move; each evaluates every candidate of a leaf"),
                                     field("trust", &S::trust, 0, 1, "weight of the priors in the exploration term"),
                                     field("root_prior", &S::root_prior, "use priors at the root too; the authors' code did not")));
  }
};

template <SimultaneousGame Game>
class GuidedMcts : private TurnTree<Game> {
  using Tree = TurnTree<Game>;
  using typename Tree::Leaf;
  using typename Tree::Node;
  using Tree::nodes_;
  using Tree::orders_;
  using Tree::player_;

 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;

  GuidedMcts(const GuidedMctsSettings& settings, TurnEvaluator<Game> evaluate)
      : Tree(settings.tree),
        settings_(settings),
        evaluate_(std::move(evaluate)),
        n_(static_cast<std::uint32_t>(settings.tree.candidates)) {}

  // The game must not be over. `given` are moves of both players for the root's turn; if they are too few, the rest are
  // sampled.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng, const MovesOfBoth<Orders>* given = nullptr) {
    this->plant(player, given);
    moves_.resize(std::size_t{n_} * n_);
    add_candidates(0, 0, root, player, 0, rng);
    root_priors_.clear();
    if (settings_.root_prior) {
      ask({{&root, player, std::span(moves_).first(n_)}});
      set_factors(0, 0);
      root_priors_ = logits_;
    }
    const std::uint64_t done = this->run(root, budget, [&](const Leaf& leaf) { return expand(leaf, rng); });
    Result<Orders> found = this->result(root, done);
    for (std::size_t i = 0; i < root_priors_.size(); ++i) found.candidates[i].prior = root_priors_[i];
    return found;
  }

 private:
  // Evaluates the leaf's children and gives each its candidates. Returns the sum of the values.
  double expand(const Leaf& leaf, Rng& rng) {
    const std::uint32_t node = this->path_.back();
    // A leaf that got no candidates for lack of room gets some for this iteration only; they get none themselves.
    const bool kept = nodes_[node].first_child != 0;
    const bool room = kept && this->room(n_ * n_);
    seeds_.clear();
    for (std::uint32_t i = 0; i < n_; ++i) seeds_.push_back(kept ? nodes_[nodes_[node].first_child + i].seed : rng.next());
    values_.assign(n_, 0);
    leaf.level % 2 == 0 ? value_own_orders(leaf, room, rng) : value_replies(leaf, room, rng);
    double sum = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      sum += values_[i];
      if (!kept) continue;
      nodes_[nodes_[node].first_child + i].sum = values_[i];
      nodes_[nodes_[node].first_child + i].visits = 1;
    }
    return sum;
  }

  // The searching player has chosen; the opponent chooses at the same position.
  void value_own_orders(const Leaf& leaf, bool room, Rng& rng) {
    const std::uint32_t first = nodes_[this->path_.back()].first_child;
    for (std::uint32_t i = 0; room && i < n_; ++i) add_candidates(first + i, leaf.level + 1, leaf.state, 1 - player_, i, rng);
    ask({{&leaf.state, 1 - player_, room ? std::span(moves_) : std::span<const Orders>()}});
    for (std::uint32_t i = 0; room && i < n_; ++i) set_factors(first + i, i);
    values_.assign(n_, -answers_[0]);
  }

  // The opponent has chosen too, and each reply leads to a new position.
  void value_replies(const Leaf& leaf, bool room, Rng& rng) {
    const std::uint32_t first = nodes_[this->path_.back()].first_child;
    reached_.assign(n_, leaf.state);
    std::vector<std::uint32_t> undecided;
    std::vector<Question<Game>> questions;
    for (std::uint32_t i = 0; i < n_; ++i) {
      this->orders_of(leaf.level, i, leaf.state, leaf.mover, seeds_[i], orders_[leaf.mover]);
      this->resolve(reached_[i], seeds_[i]);
      if (Game::over(reached_[i])) {
        values_[i] = Game::value(reached_[i], player_);
        continue;
      }
      const auto group = static_cast<std::uint32_t>(undecided.size());
      if (room) add_candidates(first + i, leaf.level + 1, reached_[i], player_, group, rng);
      const std::span<const Orders> candidates = std::span(moves_).subspan(group * n_, room ? n_ : 0);
      questions.push_back({&reached_[i], player_, candidates});
      undecided.push_back(i);
    }
    ask(questions);
    for (std::uint32_t group = 0; group < undecided.size(); ++group) {
      if (room) set_factors(first + undecided[group], group);
      values_[undecided[group]] = answers_[group];
    }
  }

  // Adds the children of a node at a level, not yet evaluated; their orders go to this group of moves_.
  void add_candidates(std::uint32_t node, int level, const State& state, int mover, std::uint32_t group, Rng& rng) {
    const std::uint32_t first = nodes_.add(n_);
    nodes_[node].first_child = first;
    for (std::uint32_t i = 0; i < n_; ++i) {
      nodes_[first + i] = Node{rng.next()};
      this->orders_of(level, i, state, mover, nodes_[first + i].seed, moves_[group * n_ + i]);
    }
  }

  void set_factors(std::uint32_t node, std::uint32_t group) {
    const std::span<double> priors = std::span(logits_).subspan(group * n_, n_);
    softmax(priors);
    for (std::uint32_t i = 0; i < n_; ++i)
      nodes_[nodes_[node].first_child + i].factor = static_cast<float>(settings_.trust * priors[i] * n_ + 1 - settings_.trust);
  }

  void ask(const std::vector<Question<Game>>& questions) {
    std::size_t moves = 0;
    for (const auto& question : questions) moves += question.moves.size();
    answers_.resize(questions.size());
    logits_.resize(moves);
    if (!questions.empty()) evaluate_(questions, answers_, logits_);
  }

  GuidedMctsSettings settings_;
  TurnEvaluator<Game> evaluate_;
  std::uint32_t n_;
  std::vector<std::uint64_t> seeds_;     // of the leaf's children
  std::vector<double> values_;           // of the leaf's children, for the searching player
  std::vector<State> reached_;
  std::vector<Orders> moves_;            // candidates, in groups of n_
  std::vector<double> answers_, logits_;  // logits become priors in place
  std::vector<double> root_priors_;       // empty if the root has no priors
};

}  // namespace sandtable::search
