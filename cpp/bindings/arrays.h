// Arrays between C++ and numpy, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace sandtable {

// Memory that `owner` keeps, as an array.
template <class T>
nanobind::object view(T* data, const std::vector<std::size_t>& shape, nanobind::handle owner) {
  static T nothing{};  // an empty array has no memory of its own
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data ? data : &nothing, shape.size(), shape.data(), owner), nanobind::rv_policy::reference);
}
template <class T>
nanobind::object view(std::vector<T>& values, const std::vector<std::size_t>& shape, nanobind::handle owner) {
  return view(values.data(), shape, owner);
}

// A Python object that keeps a shared one.
template <class T>
nanobind::capsule keep(const std::shared_ptr<T>& shared) {
  return nanobind::capsule(new std::shared_ptr<T>(shared), [](void* p) noexcept { delete static_cast<std::shared_ptr<T>*>(p); });
}

// An array of its own.
template <class T>
nanobind::object owned(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return view(*kept, shape, keep(kept));
}

}  // namespace sandtable
