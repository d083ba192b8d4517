#include "core/any_field.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace sandtable {

std::vector<std::string> split_words(const char* words) {
  std::istringstream in(words ? words : "");
  std::vector<std::string> split;
  for (std::string word; in >> word;) split.push_back(word);
  return split;
}

std::size_t place_of_word(const char* field, const std::vector<std::string>& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string text = std::string(field) + " must be ";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  throw std::invalid_argument(text);
}

void check_ranges(const std::vector<AnyField>& fields, const void* settings) {
  for (const AnyField& field : fields) {
    if (field.type != FieldType::kInteger || field.low.number >= field.high.number) continue;
    const auto low = static_cast<std::int64_t>(field.low.number), high = static_cast<std::int64_t>(field.high.number);
    const auto value = std::get<std::int64_t>(field.get(settings));
    if (value < low || value > high)
      throw std::invalid_argument(std::string(field.name) + " must be within " + std::to_string(low) + ".." + std::to_string(high));
  }
}

}  // namespace sandtable
