// Planning with Gumbel (Danihelka et al., 2022): a root that improves its policy with few simulations.
//
// Of the root's moves those with the greatest sum of a Gumbel variable and their logit are considered, and simulations are
// shared among them by sequential halving. Below the root the edge is taken whose share of visits falls most behind the
// improved policy, which is the softmax of logit + sigma(Q), moves without a visit having the value that the others suggest.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/logarithm.h"
#include "core/settings.h"
#include "search/puct/tree.h"

namespace sandtable::search {

struct GumbelSettings {
  std::uint32_t considered = 16;  // moves of the root at most
  double visit_offset = 50;       // sigma(q) = (visit_offset + greatest N) * scale * q, q in [0, 1]
  double scale = 1.0;
  bool drawn = true;  // without Gumbel variables the likeliest moves are considered, and the best is played

  static constexpr auto fields() {
    return std::tuple(field("considered", &GumbelSettings::considered, 1, 1000, "moves that a gumbel root considers"));
  }
};

template <PolicyGame Game>
class Gumbel {
 public:
  using Tree = PolicyTree<Game>;

  explicit Gumbel(const GumbelSettings& settings) : settings_(settings) {}

  // To be called when there is another root, before it is searched with so many simulations.
  void begin(std::uint32_t simulations) {
    simulations_ = simulations;
    gumbel_.clear();
    schedule_.clear();
  }

  std::uint32_t choose(const Tree& tree, std::uint32_t node, Rng& rng) {
    return node == Tree::kRoot ? choose_at_root(tree, rng) : choose_below(tree, node);
  }

  // The softmax of logit + sigma(Q) over the moves of a node: what the network should learn to say there.
  void improved_policy(const Tree& tree, std::uint32_t node, std::vector<double>& out) const {
    scores(tree, node, out);
    const double most = *std::max_element(out.begin(), out.end());
    double sum = 0;
    for (double& score : out) sum += score = std::exp(score - most);
    for (double& score : out) score /= sum;
  }

  // The child that is played: of those with most visits the one with the greatest score.
  std::uint32_t best(const Tree& tree, Rng& rng) {
    prepare(tree, rng);
    return greatest(tree, kMost);
  }

 private:
  static constexpr std::uint32_t kMost = 0xffffffff;  // visits that nobody has

  std::uint32_t choose_at_root(const Tree& tree, Rng& rng) {
    prepare(tree, rng);
    const auto& root = tree.stat(Tree::kRoot);
    std::uint32_t done = 0;
    for (std::uint32_t i = 0; i < root.children; ++i) done += tree.visits(root.first_child + i);
    return greatest(tree, done < schedule_.size() ? schedule_[done] : schedule_.back());
  }

  std::uint32_t choose_below(const Tree& tree, std::uint32_t node) {
    improved_policy(tree, node, policy_);
    const auto& stat = tree.stat(node);
    std::uint32_t total = 0;
    for (std::uint32_t i = 0; i < stat.children; ++i) total += tree.visits(stat.first_child + i);
    std::uint32_t best = 0;
    double furthest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < stat.children; ++i) {
      const double behind = policy_[i] - tree.visits(stat.first_child + i) / (1.0 + total);
      if (behind > furthest) {
        furthest = behind;
        best = i;
      }
    }
    return stat.first_child + best;
  }

  void prepare(const Tree& tree, Rng& rng) {
    if (!gumbel_.empty()) return;
    const std::uint32_t n = tree.stat(Tree::kRoot).children;
    for (std::uint32_t i = 0; i < n; ++i)
      gumbel_.push_back(settings_.drawn ? draw_gumbel(rng) : 0.0);
    make_schedule(std::min(settings_.considered, n));
  }

  // A Gumbel variable, of a uniform number that is neither 0 nor 1.
  static double draw_gumbel(Rng& rng) {
    const double u = 1 - rng.uniform() * (1 - 1e-12);
    return -logarithm(std::max(-logarithm(u), std::numeric_limits<double>::min()));
  }

  // How many visits the child must have that is visited next, for every simulation: sequential halving in one list.
  void make_schedule(std::uint32_t considered) {
    if (considered <= 1) {
      for (std::uint32_t i = 0; i <= simulations_; ++i) schedule_.push_back(i);
      return;
    }
    const auto rounds = static_cast<std::uint32_t>(std::bit_width(considered - 1));  // its binary logarithm, rounded up
    std::vector<std::uint32_t> visits(considered, 0);
    std::uint32_t left = considered;
    while (schedule_.size() < simulations_) {
      const std::uint32_t extra = std::max(1u, simulations_ / (rounds * left));
      for (std::uint32_t i = 0; i < extra; ++i)
        for (std::uint32_t j = 0; j < left; ++j) schedule_.push_back(visits[j]++);
      left = std::max(2u, left / 2);
    }
  }

  // The child with the greatest gumbel + logit + sigma(Q) among those with so many visits; if none has as many, which
  // happens when more is asked than was scheduled, among those with most.
  std::uint32_t greatest(const Tree& tree, std::uint32_t visits) {
    const auto& root = tree.stat(Tree::kRoot);
    std::uint32_t most = 0;
    bool some = false;
    for (std::uint32_t i = 0; i < root.children; ++i) {
      most = std::max(most, tree.visits(root.first_child + i));
      some = some || tree.visits(root.first_child + i) == visits;
    }
    scores(tree, Tree::kRoot, policy_);
    std::uint32_t best = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < root.children; ++i) {
      const double score = gumbel_[i] + policy_[i];
      if (tree.visits(root.first_child + i) != (some ? visits : most) || score <= highest) continue;
      highest = score;
      best = i;
    }
    return root.first_child + best;
  }

  // logit + sigma(completed Q) of a node's moves.
  void scores(const Tree& tree, std::uint32_t node, std::vector<double>& out) const {
    const auto& stat = tree.stat(node);
    const auto n = stat.children;
    out.resize(n);
    double taken_prior = 0, taken_value = 0;
    std::uint32_t total = 0, most = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t child = stat.first_child + i, visits = tree.visits(child);
      if (visits == 0) continue;
      taken_prior += tree.edge(child).prior;
      taken_value += tree.edge(child).prior * tree.mean(child);
      total += visits;
      most = std::max(most, visits);
    }
    // The value of a move that was not tried: the network's own, mixed with what the tried ones say (section 4).
    const double mixed =
        total == 0 ? stat.judged : (stat.judged + total * taken_value / std::max(taken_prior, 1e-12)) / (1.0 + total);
    const double sigma = (settings_.visit_offset + most) * settings_.scale;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t child = stat.first_child + i;
      const double q = tree.visits(child) ? tree.mean(child) : mixed;
      out[i] = std::log(std::max(static_cast<double>(tree.edge(child).prior), 1e-9)) + sigma * 0.5 * (q + 1);
    }
  }

  GumbelSettings settings_;
  std::uint32_t simulations_ = 0;
  std::vector<double> gumbel_, policy_;
  std::vector<std::uint32_t> schedule_;
};

}  // namespace sandtable::search
