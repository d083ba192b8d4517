// Planning with Gumbel (Danihelka et al., 2022): selection at the root that improves the policy with few simulations.
//
// At the root, the moves with the greatest sum of logit and Gumbel noise are considered, and sequential halving
// distributes the simulations among them. Below the root, the edge is taken whose share of visits is furthest below the
// improved policy. This is the softmax of logit + sigma(Q), where the value of a move without visits is estimated from
// the network and the visited moves.
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
  std::uint32_t considered = 16;  // moves considered at the root, at most
  double visit_offset = 50;       // sigma(q) = (visit_offset + greatest N) * scale * q, q in [0, 1]
  double scale = 1.0;
  bool drawn = true;  // if false, there is no Gumbel noise: the likeliest moves are considered, and the best is played

  static constexpr auto fields() {
    return std::tuple(field("considered", &GumbelSettings::considered, 1, 1000, "moves that a gumbel root considers"));
  }
};

template <PolicyGame Game>
class Gumbel {
 public:
  using Tree = PolicyTree<Game>;

  explicit Gumbel(const GumbelSettings& settings) : settings_(settings) {}

  // Must be called for each new root, before it is searched with this number of simulations.
  void begin(std::uint32_t simulations) {
    simulations_ = simulations;
    gumbel_.clear();
    schedule_.clear();
  }

  std::uint32_t choose(const Tree& tree, std::uint32_t node, Rng& rng) {
    return node == Tree::kRoot ? choose_at_root(tree, rng) : choose_below(tree, node);
  }

  // The softmax of logit + sigma(Q) over the moves of a node: the policy target for training.
  void improved_policy(const Tree& tree, std::uint32_t node, std::vector<double>& out) const {
    scores(tree, node, out);
    const double most = *std::max_element(out.begin(), out.end());
    double sum = 0;
    for (double& score : out) sum += score = std::exp(score - most);
    for (double& score : out) score /= sum;
  }

  // The child to play: among those with the most visits, the one with the greatest score.
  std::uint32_t best(const Tree& tree, Rng& rng) {
    prepare(tree, rng);
    return greatest(tree, kMost);
  }

 private:
  static constexpr std::uint32_t kMost = 0xffffffff;  // more visits than any child has

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

  // A Gumbel variable, from a uniform number limited so that both logarithms are finite.
  static double draw_gumbel(Rng& rng) {
    const double u = 1 - rng.uniform() * (1 - 1e-12);
    return -logarithm(std::max(-logarithm(u), std::numeric_limits<double>::min()));
  }

  // Sequential halving as one list: for every simulation, the number of visits that the child to visit next must have.
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

  // The child with the greatest gumbel + logit + sigma(Q) among those with this number of visits. If no child has it,
  // as when there are more simulations than were scheduled, among those with the most visits.
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
    // The value of an untried move: the network's value of the node, mixed with the values of the tried moves (section 4).
    const double mixed =
        total == 0 ? stat.network_value : (stat.network_value + total * taken_value / std::max(taken_prior, 1e-12)) / (1.0 + total);
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
