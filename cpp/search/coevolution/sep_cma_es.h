// sep-CMA-ES: evolution strategy with an adapted normal distribution, whose covariance matrix is diagonal.
//
// The algorithm is the (mu/mu_w, lambda)-CMA-ES of N. Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv:1604.00772),
// with positive weights, restricted to a diagonal as in R. Ros and N. Hansen, "A Simple Modification in CMA-ES Achieving
// Linear Time and Space Complexity" (PPSN 2008): the learning rates of the matrix are (n + 2) / 3 times the full one's.
//
// Why diagonal: a full matrix has n (n + 1) / 2 entries and needs a number of generations in the order of n^2 / lambda to
// learn them. A move on Italy has up to 94 genes and a turn has 3 to 100 generations, in which it would learn nothing; a
// diagonal is learnt in about n / lambda generations, and sampling costs n instead of n^2.
//
// Two additions serve variables that are rounded to whole numbers and repaired before they are evaluated:
// - deviations are kept within a range (`least`, `most`): below a quarter nearly all draws round to the same number, and no
//   generation would differ from the last (the problem that N. Hansen, "A CMA-ES for Mixed-Integer Nonlinear Optimization",
//   RR-7751, 2011, describes);
// - points need not be those that were sampled. Their steps are shortened to a length that is likely for a sampled
//   point, as in N. Hansen, "Injecting External Solutions Into CMA-ES" (arXiv:1110.4181), so that a single point cannot
//   upset the step size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/normal.h"

namespace sandtable::search {

class SepCmaEs {
 public:
  // The first samples have these `deviations` around `mean`, which has at least one entry. A generation has at least two
  // `points`.
  SepCmaEs(std::vector<double> mean, std::vector<double> deviations, std::size_t points, double least = 1e-100,
           double most = 1e100);

  std::span<const double> mean() const { return mean_; }
  double deviation(std::size_t i) const { return step_ * scale_[i]; }

  void sample(std::span<double> point, Rng& rng) const {
    draw_normal(point, rng);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = mean_[i] + step_ * scale_[i] * point[i];
  }

  // Updates the distribution with the points of a generation, sorted best first. The worse half is ignored.
  void update(std::span<const std::vector<double>> ranked);

 private:
  // The factor by which a point's step is multiplied: below 1 if the step is longer than is usual for sampled points.
  double shortening(const std::vector<double>& point) const;

  void keep_within_range() {
    for (double& scale : scale_) scale = std::clamp(step_ * scale, least_, most_) / step_;
  }

  double n_, least_, most_;
  std::vector<double> mean_, scale_;             // deviations are step_ * scale_
  std::vector<double> step_path_, scale_path_;   // p_sigma and p_c of the tutorial
  std::vector<double> weights_;
  double step_ = 1;                              // sigma
  double not_begun_ = 1;                         // (1 - c_sigma)^(2 g)
  double effective_, step_rate_, damping_, path_rate_, rank_one_, rank_mu_, expected_length_;
};

}  // namespace sandtable::search
