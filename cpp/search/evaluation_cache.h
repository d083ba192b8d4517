// Values of positions that an evaluator has judged. Positions repeat, because units commute and because sides wait.
//
// A table with one place a key: a newer position takes the place of an older one.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sandtable::search {

class EvaluationCache {
 public:
  // At least so many places; 0: nothing is kept.
  explicit EvaluationCache(std::size_t places) : places_(places == 0 ? 0 : std::bit_ceil(places)) {}

  const float* find(std::uint64_t key) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[key & (places_.size() - 1)];
    return place.key == key && place.used ? &place.value : nullptr;
  }
  void insert(std::uint64_t key, float value) {
    if (!places_.empty()) places_[key & (places_.size() - 1)] = {key, value, true};
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    float value = 0;
    bool used = false;
  };
  std::vector<Place> places_;
};

}  // namespace sandtable::search
