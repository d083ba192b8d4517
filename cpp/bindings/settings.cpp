#include "bindings/settings.h"

#include <nanobind/stl/variant.h>

#include <cstring>

namespace sandtable {
namespace {

nb::object get(const AnyField& field, const void* settings) { return nb::cast(field.get(settings)); }

// Sets a field to a Python value, which must be of the field's type.
void set(const AnyField& field, void* settings, nb::handle value) {
  const auto set_as = [&]<class T>(T read) {
    if (!nb::try_cast(value, read)) throw nb::next_overload();  // Python's TypeError
    field.set(settings, read);
  };
  if (field.is_count && value.is_none()) return field.set(settings, std::monostate{});
  switch (field.type) {
    case FieldType::kBool: return set_as(bool());
    case FieldType::kInteger: return set_as(std::int64_t());
    case FieldType::kReal: return set_as(double());
    case FieldType::kWord: return set_as(std::string());
  }
}

nb::dict values(const AnyStruct& type, const void* settings) {
  nb::dict found;
  for (const AnyField& field : type.fields) found[field.name] = get(field, settings);
  return found;
}

const char* type_name(const AnyField& field) {
  constexpr const char* kNames[] = {"bool", "int", "float", "str"};
  return kNames[static_cast<std::size_t>(field.type)];
}

std::string annotation(const AnyField& field) { return std::string(type_name(field)) + (field.is_count ? " | None" : ""); }

// The Python class of a struct.
struct StructClass {
  nb::handle bound;
  const AnyStruct& type;

  // The struct of an object, which must be of this class, and fully constructed or, if `complete` is false, under
  // construction.
  void* in(nb::handle self, bool complete = true) const {
    if (!nb::isinstance(self, bound) || nb::inst_ready(self) != complete) throw nb::next_overload();
    return nb::inst_ptr<void>(self);
  }
  nb::dict values_in(nb::handle self) const { return values(type, in(self)); }
  // The struct of an object under construction, filled with the defaults.
  void* begun(nb::handle self) const { return std::memcpy(in(self, false), type.defaults, type.size); }

  template <class F, class... Extra>
  void def(const char* name, F&& f, const Extra&... extra) const {
    nb::cpp_function_def(std::forward<F>(f), nb::scope(bound), nb::name(name), nb::is_method(), extra...);
  }

  // Binds a method that has a keyword for each field. Its signature shows the defaults if they are given, else `...`.
  template <class F, class... Extra>
  void def_with_fields(const char* name, const char* result, const void* defaults, F&& f, const Extra&... extra) const {
    std::string text = "def " + std::string(name) + "(self, *";
    for (const AnyField& field : type.fields)
      text += ", " + std::string(field.name) + ": " + annotation(field) + " = " +
              (defaults ? nb::repr(get(field, defaults)).c_str() : "...");
    def(name, std::forward<F>(f), nb::sig((text + ") -> " + result).c_str()), extra...);
  }

  // Changes some settings; raises SettingError if the values are not allowed.
  void change(void* settings, const nb::kwargs& changes) const {
    nb::dict wanted = values(type, settings);
    wanted.update(changes);
    const nb::object checked =
        nb::module_::import_("sandtable.settings").attr("checked_all")(bound.attr("__name__"), bound.attr("fields"), wanted);
    for (const AnyField& field : type.fields) set(field, settings, checked[field.name]);
    try {
      type.check(settings);
    } catch (const std::invalid_argument& error) {
      PyErr_SetString(nb::module_::import_("sandtable.errors").attr("SettingError").ptr(), error.what());
      throw nb::python_error();
    }
  }
};

nb::object limit(const Bound& bound) {
  if (bound.setting) return nb::str(bound.setting);
  const auto whole = static_cast<long long>(bound.number);
  return static_cast<double>(whole) == bound.number ? nb::object(nb::int_(whole)) : nb::object(nb::float_(bound.number));
}

// The sandtable.settings.Setting of a field.
nb::object declaration(const AnyField& field, const void* defaults) {
  const bool is_number = field.type == FieldType::kInteger || field.type == FieldType::kReal;
  nb::list types;
  types.append(nb::module_::import_("builtins").attr(type_name(field)));
  if (field.is_count) types.append(nb::module_::import_("types").attr("NoneType"));
  return nb::module_::import_("sandtable.settings")
      .attr("Setting")("name"_a = field.name, "types"_a = nb::tuple(types), "default"_a = get(field, defaults),
                       "sentence"_a = field.sentence, "low"_a = is_number ? limit(field.low) : nb::none(),
                       "high"_a = is_number ? limit(field.high) : nb::none(), "words"_a = nb::tuple(nb::cast(field.words)),
                       "is_count"_a = field.is_count);
}

}  // namespace

void bind_fields_init(nb::handle bound, const AnyStruct& type) {
  const StructClass made{bound, type};
  made.def_with_fields("__init__", "None", type.defaults, [made](nb::handle self, const nb::kwargs& given) {
    void* fields = made.begun(self);
    for (const AnyField& field : made.type.fields)
      if (given.contains(field.name)) set(field, fields, given[field.name]);
    for (const auto& [name, value] : given)
      if (!values(made.type, fields).contains(name)) throw nb::next_overload();
    check_ranges(made.type.fields, fields);
    made.type.check(fields);
    nb::inst_mark_ready(self);
  });
}

nb::tuple bind_settings(nb::handle bound, const AnyStruct& type) {
  const StructClass made{bound, type};
  nb::list declared;
  for (const AnyField& field : type.fields) {
    declared.append(declaration(field, type.defaults));
    const std::string signature = "def " + std::string(field.name) + "(self, /) -> " + annotation(field);
    const nb::object getter = nb::cpp_function([made, &field](nb::handle self) { return get(field, made.in(self)); },
                                               nb::is_method(), nb::is_getter(), nb::sig(signature.c_str()), field.sentence);
    bound.attr(field.name) = nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(getter, nb::none(), nb::none(), field.sentence);
  }
  made.def_with_fields("__init__", "None", nullptr, [made](nb::handle self, const nb::kwargs& given) {
    made.change(made.begun(self), given);
    nb::inst_mark_ready(self);
  });
  made.def_with_fields(
      "replace", nb::cast<std::string>(bound.attr("__name__")).c_str(), nullptr,
      [made](nb::handle self, const nb::kwargs& changes) {
        nb::dict wanted = made.values_in(self);
        wanted.update(changes);
        return made.bound(**wanted);
      },
      "The same with some settings changed.");
  made.def("__eq__", [made](nb::handle self, nb::handle other) { return made.values_in(self).equal(made.values_in(other)); },
           nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  made.def("__hash__", [made](nb::handle self) { return nb::hash(nb::tuple(nb::list(made.values_in(self).values()))); });
  made.def("__repr__", [made](nb::handle self) {
    const nb::object call = nb::module_::import_("sandtable.settings").attr("as_call");
    return nb::cast<std::string>(call(made.bound.attr("__name__"), made.values_in(self)));
  });
  return nb::tuple(declared);
}

}  // namespace sandtable
