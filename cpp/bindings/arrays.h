// Arrays between C++ and numpy, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace sandtable {

// Memory that `owner` keeps, as an array.
template <class T>
nanobind::object view(T* data, std::initializer_list<std::size_t> shape, nanobind::handle owner) {
  static T nothing{};  // an empty array has no memory of its own
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data ? data : &nothing, shape, owner), nanobind::rv_policy::reference);
}

// An array of its own.
template <class T>
nanobind::object owned(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return view(kept->data(), shape, owner);
}

// What is known by its numbers alone.
template <class T>
std::uint64_t hash_of(std::uint64_t key, std::span<const T> values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  for (std::size_t at = 0; at < values.size_bytes(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof(word), values.size_bytes() - at));
    key = mix(key ^ word);
  }
  return key;
}

}  // namespace sandtable
