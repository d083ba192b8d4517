// Arrays between C++ and numpy, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

// Types in signatures that nanobind cannot tell.
#define SANDTABLE_FLOATS "numpy.typing.NDArray[numpy.float32]"
#define SANDTABLE_INTS "numpy.typing.NDArray[numpy.int64]"
#define SANDTABLE_STATES "collections.abc.Sequence[State]"
#define SANDTABLE_PLAYERS "collections.abc.Sequence[int]"
#define SANDTABLE_MOVES "collections.abc.Sequence[collections.abc.Sequence[collections.abc.Sequence[int]]]"

namespace sandtable {

// Memory that `owner` keeps, as an array.
template <class T>
nanobind::object view(T* data, std::span<const std::size_t> shape, nanobind::handle owner) {
  static T nothing{};  // an empty array has no memory of its own
  const nanobind::ndarray<nanobind::numpy, T> array(data ? data : &nothing, shape.size(), shape.data(), owner);
  return nanobind::cast(array, nanobind::rv_policy::reference);
}
template <class T>
nanobind::object view(T* data, std::initializer_list<std::size_t> shape, nanobind::handle owner) {
  return view(data, std::span(shape.begin(), shape.size()), owner);
}
template <class T>
nanobind::object view(std::vector<T>& values, std::initializer_list<std::size_t> shape, nanobind::handle owner) {
  return view(values.data(), shape, owner);
}

// A Python object that keeps a shared one.
template <class T>
nanobind::capsule keep(const std::shared_ptr<T>& shared) {
  return nanobind::capsule(new std::shared_ptr<T>(shared), [](void* p) noexcept { delete static_cast<std::shared_ptr<T>*>(p); });
}

// An array of its own.
template <class T>
nanobind::object owned(std::vector<T>&& values, std::span<const std::size_t> shape) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return view(kept->data(), shape, keep(kept));
}
template <class T>
nanobind::object owned(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  return owned(std::move(values), std::span(shape.begin(), shape.size()));
}

}  // namespace sandtable
