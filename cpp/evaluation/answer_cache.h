// A cache of a network's answers. Positions repeat, because units can act in any order and because sides can wait.
//
// It is a table in which each key has one place, where a newer answer replaces an older one.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace sandtable::evaluation {

template <class Answer>
class AnswerCache {
 public:
  // A table of at least `places` places; with 0 it keeps nothing.
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
