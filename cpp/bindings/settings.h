// Makes Python classes of structs that declare their fields (core/settings.h). The settings of searches are checked by
// sandtable.settings, which checks the settings of players written in Python too.
#pragma once

#include <type_traits>

#include "bindings/python.h"
#include "core/settings.h"

namespace sandtable {

namespace settings_binding {

template <class Field, class T>
using MemberOf = std::remove_cvref_t<decltype(std::declval<const Field&>().of(std::declval<T&>()))>;

template <class T>
void for_each_field(auto&& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, T::fields());
}

inline nb::tuple split(const char* words) { return nb::tuple(nb::str(words ? words : "").attr("split")()); }

template <class Field, class T>
nb::object get(const Field& field, const T& settings) {
  using Member = MemberOf<Field, const T>;
  const Member value = field.of(settings);
  if constexpr (std::is_enum_v<Member>)
    return split(field.words)[static_cast<std::size_t>(value)];
  else if (field.is_count && value == Member{})
    return nb::none();
  else
    return nb::cast(value);
}

// What Python gives for a member: enumerators are words there.
template <class Member>
using Given = std::conditional_t<std::is_enum_v<Member>, std::string, Member>;

template <class Field, class T, class Value>
void assign(const Field& field, T& settings, const Value& value) {
  using Member = MemberOf<Field, T>;
  if constexpr (std::is_enum_v<Member>)
    field.of(settings) = static_cast<Member>(place_of_word(field, value));
  else
    field.of(settings) = value;
}

template <class Field, class T>
void set(const Field& field, T& settings, nb::handle value) {
  using Member = MemberOf<Field, T>;
  assign(field, settings, value.is_none() ? Given<Member>{} : nb::cast<Given<Member>>(value));
}

template <class T>
nb::dict values(const T& settings) {
  nb::dict found;
  for_each_field<T>([&](const auto& field) { found[field.name] = get(field, settings); });
  return found;
}

// The settings with some of them changed; a Python error if they cannot be so.
template <class T>
T changed(T settings, const nb::kwargs& changes) {
  nb::dict wanted = values(settings);
  wanted.update(changes);
  const nb::handle kind = nb::type<T>();
  const nb::object checked =
      nb::module_::import_("sandtable.settings").attr("checked_all")(kind.attr("__name__"), kind.attr("fields"), wanted);
  for_each_field<T>([&](const auto& field) { set(field, settings, checked[field.name]); });
  if constexpr (requires { settings.check(); }) {
    try {
      settings.check();
    } catch (const std::invalid_argument& error) {
      PyErr_SetString(nb::module_::import_("sandtable.errors").attr("SettingError").ptr(), error.what());
      throw nb::python_error();
    }
  }
  return settings;
}

inline nb::object limit(const Bound& bound) {
  if (bound.setting) return nb::str(bound.setting);
  const auto whole = static_cast<long long>(bound.number);
  return static_cast<double>(whole) == bound.number ? nb::object(nb::int_(whole)) : nb::object(nb::float_(bound.number));
}

template <class T, class Field>
std::string type_name(const Field& field) {
  using Member = MemberOf<Field, T>;
  const std::string name = nb::detail::make_caster<Given<Member>>::Name.text;
  return field.is_count && !name.ends_with("None") ? name + " | None" : name;
}

// The sandtable.settings.Setting of a field.
template <class T, class Field>
nb::object declaration(const Field& field) {
  const bool is_number = !std::is_same_v<MemberOf<Field, T>, bool> && !field.words;
  nb::dict builtins = nb::module_::import_("builtins").attr("__dict__");
  nb::list types;
  types.append(builtins[nb::str(type_name<T>(field).c_str()).attr("partition")(" ")[0]]);
  if (field.is_count) types.append(nb::module_::import_("types").attr("NoneType"));
  return nb::module_::import_("sandtable.settings")
      .attr("Setting")("name"_a = field.name, "types"_a = nb::tuple(types), "default"_a = get(field, T{}),
                       "sentence"_a = field.sentence, "low"_a = is_number ? limit(field.low) : nb::none(),
                       "high"_a = is_number ? limit(field.high) : nb::none(), "words"_a = split(field.words),
                       "is_count"_a = field.is_count);
}

}  // namespace settings_binding

// The constructor of a struct by the keywords of its fields, with the struct's defaults if kDefaults. check(made) may throw.
template <bool kDefaults, class T, class... Members>
void bind_init(nb::class_<T>& bound, const std::tuple<Field<Members>...>& fields, void (*check)(const T&)) {
  using namespace settings_binding;
  const auto argument = [](const auto& field) {
    if constexpr (kDefaults)
      return nb::arg(field.name) = get(field, T{});
    else
      return nb::arg(field.name);
  };
  const auto init = [fields, check](T* self, const Given<MemberOf<Field<Members>, T>>&... given) {
    T made{};
    std::apply([&](const auto&... field) { (assign(field, made, given), ...); }, fields);
    check(made);
    new (self) T(made);
  };
  std::apply([&](const auto&... field) { bound.def("__init__", init, nb::kw_only(), argument(field)...); }, fields);
}

template <class T>
void bind_settings(nb::module_& m, const char* name, const char* about) {
  using namespace settings_binding;
  nb::class_<T> bound(m, name, about);
  nb::list declared;
  std::string arguments;
  for_each_field<T>([&](const auto& field) {
    declared.append(declaration<T>(field));
    const std::string type = type_name<T>(field);
    arguments += ", " + std::string(field.name) + ": " + type + " = ...";
    bound.def_prop_ro(
        field.name, [field](const T& self) { return get(field, self); }, field.sentence,
        nb::sig(("def " + std::string(field.name) + "(self, /) -> " + type).c_str()));
  });
  bound
      .def_prop_ro_static(
          "fields", [declared = nb::tuple(declared)](nb::handle) { return declared; },
          nb::sig("def fields(cls, /) -> tuple[sandtable.settings.Setting, ...]"), "The declarations of all settings.")
      .def(
          "__init__", [](T* self, const nb::kwargs& given) { new (self) T(changed(T{}, given)); },
          nb::sig(("def __init__(self, *" + arguments + ") -> None").c_str()))
      .def(
          "replace", [](const T& self, const nb::kwargs& changes) { return changed(self, changes); },
          nb::sig(("def replace(self, *" + arguments + ") -> " + name).c_str()), "The same with some settings changed.")
      .def(
          "__eq__", [](const T& self, const T& other) { return values(self).equal(values(other)); }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const T& self) { return nb::hash(nb::tuple(nb::list(values(self).values()))); })
      .def("__repr__", [](const T& self) {
        std::string text;
        for (const auto& [key, value] : values(self))
          text += (text.empty() ? "" : ", ") + nb::cast<std::string>(key) + "=" + nb::repr(value).c_str();
        return nb::cast<std::string>(nb::type<T>().attr("__name__")) + "(" + text + ")";
      });
}

}  // namespace sandtable
