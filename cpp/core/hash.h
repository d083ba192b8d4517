// Hashes of plain numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/rng.h"

namespace sandtable {

// Continues a hash with the numbers and their count. Numbers that differ in any bit, such as 0 and -0, count as different.
template <class T>
  requires std::is_arithmetic_v<T>
std::uint64_t hash_values(std::uint64_t hash, std::span<const T> values) {
  hash = mix(hash ^ values.size());
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  for (std::size_t at = 0; at < values.size_bytes(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof(word), values.size_bytes() - at));
    hash = mix(hash ^ word);
  }
  return hash;
}

}  // namespace sandtable
