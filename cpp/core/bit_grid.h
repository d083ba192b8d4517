// A set of cells as bits: one word for boards of up to 64 cells, more words for larger ones, fixed at compile
// time so that every loop below is unrolled and a grid of one word is as cheap as an integer.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sandtable {

// The position of the k-th set bit (k from 0) of a word that has more than k. Constant time: sums of set bits
// by byte find the byte, then a loop of at most seven steps finds the bit (Vigna's broadword selection).
inline int nth_bit(std::uint64_t word, int k) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  constexpr std::uint64_t kHighs = 0x8080808080808080ull;
  std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555ull);
  sums = (sums & 0x3333333333333333ull) + ((sums >> 2) & 0x3333333333333333ull);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0full) * kOnes;  // byte i: bits set in bytes 0..i
  const std::uint64_t wanted = static_cast<std::uint64_t>(k) * kOnes;
  const std::uint64_t before = (((wanted | kHighs) - sums) & kHighs) >> 7;  // 1 in each byte whose sum is <= k
  const int byte = 8 * std::popcount(before);
  int rest = k - static_cast<int>(((sums << 8) >> byte) & 0xff);
  std::uint64_t bits = (word >> byte) & 0xff;
  while (rest-- > 0) bits &= bits - 1;
  return byte + std::countr_zero(bits);
}

// Not initialised unless asked (`BitGrid g{}`): arrays of grids on the stack of a hot loop must cost nothing.
template <int Words>
struct BitGrid {
  std::array<std::uint64_t, Words> word;

  static BitGrid of(int cell) {
    BitGrid g{};
    g.set(cell);
    return g;
  }

  bool test(int cell) const { return (word[index(cell)] >> (cell & 63)) & 1; }
  void set(int cell) { word[index(cell)] |= std::uint64_t{1} << (cell & 63); }
  void reset(int cell) { word[index(cell)] &= ~(std::uint64_t{1} << (cell & 63)); }

  bool any() const {
    std::uint64_t all = 0;
    for (const auto w : word) all |= w;
    return all != 0;
  }

  int count() const {
    int n = 0;
    for (const auto w : word) n += std::popcount(w);
    return n;
  }

  // The k-th cell of the set, k from 0 to count() - 1.
  int nth(int k) const {
    if constexpr (Words == 1) {
      return nth_bit(word[0], k);
    } else {
      int i = 0;
      for (int n; i < Words - 1 && k >= (n = std::popcount(word[i])); ++i) k -= n;
      return 64 * i + nth_bit(word[i], k);
    }
  }

  template <class F>
  void for_each(F&& f) const {
    for (int i = 0; i < Words; ++i)
      for (std::uint64_t w = word[i]; w; w &= w - 1) f(64 * i + std::countr_zero(w));
  }

  // All cells moved up or down by n places, 0 < n < 64; what leaves the grid is lost.
  BitGrid up(int n) const {
    BitGrid g;
    for (int i = Words - 1; i > 0; --i) g.word[i] = (word[i] << n) | (word[i - 1] >> (64 - n));
    g.word[0] = word[0] << n;
    return g;
  }
  BitGrid down(int n) const {
    BitGrid g;
    for (int i = 0; i < Words - 1; ++i) g.word[i] = (word[i] >> n) | (word[i + 1] << (64 - n));
    g.word[Words - 1] = word[Words - 1] >> n;
    return g;
  }

  friend BitGrid operator&(BitGrid a, const BitGrid& b) {
    for (int i = 0; i < Words; ++i) a.word[i] &= b.word[i];
    return a;
  }
  friend BitGrid operator|(BitGrid a, const BitGrid& b) {
    for (int i = 0; i < Words; ++i) a.word[i] |= b.word[i];
    return a;
  }
  friend BitGrid operator~(BitGrid a) {
    for (auto& w : a.word) w = ~w;
    return a;
  }
  friend bool operator==(const BitGrid&, const BitGrid&) = default;

 private:
  static constexpr int index(int cell) {
    if constexpr (Words == 1) return 0;
    return cell >> 6;
  }
};

}  // namespace sandtable
