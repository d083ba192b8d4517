// Random numbers that are the same on every machine.
//
// xoshiro256++ (Blackman and Vigna, 2021) seeded by splitmix64. A stream is named by the seed and any
// further numbers, so that independent pieces of work (game 17, its third decision, its fifth playout) draw
// from streams of their own and give the same result in any order and on any number of workers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sandtable {

// A bijective scrambling of 64 bits (the finaliser of splitmix64): also the hash of the engines.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// The number of a stream that is identified by a name (FNV-1a).
constexpr std::uint64_t stream_number(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

class Rng {
 public:
  template <class... Parts>
  explicit Rng(std::uint64_t seed, Parts... parts) {
    std::uint64_t key = mix(seed);
    ((key = mix(key ^ static_cast<std::uint64_t>(parts))), ...);
    for (auto& word : s_) word = mix(key++);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(s_[0] + s_[3], 23) + s_[0];
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 45);
    return result;
  }

  // Uniform in 0 .. n-1, exactly (Lemire, 2019). n must be positive.
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = (next() >> 32) * n;
    if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
      const std::uint32_t threshold = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> s_;
};

// Puts n items into random order (Fisher and Yates).
template <class T>
void shuffle(T* items, int n, Rng& rng) {
  for (int i = n - 1; i > 0; --i) std::swap(items[i], items[rng.below(static_cast<std::uint32_t>(i + 1))]);
}

}  // namespace sandtable
