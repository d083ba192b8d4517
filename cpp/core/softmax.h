#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace sandtable {

// Turns logits into probabilities, in place.
inline void softmax(std::span<double> logits) {
  double greatest = -1e300, sum = 0;
  for (const double logit : logits) greatest = std::max(greatest, logit);
  for (double& logit : logits) sum += logit = std::exp(logit - greatest);
  for (double& logit : logits) logit /= sum;
}

}  // namespace sandtable
