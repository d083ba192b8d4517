// PUCT as in kimura2020 (section 3.2): at every node the edge is selected that has the greatest
//
//   Q + c * P * sqrt(sum of N) / (1 + N) + attack_bonus / (1 + N) for attacks,
//
// where Q is the mean value for the side to move there, and 0 for an edge without visits. As an option, an edge without
// visits has the mean value of the node so far; a side that is losing then does not try every move once. At the root,
// for self-play, the priors are mixed with Dirichlet noise.
#pragma once

#include <cmath>

#include "core/gamma.h"
#include "core/settings.h"
#include "search/puct/tree.h"

namespace sandtable::search {

// The value of an edge without visits: 0, or that of the node.
enum class Unvisited { kZero, kParent };

struct SelectionSettings {
  double c = 0.8;
  double attack_bonus = 3.7;
  Unvisited unvisited = Unvisited::kZero;
  double noise_alpha = 0.3;
  double noise_share = 0;  // 0.25 in self-play

  static constexpr auto fields() {
    using S = SelectionSettings;
    return std::tuple(field("c", &S::c, 0, 1000, "exploration constant of PUCT"),
                      field("attack_bonus", &S::attack_bonus, 0, 1000,
                            "bonus on the score of an attack, divided by 1 + its visits"));
  }
  static constexpr auto unvisited_field() {
    return std::tuple(field("unvisited", &SelectionSettings::unvisited, "zero parent",
                            "value of an operation that was never tried: zero, as in the paper, or its parent's"));
  }
  static constexpr auto noise_fields() {
    using S = SelectionSettings;
    return std::tuple(field("noise_alpha", &S::noise_alpha, 0.001, 1000, "alpha of the Dirichlet noise on a PUCT root's priors"),
                      field("noise_share", &S::noise_share, 0, 1, "share of the Dirichlet noise in the priors"));
  }
};

template <PolicyGame Game>
class Puct {
 public:
  using Tree = PolicyTree<Game>;

  explicit Puct(const SelectionSettings& settings) : settings_(settings) {}

  // Must be called for each new root, before it is searched, so that new noise is drawn.
  void begin() { noise_.clear(); }

  std::uint32_t choose(const Tree& tree, std::uint32_t node, Rng& rng) {
    const auto& stat = tree.stat(node);
    const bool noisy = node == Tree::kRoot && settings_.noise_share > 0;
    if (noisy && noise_.empty()) draw_noise(stat.children, rng);
    std::uint32_t total = 0;
    double sum = stat.network_value;
    for (std::uint32_t i = 0; i < stat.children; ++i) {
      const std::uint32_t visits = tree.visits(stat.first_child + i);
      total += visits;
      if (visits) sum += visits * tree.mean(stat.first_child + i);
    }
    const double untried = settings_.unvisited == Unvisited::kParent ? sum / (1.0 + total) : 0;
    const double k = settings_.c * std::sqrt(static_cast<double>(total));
    std::uint32_t best = stat.first_child;
    double highest = -std::numeric_limits<double>::infinity(), likeliest = 0;
    for (std::uint32_t i = 0; i < stat.children; ++i) {
      const std::uint32_t child = stat.first_child + i;
      const auto& edge = tree.edge(child);
      const double prior = noisy ? (1 - settings_.noise_share) * edge.prior + settings_.noise_share * noise_[i] : edge.prior;
      const std::uint32_t visits = tree.visits(child);
      double score = visits ? tree.mean(child) : untried;
      score += (k * prior + (Game::attacks(edge.move) ? settings_.attack_bonus : 0)) / (1.0 + visits);
      // Before the first visit all scores are equal but for the bonus: among equal scores the likelier move is taken.
      if (score > highest || (score == highest && prior > likeliest)) {
        highest = score;
        likeliest = prior;
        best = child;
      }
    }
    return best;
  }

 private:
  void draw_noise(std::size_t n, Rng& rng) {
    GammaDistribution gamma(settings_.noise_alpha);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += noise_.emplace_back(gamma.draw(rng) + 1e-12);
    for (double& share : noise_) share /= sum;
  }

  SelectionSettings settings_;
  std::vector<double> noise_;
};

}  // namespace sandtable::search
