// What a policy/value network said of positions, like EvaluationCache but with the priors.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sandtable::search {

class PolicyCache {
 public:
  struct Place {
    std::uint64_t key = 0;
    float value = 0;
    std::vector<float> priors;  // empty: nothing is known
  };

  // At least so many places; 0: nothing is kept.
  explicit PolicyCache(std::size_t places) : places_(places == 0 ? 0 : std::bit_ceil(places)) {}

  const Place* find(std::uint64_t key) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[key & (places_.size() - 1)];
    return place.key == key && !place.priors.empty() ? &place : nullptr;
  }
  void insert(std::uint64_t key, float value, const std::vector<float>& priors) {
    if (!places_.empty()) places_[key & (places_.size() - 1)] = {key, value, priors};
  }

 private:
  std::vector<Place> places_;
};

}  // namespace sandtable::search
