// The fields of any struct that declares them (settings.h), as values of one type, so that code that treats all structs
// alike, such as the bindings, is compiled once.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/settings.h"

namespace sandtable {

// The value of a field: none for a count without a limit, a word for an enumeration.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class FieldType { kBool, kInteger, kReal, kWord };

struct AnyField {
  const char* name;
  const char* sentence;
  Bound low, high;                 // of numbers
  std::vector<std::string> words;  // of enumerations
  bool is_count;
  FieldType type;
  FieldValue (*read)(const AnyField&, const void* settings);
  void (*write)(const AnyField&, void* settings, const FieldValue& value);

  FieldValue get(const void* settings) const { return read(*this, settings); }
  // The value must be of the field's type; std::invalid_argument if it is a word that the field does not have.
  void set(void* settings, const FieldValue& value) const { write(*this, settings, value); }
};

// The words of an enumeration that are separated by spaces.
std::vector<std::string> split_words(const char* words);

// The index of a word among the words that a field allows. Throws std::invalid_argument if it is not one of them.
std::size_t place_of_word(const char* field, const std::vector<std::string>& words, const std::string& word);

// Throws std::invalid_argument unless every integer field that has a range is within its range.
void check_ranges(const std::vector<AnyField>& fields, const void* settings);

namespace any_field {

template <class T>
inline constexpr auto kFields = T::fields();

// The type of a member's value. To Python an optional number is a number that may be missing.
template <class Member>
struct Plain : std::type_identity<Member> {};
template <class Member>
struct Plain<std::optional<Member>> : std::type_identity<Member> {};

template <class Member>
constexpr FieldType type_of() {
  using Value = typename Plain<Member>::type;
  if (std::is_enum_v<Value>) return FieldType::kWord;
  if (std::is_same_v<Value, bool>) return FieldType::kBool;
  return std::is_integral_v<Value> ? FieldType::kInteger : FieldType::kReal;
}

template <class Member>
FieldValue read(const AnyField& field, const Member& member) {
  if (field.is_count && member == Member{}) return std::monostate{};
  if constexpr (type_of<Member>() == FieldType::kWord)
    return field.words.at(static_cast<std::size_t>(member));
  else if constexpr (type_of<Member>() != FieldType::kInteger)
    return member;
  else if constexpr (std::is_integral_v<Member>)
    return static_cast<std::int64_t>(member);
  else
    return static_cast<std::int64_t>(*member);
}

template <class Member>
void write(const AnyField& field, Member& member, const FieldValue& value) {
  constexpr FieldType kType = type_of<Member>();
  if (std::holds_alternative<std::monostate>(value))
    member = Member{};
  else if constexpr (kType == FieldType::kWord)
    member = static_cast<Member>(place_of_word(field.name, field.words, std::get<std::string>(value)));
  else if constexpr (kType == FieldType::kInteger) {
    using Number = typename Plain<Member>::type;
    const auto number = std::get<std::int64_t>(value);
    if (!std::in_range<Number>(number)) throw std::invalid_argument(std::string(field.name) + " is out of range");
    member = static_cast<Number>(number);
  } else
    member = std::get<std::conditional_t<kType == FieldType::kBool, bool, double>>(value);
}

template <class T, std::size_t kPlace>
AnyField erased() {
  constexpr const auto& field = std::get<kPlace>(kFields<T>);
  using Member = std::remove_cvref_t<decltype(field.of(std::declval<T&>()))>;
  return {field.name, field.sentence, field.low, field.high, split_words(field.words), field.is_count, type_of<Member>(),
          [](const AnyField& self, const void* settings) {
            return any_field::read(self, std::get<kPlace>(kFields<T>).of(*static_cast<const T*>(settings)));
          },
          [](const AnyField& self, void* settings, const FieldValue& value) {
            any_field::write(self, std::get<kPlace>(kFields<T>).of(*static_cast<T*>(settings)), value);
          }};
}

}  // namespace any_field

template <class T>
std::vector<AnyField> any_fields() {
  return []<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
    return std::vector<AnyField>{any_field::erased<T, kPlaces>()...};
  }(std::make_index_sequence<std::tuple_size_v<decltype(T::fields())>>());
}

}  // namespace sandtable
