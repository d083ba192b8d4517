// Eight integers of 16 bits on which the processor operates at once, by the vector types that GCC and Clang provide on
// every machine. With other compilers it is a plain array.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/word_pair.h"

namespace sandtable {

struct ShortBlock {
  static constexpr int kSize = 8;

#if defined(__GNUC__)

  using Items = std::int16_t __attribute__((vector_size(16)));
  Items items;

  static ShortBlock all(int value) { return {Items{} + static_cast<std::int16_t>(value)}; }
  friend ShortBlock operator+(ShortBlock a, ShortBlock b) { return {a.items + b.items}; }
  friend ShortBlock operator-(ShortBlock a, ShortBlock b) { return {a.items - b.items}; }
  friend ShortBlock operator<<(ShortBlock a, int n) { return {a.items << static_cast<std::int16_t>(n)}; }
  friend ShortBlock least(ShortBlock a, ShortBlock b) { return {a.items < b.items ? a.items : b.items}; }
  friend ShortBlock greatest(ShortBlock a, ShortBlock b) { return {a.items > b.items ? a.items : b.items}; }
  // 1 where a <= b, else 0.
  friend ShortBlock at_most(ShortBlock a, ShortBlock b) { return {Items(a.items <= b.items) & 1}; }
  // a where condition is 1, b where it is 0.
  friend ShortBlock choose(ShortBlock condition, ShortBlock a, ShortBlock b) { return {condition.items ? a.items : b.items}; }

  // The least item, and the sum of all items: halves are combined until the result is in the first item.
  int least_item() const {
    const auto w = std::bit_cast<WordPair>(items);
    ShortBlock block = least(*this, {std::bit_cast<Items>(WordPair{w[1], w[0]})});
    block = least(block, block.down(32));
    return least(block, block.down(16)).items[0];
  }
  int sum() const {
    const auto w = std::bit_cast<WordPair>(items);
    ShortBlock block = *this + ShortBlock{std::bit_cast<Items>(WordPair{w[1], w[0]})};
    block = block + block.down(32);
    return (block + block.down(16)).items[0];
  }

 private:
  ShortBlock down(std::uint64_t bits) const { return {std::bit_cast<Items>(std::bit_cast<WordPair>(items) >> bits)}; }

#else

  std::int16_t items[kSize];

  template <class F>
  static ShortBlock each(F&& f) {
    ShortBlock block;
    for (int i = 0; i < kSize; ++i) block.items[i] = static_cast<std::int16_t>(f(i));
    return block;
  }
  static ShortBlock all(int value) {
    return each([&](int) { return value; });
  }
  friend ShortBlock operator+(const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return a.items[i] + b.items[i]; });
  }
  friend ShortBlock operator-(const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return a.items[i] - b.items[i]; });
  }
  friend ShortBlock operator<<(const ShortBlock& a, int n) {
    return each([&](int i) { return a.items[i] << n; });
  }
  friend ShortBlock least(const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return std::min(a.items[i], b.items[i]); });
  }
  friend ShortBlock greatest(const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return std::max(a.items[i], b.items[i]); });
  }
  friend ShortBlock at_most(const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return a.items[i] <= b.items[i]; });
  }
  friend ShortBlock choose(const ShortBlock& condition, const ShortBlock& a, const ShortBlock& b) {
    return each([&](int i) { return condition.items[i] ? a.items[i] : b.items[i]; });
  }

  int least_item() const { return *std::min_element(items, items + kSize); }
  int sum() const {
    int sum = 0;
    for (const auto item : items) sum += item;
    return sum;
  }

#endif

 public:
  static ShortBlock load(const std::int16_t* from) {
    ShortBlock block;
    std::memcpy(&block.items, from, sizeof(block.items));
    return block;
  }
};

}  // namespace sandtable
