// How a search declares its settings. A settings struct has a function fields() that gives the name of each member, its
// range or its words, and one sentence; the default is the member's initialiser. any_field.h reads and writes the members
// of any such struct by name, and bindings/settings.h makes a Python class of it. The players' tables, their error messages
// and the documentation are generated from it.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <tuple>

namespace sandtable {

// A limit of a setting: a number, or the name of another setting of the same struct.
struct Bound {
  double number = 0;
  const char* setting = nullptr;

  constexpr Bound(std::integral auto number) : number(static_cast<double>(number)) {}
  constexpr Bound(double number) : number(number) {}
  constexpr Bound(const char* setting) : setting(setting) {}
};

template <class Member>
struct Field {
  const char* name;
  Member member;  // pointer to the member, or a function from the struct to a reference to it
  const char* sentence;
  Bound low = 0, high = 0;      // of numbers
  const char* words = nullptr;  // of enumerations: a word for each enumerator, separated by spaces
  bool is_count = false;        // a budget; an empty value (0 or an empty optional, None in Python) means no limit

  constexpr decltype(auto) of(auto& settings) const { return std::invoke(member, settings); }
};

// A number within low..high.
template <class Member>
constexpr auto field(const char* name, Member member, Bound low, Bound high, const char* sentence) {
  return Field<Member>{name, member, sentence, low, high};
}

// An enumeration.
template <class Member>
constexpr auto field(const char* name, Member member, const char* words, const char* sentence) {
  return Field<Member>{.name = name, .member = member, .sentence = sentence, .words = words};
}

// A boolean, or any other value without a range.
template <class Member>
constexpr auto field(const char* name, Member member, const char* sentence = "") {
  return Field<Member>{name, member, sentence};
}

inline constexpr double kMaxCount = 4e9;  // Searches count visits in 32 bits.

// The number of steps that a search may take. Its default applies unless there is a time control.
template <class Member>
constexpr auto count(const char* name, Member member, const char* sentence, Bound low = 1) {
  return Field<Member>{.name = name, .member = member, .sentence = sentence, .low = low, .high = kMaxCount, .is_count = true};
}

// The fields of a member struct, as fields of the struct that contains it.
template <class Member, class... Inner>
constexpr auto within(Member outer, const std::tuple<Field<Inner>...>& fields) {
  const auto placed = [outer](const auto& one) {
    const auto member = [outer, one](auto& settings) -> auto& { return one.of(std::invoke(outer, settings)); };
    return Field<decltype(member)>{one.name, member, one.sentence, one.low, one.high, one.words, one.is_count};
  };
  return std::apply([&](const auto&... one) { return std::tuple(placed(one)...); }, fields);
}

}  // namespace sandtable
