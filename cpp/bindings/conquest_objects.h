// What the bindings of Conquest share: the state as Python holds it, and orders as its named tuples.
#pragma once

#include <algorithm>

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

inline conquest::Orders read_orders(nanobind::handle list) {
  constexpr const char* kForm = "orders are a list of Deploy(territory, armies) and March(source, target, armies)";
  const Items items(list, kForm);
  conquest::Orders orders;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const Items order(items[i], kForm);
    const auto at = [&](Py_ssize_t k, const char* what) {
      constexpr Py_ssize_t kLimit = conquest::kMaxArmies + 1;  // what is too large stays so
      return static_cast<int>(std::clamp(integer(order[k], what), -kLimit, kLimit));
    };
    if (order.size() == 2)
      orders.deploys.push_back({at(0, "a deploy's territory"), at(1, "a deploy's armies")});
    else if (order.size() == 3)
      orders.marches.push_back({at(0, "a march's source"), at(1, "a march's target"), at(2, "a march's armies")});
    else
      throw nanobind::value_error(kForm);
  }
  return orders;
}

inline void check_player(int player) {
  if (player != 0 && player != 1) throw nanobind::value_error("player must be 0 or 1");
}

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
