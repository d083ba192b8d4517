// A set of cells as bits: one word for boards of up to 64 cells, pairs of words for larger ones. The number of words is
// fixed at compile time, so that a grid of one word is as cheap as an integer and a larger one stays in vector registers.
//
// No operation writes only half of a pair: a processor cannot forward two stores of 64 bits to a load of 128 bits that
// follows soon after, and stalls until both stores have reached the cache.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/word_pair.h"

namespace sandtable {

// The position of the k-th set bit (k from 0) of a word that has more than k set bits. Constant time: the cumulative
// numbers of set bits per byte give the byte, and the same step within that byte gives the bit (Vigna's broadword
// selection).
inline int nth_bit(std::uint64_t word, int k) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  constexpr std::uint64_t kHighs = 0x8080808080808080ull;
  std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555ull);
  sums = (sums & 0x3333333333333333ull) + ((sums >> 2) & 0x3333333333333333ull);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0full) * kOnes;  // byte i: bits set in bytes 0..i
  const std::uint64_t wanted = static_cast<std::uint64_t>(k) * kOnes;
  const std::uint64_t before = (((wanted | kHighs) - sums) & kHighs) >> 7;  // 1 in each byte whose sum is <= k
  const int byte = 8 * std::popcount(before);
  const auto rest = static_cast<std::uint64_t>(k) - (((sums << 8) >> byte) & 0xff);
  // The same step within the byte, whose bits are spread over eight bytes.
  const std::uint64_t spread = ((word >> byte) & 0xff) * kOnes & 0x8040201008040201ull;
  const std::uint64_t places = ((spread + 0x7f7f7f7f7f7f7f7full) & kHighs) >> 7;  // 1 in byte i if bit i is set
  return byte + std::popcount((((rest * kOnes) | kHighs) - places * kOnes) & kHighs);
}

namespace bit_grid {

constexpr int lanes(int words) { return words == 1 ? 1 : words / 2; }

// kOnly<Words>[i] has all bits of word i set, and no others.
template <int Words>
inline constexpr auto kOnly = [] {
  std::array<std::array<WordPair, lanes(Words)>, Words> only{};
  for (int i = 0; i < Words; ++i) only[i][i / 2] = WordPair{i % 2 == 0 ? ~std::uint64_t{0} : 0, i % 2 == 1 ? ~std::uint64_t{0} : 0};
  return only;
}();

}  // namespace bit_grid

// A lane is the unit on which the processor operates at once: a word, or a pair of words if the grid has more than one. The
// indices of the lanes are part of the type, so that every operation is unrolled over them: GCC keeps an array that is
// looped over in memory.
template <int Words, class = std::make_integer_sequence<int, bit_grid::lanes(Words)>>
struct BitGrid;

// Not initialised unless asked (`BitGrid g{}`): arrays of grids on the stack of a hot loop must cost nothing.
template <int Words, int... I>
struct BitGrid<Words, std::integer_sequence<int, I...>> {
  static_assert(Words == 1 || Words % 2 == 0);
  static constexpr bool kPairs = Words > 1;
  using Lane = std::conditional_t<kPairs, WordPair, std::uint64_t>;

  std::array<Lane, sizeof...(I)> lane;

  [[gnu::always_inline]] static BitGrid of(int cell) {
    const std::uint64_t bit = bit_of(cell);
    if constexpr (kPairs)
      return {{(WordPair{bit, bit} & bit_grid::kOnly<Words>[cell >> 6][I])...}};
    else
      return {{bit}};
  }

  bool test(int cell) const { return (word(cell >> 6) >> (cell & 63)) & 1; }
  [[gnu::always_inline]] void set(int cell) {
    Lane& changed = lane[lane_of(cell)];
    changed = changed | bit_of_lane(cell);
  }
  [[gnu::always_inline]] void reset(int cell) {
    Lane& changed = lane[lane_of(cell)];
    changed = changed & ~bit_of_lane(cell);
  }

  [[gnu::always_inline]] bool any() const {
    const Lane all = (lane[I] | ...);
    if constexpr (kPairs)
      return (all[0] | all[1]) != 0;
    else
      return all != 0;
  }

  [[gnu::always_inline]] int count() const { return (0 + ... + count_of_lane(I)); }

  // The k-th cell of the set, k from 0 to count() - 1.
  int nth(int k) const {
    int i = 0, before = 0;
    if constexpr (kPairs) {
      // Without a branch for each word, because the branch predictor cannot know which word holds the cell.
      for (int w = 0, sum = 0; w < Words - 1; ++w) {
        sum += std::popcount(word(w));
        const bool further = k >= sum;
        i += further;
        before = further ? sum : before;
      }
    }
    return 64 * i + nth_bit(word(i), k - before);
  }

  template <class F>
  void for_each(F&& f) const {
    for (int i = 0; i < Words; ++i)
      for (std::uint64_t w = word(i); w; w &= w - 1) f(64 * i + std::countr_zero(w));
  }

  // All cells moved up or down by n places, 0 < n < 64; cells that leave the grid are lost.
  [[gnu::always_inline]] BitGrid up(std::uint64_t n) const { return {{((lane[I] << n) | (from_below<I>() >> (64 - n)))...}}; }
  [[gnu::always_inline]] BitGrid down(std::uint64_t n) const { return {{((lane[I] >> n) | (from_above<I>() << (64 - n)))...}}; }

  [[gnu::always_inline]] friend BitGrid operator&(const BitGrid& a, const BitGrid& b) { return {{(a.lane[I] & b.lane[I])...}}; }
  [[gnu::always_inline]] friend BitGrid operator|(const BitGrid& a, const BitGrid& b) { return {{(a.lane[I] | b.lane[I])...}}; }
  [[gnu::always_inline]] friend BitGrid operator~(const BitGrid& a) { return {{(~a.lane[I])...}}; }
  friend bool operator==(const BitGrid& a, const BitGrid& b) {
    return !BitGrid{{(a.lane[I] ^ b.lane[I])...}}.any();
  }

 private:
  static std::uint64_t bit_of(int cell) { return std::uint64_t{1} << (cell & 63); }
  static constexpr int lane_of(int cell) { return kPairs ? cell >> 7 : 0; }
  static Lane bit_of_lane(int cell) {
    if constexpr (kPairs)
      return WordPair{bit_of(cell), bit_of(cell)} & bit_grid::kOnly<2>[(cell >> 6) & 1][0];
    else
      return bit_of(cell);
  }
  std::uint64_t word(int i) const {
    if constexpr (kPairs)
      return lane[i >> 1][i & 1];
    else
      return lane[0];
  }
  int count_of_lane(int i) const {
    if constexpr (kPairs)
      return std::popcount(lane[i][0]) + std::popcount(lane[i][1]);
    else
      return std::popcount(lane[i]);
  }
  // For each word of a lane, the next lower or higher word of the grid, 0 beyond its ends: a shift carries bits over from
  // it.
  template <int kLane>
  Lane from_below() const {
    if constexpr (!kPairs)
      return 0;
    else if constexpr (kLane == 0)
      return WordPair{0, lane[0][0]};
    else
      return WordPair{lane[kLane - 1][1], lane[kLane][0]};
  }
  template <int kLane>
  Lane from_above() const {
    if constexpr (!kPairs)
      return 0;
    else if constexpr (kLane == sizeof...(I) - 1)
      return WordPair{lane[kLane][1], 0};
    else
      return WordPair{lane[kLane][1], lane[kLane + 1][0]};
  }
};

}  // namespace sandtable
