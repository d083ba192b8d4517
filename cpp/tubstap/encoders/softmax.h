// Turns a network's logits into priors.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace sandtable::tubstap {

// Turns logits, in place, into probabilities that add up to `whole`.
inline void softmax(std::span<float> logits, float whole = 1) {
  const float most = *std::max_element(logits.begin(), logits.end());
  float sum = 0;
  for (float& logit : logits) sum += logit = std::exp(logit - most);
  for (float& logit : logits) logit *= whole / sum;
}

}  // namespace sandtable::tubstap
