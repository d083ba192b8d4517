// What the bindings of Conquest share: the state as Python holds it, and orders as its named tuples.
#pragma once

#include "bindings/python_objects.h"
#include "conquest/any_state.h"

namespace sandtable {

struct ConquestTypes {
  PyObject* deploy;
  PyObject* march;

  static const ConquestTypes& get() {
    static const ConquestTypes types;
    return types;
  }

 private:
  ConquestTypes() {
    const nanobind::module_ m = nanobind::module_::import_("sandtable.conquest.types");
    deploy = kept(m, "Deploy");
    march = kept(m, "March");
  }
};

struct PyConquestState {
  conquest::AnyState state;
  nanobind::object land;

  PyConquestState copy() const { return *this; }
};

inline nanobind::object order_list(const conquest::Orders& orders) {
  const auto size = orders.deploys.size() + orders.marches.size();
  nanobind::object list = nanobind::steal(PyList_New(static_cast<Py_ssize_t>(size)));
  if (!list.is_valid()) throw nanobind::python_error();
  Py_ssize_t i = 0;
  for (const auto& [territory, armies] : orders.deploys)
    PyList_SET_ITEM(list.ptr(), i++,
                    named_tuple(ConquestTypes::get().deploy, PyLong_FromLong(territory), PyLong_FromLong(armies)));
  for (const auto& [source, target, armies] : orders.marches)
    PyList_SET_ITEM(list.ptr(), i++,
                    named_tuple(ConquestTypes::get().march, PyLong_FromLong(source), PyLong_FromLong(target),
                                PyLong_FromLong(armies)));
  return list;
}

}  // namespace sandtable
