// What a network said of positions. Positions repeat, because units commute and because sides wait.
//
// A table with one place for each key: a newer answer replaces an older one.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace sandtable::evaluation {

template <class Answer>
class AnswerCache {
 public:
  // At least so many places; 0: nothing is kept.
  explicit AnswerCache(std::size_t places) : places_(places == 0 ? 0 : std::bit_ceil(places)) {}

  // nullptr if the answer is not known; valid until the next insert().
  const Answer* find(std::uint64_t key) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[key & (places_.size() - 1)];
    return place.key == key && key != kEmpty ? &place.answer : nullptr;
  }
  void insert(std::uint64_t key, Answer answer) {
    if (!places_.empty() && key != kEmpty) places_[key & (places_.size() - 1)] = {key, std::move(answer)};
  }

 private:
  static constexpr std::uint64_t kEmpty = 0;  // an answer with this key is not kept

  struct Place {
    std::uint64_t key = kEmpty;
    Answer answer{};
  };
  std::vector<Place> places_;
};

}  // namespace sandtable::evaluation
