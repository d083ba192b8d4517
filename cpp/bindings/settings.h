// Makes Python classes of structs that declare their fields (core/settings.h). The settings of searches are checked by
// sandtable.settings, which checks the settings of players written in Python too.
#pragma once

#include "bindings/python.h"
#include "core/any_field.h"

namespace sandtable {

// A struct with fields, whatever its type.
struct AnyStruct {
  std::vector<AnyField> fields;
  const void* defaults;  // a struct of that type
  std::size_t size;
  void (*check)(const void* made);  // throws std::invalid_argument if the values are inconsistent
};

template <class T>
const AnyStruct& any_struct() {
  static_assert(std::is_trivially_copyable_v<T>);
  static const T defaults{};
  static const AnyStruct type{any_fields<T>(), &defaults, sizeof(T), [](const void* made) {
                                if constexpr (requires(const T& settings) { settings.check(); }) static_cast<const T*>(made)->check();
                              }};
  return type;
}

// Gives the Python class of a struct a constructor by the keywords of its fields, which checks their types and ranges.
void bind_fields_init(nb::handle bound, const AnyStruct& type);

// Gives the Python class of a search's settings all its members; returns the declarations of its fields.
nb::tuple bind_settings(nb::handle bound, const AnyStruct& type);

template <class T>
void bind_settings(nb::module_& m, const char* name, const char* about) {
  nb::class_<T> bound(m, name, about);
  bound.def_prop_ro_static(
      "fields", [declared = bind_settings(bound, any_struct<T>())](nb::handle) { return declared; },
      nb::sig("def fields(cls, /) -> tuple[sandtable.settings.Setting, ...]"), "The declarations of all settings.");
}

}  // namespace sandtable
