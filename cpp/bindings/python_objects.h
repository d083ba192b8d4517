// Small Python objects through the C API, where nanobind's generic conversions would cost more than the work itself.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace sandtable {

// A class or value of a Python module, kept for as long as the process lives.
inline PyObject* kept(const nanobind::handle& module, const char* name) {
  return nanobind::object(module.attr(name)).release().ptr();
}

// A new named tuple of the items, whose references it takes.
template <class... Items>
PyObject* named_tuple(PyObject* type, Items... items) {
  auto* tuple_type = reinterpret_cast<PyTypeObject*>(type);
  PyObject* tuple = tuple_type->tp_alloc(tuple_type, sizeof...(items));
  if (!tuple) throw nanobind::python_error();
  Py_ssize_t i = 0;
  (PyTuple_SET_ITEM(tuple, i++, items), ...);
  return tuple;
}

inline PyObject* none() { return Py_NewRef(Py_None); }

// The items of a sequence; an error with this message if it is none. They are a tuple of their own (a tuple is taken as
// it is): reading one may run Python code, which could change a list under our hands.
class Items {
 public:
  Items(nanobind::handle sequence, const char* message)
      : items_(nanobind::steal(PySequence_Tuple(sequence.ptr()))) {
    if (items_.is_valid()) return;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nanobind::python_error();
    PyErr_Clear();
    throw nanobind::value_error(message);
  }
  Py_ssize_t size() const { return PyTuple_GET_SIZE(items_.ptr()); }
  PyObject* operator[](Py_ssize_t i) const { return PyTuple_GET_ITEM(items_.ptr(), i); }

 private:
  nanobind::object items_;
};

// Anything that counts as an integer; what is too large is clipped, and no less illegal for it.
inline Py_ssize_t integer(PyObject* item, const char* what) {
  if (!PyIndex_Check(item)) throw nanobind::value_error((std::string(what) + " must be an integer").c_str());
  const Py_ssize_t value = PyNumber_AsSsize_t(item, nullptr);
  if (value == -1 && PyErr_Occurred()) throw nanobind::python_error();
  return value;
}

}  // namespace sandtable
