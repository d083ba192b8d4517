// How a search declares its settings. A settings struct has a function fields() that gives the name of each member, its
// range or its words, and one sentence; the default is the member's initialiser. bindings/settings.h makes a Python
// class of such a struct. The players' tables, their error messages and the documentation are generated from it.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

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
  bool is_count = false;        // a budget; its empty value (0, or of an optional), which Python knows as None, is no limit

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

// A truth value, or anything else without a range.
template <class Member>
constexpr auto field(const char* name, Member member, const char* sentence = "") {
  return Field<Member>{name, member, sentence};
}

inline constexpr double kMaxCount = 4e9;  // Searches count visits in 32 bits.

// The number of steps that a search may take. Its default applies unless there is a clock.
template <class Member>
constexpr auto count(const char* name, Member member, const char* sentence, Bound low = 1) {
  return Field<Member>{.name = name, .member = member, .sentence = sentence, .low = low, .high = kMaxCount, .is_count = true};
}

// The fields of a struct that is a member of another one, as fields of that one.
template <class Member, class... Inner>
constexpr auto within(Member outer, const std::tuple<Field<Inner>...>& fields) {
  const auto placed = [outer](const auto& one) {
    const auto member = [outer, one](auto& settings) -> auto& { return one.of(std::invoke(outer, settings)); };
    return Field<decltype(member)>{one.name, member, one.sentence, one.low, one.high, one.words, one.is_count};
  };
  return std::apply([&](const auto&... one) { return std::tuple(placed(one)...); }, fields);
}

// The place of a word among those of an enumeration's field. Throws std::invalid_argument if it is none of them.
template <class Member>
std::size_t place_of_word(const Field<Member>& field, const std::string& word) {
  std::istringstream in(field.words);
  std::vector<std::string> words;
  for (std::string one; in >> one; words.push_back(one))
    if (one == word) return words.size();
  std::string text = std::string(field.name) + " must be ";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  throw std::invalid_argument(text);
}

// Throws std::invalid_argument unless every integer with a range is within it.
template <class T>
void check_ranges(const T& made) {
  const auto check = [&](const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field.of(made))>, int>) {
      const auto low = static_cast<int>(field.low.number), high = static_cast<int>(field.high.number);
      if (low < high && (field.of(made) < low || field.of(made) > high))
        throw std::invalid_argument(std::string(field.name) + " must be within " + std::to_string(low) + ".." +
                                    std::to_string(high));
    }
  };
  std::apply([&](const auto&... field) { (check(field), ...); }, T::fields());
}

}  // namespace sandtable
