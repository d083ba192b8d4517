#include "search/coevolution/sep_cma_es.h"

#include <cmath>

#include "core/exponential.h"
#include "core/logarithm.h"

namespace sandtable::search {

SepCmaEs::SepCmaEs(std::vector<double> mean, std::vector<double> deviations, std::size_t points, double least, double most)
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

void SepCmaEs::update(std::span<const std::vector<double>> ranked) {
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

double SepCmaEs::shortening(const std::vector<double>& point) const {
  double length = 0;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double z = (point[i] - mean_[i]) / (step_ * scale_[i]);
    length += z * z;
  }
  return std::min(1.0, (std::sqrt(n_) + 2 * n_ / (n_ + 2)) / std::sqrt(std::max(length, 1e-300)));
}

}  // namespace sandtable::search
