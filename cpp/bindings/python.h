// The basis of all bindings: nanobind and its conversions, the types that signatures name, arrays that are not copied, and
// small Python objects through the C API, where nanobind's generic conversions would cost more than the work itself.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/require.h"

namespace sandtable {

namespace nb = nanobind;
using namespace nb::literals;

template <std::size_t N>
struct Text {
  char text[N];
  constexpr Text(const char (&given)[N]) { std::copy_n(given, N, text); }
};

// Any Python object, which signatures show as that type. Functions that take one check it as they read it.
template <Text kType>
struct Annotated : nb::object {
  static constexpr auto Name = nb::detail::const_name(kType.text);
  using nb::object::object;
  Annotated(nb::object object) : nb::object(std::move(object)) {}
  static bool check_(nb::handle) { return true; }
};
template <class Item>
struct SequenceOf : nb::object {
  static constexpr auto Name =
      nb::detail::const_name("collections.abc.Sequence[") + nb::detail::make_caster<Item>::Name + nb::detail::const_name("]");
  using nb::object::object;
  static bool check_(nb::handle) { return true; }
};

using Floats = Annotated<"numpy.typing.NDArray[numpy.float32]">;
using Integers = Annotated<"numpy.typing.NDArray[numpy.int64]">;
using Arrays = nb::typed<nb::tuple, Annotated<"numpy.typing.NDArray[typing.Any]">, nb::ellipsis>;
using Reduced = nb::typed<nb::tuple, nb::object, nb::typed<nb::tuple, nb::object, nb::ellipsis>>;  // the result of __reduce__

// A class or value of a Python module, kept for as long as the process lives.
inline PyObject* kept(const char* module, const char* name) {
  return nb::object(nb::module_::import_(module).attr(name)).release().ptr();
}

// A new named tuple of the items. It takes over their references.
template <class... Items>
PyObject* named_tuple(PyObject* type, Items... items) {
  auto* tuple_type = reinterpret_cast<PyTypeObject*>(type);
  PyObject* tuple = tuple_type->tp_alloc(tuple_type, sizeof...(items));
  if (!tuple) throw nb::python_error();
  Py_ssize_t i = 0;
  (PyTuple_SET_ITEM(tuple, i++, items), ...);
  return tuple;
}

inline PyObject* none() { return Py_NewRef(Py_None); }

// The integers from 0 to 255, as borrowed references: a list of moves is built a tenth faster than with a call for each
// number.
inline PyObject* const* small_integers() {
  static const auto integers = [] {
    std::array<PyObject*, 256> made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = PyLong_FromSize_t(i);
    return made;
  }();
  return integers.data();
}

// A list of n items; make(i) returns a new reference to item i.
template <class Make>
nb::list new_list(std::size_t n, Make&& make) {
  auto list = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
  if (!list.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < n; ++i) PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), make(i));
  return list;
}

// The items of a sequence; an error with this message if the object is no sequence. They are kept in a tuple of their
// own (a tuple is used as it is): reading an item may run Python code, which could change a list in the meantime.
class Items {
 public:
  Items(nb::handle sequence, const char* message) : items_(nb::steal(PySequence_Tuple(sequence.ptr()))) {
    if (items_.is_valid()) return;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    throw nb::value_error(message);
  }
  Py_ssize_t size() const { return PyTuple_GET_SIZE(items_.ptr()); }
  PyObject* operator[](Py_ssize_t i) const { return PyTuple_GET_ITEM(items_.ptr(), i); }
  PyObject** begin() const { return &PyTuple_GET_ITEM(items_.ptr(), 0); }
  PyObject** end() const { return begin() + size(); }

 private:
  nb::object items_;
};

// Reads anything that counts as an integer. A number that is too large is clipped, which does not make it legal.
inline Py_ssize_t integer(PyObject* item, const char* what) {
  if (!PyIndex_Check(item)) throw nb::value_error((std::string(what) + " must be an integer").c_str());
  const Py_ssize_t value = PyNumber_AsSsize_t(item, nullptr);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

using Lengths = std::vector<std::size_t>;  // of the axes of an array

// An array over memory that `owner` keeps alive.
template <class T>
nb::object view(T* data, const Lengths& shape, nb::handle owner) {
  static T nothing{};  // an empty array has no memory of its own
  const nb::ndarray<nb::numpy, T> array(data ? data : &nothing, shape.size(), shape.data(), owner);
  return nb::cast(array, nb::rv_policy::reference);
}
template <class T>
nb::object view(std::vector<T>& values, const Lengths& shape, nb::handle owner) {
  return view(values.data(), shape, owner);
}

// A Python object that keeps a shared C++ object alive.
template <class T>
nb::capsule keep(const std::shared_ptr<T>& shared) {
  return nb::capsule(new std::shared_ptr<T>(shared), [](void* p) noexcept { delete static_cast<std::shared_ptr<T>*>(p); });
}

// An array that owns its values; it has one axis unless a shape is given.
template <class T>
nb::object owned(std::vector<T> values, const Lengths& shape = {}) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return view(*kept, shape.empty() ? Lengths{kept->size()} : shape, keep(kept));
}

// The parts of the module.
void bind_tubstap(nb::module_& m);
void bind_tubstap_environments(nb::module_& m);
void bind_tubstap_evaluator(nb::module_& m);
void bind_tubstap_search(nb::module_& m);
void bind_conquest(nb::module_& m);
void bind_conquest_environments(nb::module_& m);
void bind_conquest_evaluator(nb::module_& m);
void bind_conquest_search(nb::module_& m);
void bind_python_game(nb::module_& m);

}  // namespace sandtable
