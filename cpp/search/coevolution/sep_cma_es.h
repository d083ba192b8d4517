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
// - points need not be those that were sampled. Their steps are shortened to what is likely for a sampled one, as in
//   N. Hansen, "Injecting External Solutions Into CMA-ES" (arXiv:1110.4181), so that one of them cannot upset the step size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/exponential.h"
#include "core/normal.h"

namespace sandtable::search {

class SepCmaEs {
 public:
  // The first samples have these `deviations` around `mean`, which has at least one entry. A generation has at least two
  // `points`.
  SepCmaEs(std::vector<double> mean, std::vector<double> deviations, std::size_t points, double least = 1e-100,
           double most = 1e100)
      : n_(static_cast<double>(mean.size())),
        least_(least),
        most_(most),
        mean_(std::move(mean)),
        scale_(std::move(deviations)),
        step_path_(mean_.size()),
        scale_path_(mean_.size()) {
    const std::size_t parents = points / 2;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < parents; ++i) {
      weights_.push_back(logarithm((static_cast<double>(points) + 1) / 2) - logarithm(static_cast<double>(i) + 1));
      sum += weights_[i];
    }
    for (double& weight : weights_) {
      weight /= sum;
      squares += weight * weight;
    }
    // Table 1 of the tutorial.
    effective_ = 1 / squares;
    step_rate_ = (effective_ + 2) / (n_ + effective_ + 5);
    damping_ = 1 + 2 * std::max(0.0, std::sqrt((effective_ - 1) / (n_ + 1)) - 1) + step_rate_;
    path_rate_ = (4 + effective_ / n_) / (n_ + 4 + 2 * effective_ / n_);
    const double full_one = 2 / ((n_ + 1.3) * (n_ + 1.3) + effective_);
    const double full_mu = 2 * (effective_ - 2 + 1 / effective_) / ((n_ + 2) * (n_ + 2) + effective_);
    rank_one_ = std::min(1.0, (n_ + 2) / 3 * full_one);
    rank_mu_ = std::min(1 - rank_one_, (n_ + 2) / 3 * full_mu);
    expected_length_ = std::sqrt(n_) * (1 - 1 / (4 * n_) + 1 / (21 * n_ * n_));
    keep_within_range();
  }

  std::span<const double> mean() const { return mean_; }
  double deviation(std::size_t i) const { return step_ * scale_[i]; }

  void sample(std::span<double> point, Rng& rng) const {
    draw_normal(point, rng);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = mean_[i] + step_ * scale_[i] * point[i];
  }

  // Adapts the distribution to a generation: its points, best first. Those beyond the better half are not looked at.
  void update(std::span<const std::vector<double>> ranked) {
    std::vector<double> mean_step(mean_.size()), squares(mean_.size());
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const double shortened = shortening(ranked[k]);
      for (std::size_t i = 0; i < mean_.size(); ++i) {
        const double y = shortened * (ranked[k][i] - mean_[i]) / step_;
        mean_step[i] += weights_[k] * y;
        squares[i] += weights_[k] * y * y;
      }
    }
    double length = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      mean_[i] += step_ * mean_step[i];
      step_path_[i] = (1 - step_rate_) * step_path_[i] +
                      std::sqrt(step_rate_ * (2 - step_rate_) * effective_) * mean_step[i] / scale_[i];
      length += step_path_[i] * step_path_[i];
    }
    length = std::sqrt(length);
    not_begun_ *= (1 - step_rate_) * (1 - step_rate_);
    const bool stalled = length / std::sqrt(1 - not_begun_) >= (1.4 + 2 / (n_ + 1)) * expected_length_;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      scale_path_[i] *= 1 - path_rate_;
      if (!stalled) scale_path_[i] += std::sqrt(path_rate_ * (2 - path_rate_) * effective_) * mean_step[i];
      const double lost = stalled ? rank_one_ * path_rate_ * (2 - path_rate_) : 0;
      const double variance = (1 - rank_one_ - rank_mu_ + lost) * scale_[i] * scale_[i] +
                              rank_one_ * scale_path_[i] * scale_path_[i] + rank_mu_ * squares[i];
      scale_[i] = std::sqrt(variance);
    }
    step_ *= exponential(std::clamp(step_rate_ / damping_ * (length / expected_length_ - 1), -1.0, 1.0));
    keep_within_range();
  }

 private:
  // What a point's step is multiplied by: 1 unless it is longer than sampled ones are.
  double shortening(const std::vector<double>& point) const {
    double length = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const double z = (point[i] - mean_[i]) / (step_ * scale_[i]);
      length += z * z;
    }
    return std::min(1.0, (std::sqrt(n_) + 2 * n_ / (n_ + 2)) / std::sqrt(std::max(length, 1e-300)));
  }

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
