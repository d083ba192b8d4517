#include "nets/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sandtable::nets {
namespace {

constexpr std::size_t kMostHeader = 1 << 20, kMostTensors = 1 << 12, kMostAxes = 8, kMostName = 256;

// Text that is quoted from a file may contain any bytes, so everything but printable ASCII is replaced.
[[noreturn]] void refuse(std::string why) {
  std::replace_if(why.begin(), why.end(), [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  throw std::invalid_argument("not a file of weights: " + why);
}

struct Entry {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin, end;  // in the data
};

// Parses the part of JSON that headers consist of. The depth of nesting is bounded by this grammar.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  std::vector<Entry> entries() {
    std::vector<Entry> found;
    members([&](std::string name) {
      if (name == "__metadata__") return metadata();
      if (found.size() == kMostTensors) refuse("more than " + std::to_string(kMostTensors) + " arrays");
      found.push_back(entry(std::move(name)));
    });
    skip_spaces();
    if (at_ != text_.size()) refuse("its header has text after its JSON object");
    return found;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted))
      refuse("its header cannot be parsed: expected '" + std::string(1, wanted) + "' at byte " + std::to_string(at_));
  }

  std::string string() {
    expect('"');
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const auto letter = static_cast<unsigned char>(text_[at_]);
      if (letter < ' ') refuse("a control character in its header");
      if (letter == '\\') ++at_;  // the escaped character is skipped; no name in our files has one
    }
    if (at_ >= text_.size()) refuse("its header ends within a string");
    return std::string(text_.substr(begin, at_++ - begin));
  }
  std::size_t number() {
    skip_spaces();
    std::size_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (value > (SIZE_MAX - 9) / 10) refuse("a number in its header is too large");
      value = 10 * value + static_cast<std::size_t>(text_[at_] - '0');
    }
    if (at_ == begin) refuse("its header cannot be parsed: expected a whole number at byte " + std::to_string(at_));
    return value;
  }

  // Parses an object. Calls f(name) at the beginning of each value, which f must parse.
  template <class F>
  void members(F&& f) {
    expect('{');
    if (take('}')) return;
    do {
      std::string name = string();
      if (name.size() > kMostName) refuse("a name in its header is too long");
      expect(':');
      f(std::move(name));
    } while (take(','));
    expect('}');
  }
  std::vector<std::size_t> numbers() {
    std::vector<std::size_t> found;
    expect('[');
    if (take(']')) return found;
    do {
      if (found.size() == kMostAxes) refuse("an array of more than " + std::to_string(kMostAxes) + " axes");
      found.push_back(number());
    } while (take(','));
    expect(']');
    return found;
  }
  void metadata() {
    members([&](const std::string&) { string(); });
  }

  Entry entry(std::string name) {
    Entry made{std::move(name), {}, 0, 0};
    std::string type;
    std::vector<std::size_t> offsets;
    int keys[3] = {0, 0, 0};
    members([&](const std::string& key) {
      if (key == "dtype") ++keys[0], type = string();
      else if (key == "shape") ++keys[1], made.shape = numbers();
      else if (key == "data_offsets") ++keys[2], offsets = numbers();
      else refuse("'" + made.name + "' has an unknown key");
    });
    if (keys[0] != 1 || keys[1] != 1 || keys[2] != 1)
      refuse("'" + made.name + "' needs one dtype, one shape and one data_offsets");
    if (type != "F32") refuse("'" + made.name + "' is of type " + type.substr(0, 20) + ", not F32");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) refuse("the data_offsets of '" + made.name + "' are not a begin and an end");
    made.begin = offsets[0];
    made.end = offsets[1];
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The number of bytes that the shape needs; the file is refused if it is more than `most`.
std::size_t bytes_of(const Entry& entry, std::size_t most) {
  std::size_t count = 1;
  for (const std::size_t axis : entry.shape) {
    if (axis != 0 && count > most / axis) refuse("'" + entry.name + "' has more values than the file has bytes");
    count *= axis;
  }
  if (count > most / sizeof(float)) refuse("'" + entry.name + "' has more values than the file has bytes");
  return count * sizeof(float);
}

float float_at(const unsigned char* bytes) {
  std::uint32_t bits = 0;
  for (int i = 3; i >= 0; --i) bits = bits << 8 | bytes[i];
  return std::bit_cast<float>(bits);
}

}  // namespace

std::map<std::string, Tensor> read_safetensors(std::span<const unsigned char> file) {
  if (file.size() < 8) refuse("it has " + std::to_string(file.size()) + " bytes");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | file[static_cast<std::size_t>(i)];
  if (length > kMostHeader) refuse("its header has more than " + std::to_string(kMostHeader) + " bytes");
  if (length > file.size() - 8) refuse("it ends within its header");
  if (length % 8 != 0) refuse("its data does not begin at a multiple of 8 bytes");
  const auto header = file.subspan(8, static_cast<std::size_t>(length)), data = file.subspan(8 + header.size());
  auto entries = Header({reinterpret_cast<const char*>(header.data()), header.size()}).entries();
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::map<std::string, Tensor> found;
  std::size_t covered = 0;
  for (Entry& entry : entries) {
    if (entry.end > data.size()) refuse("'" + entry.name + "' ends beyond the file");
    if (entry.begin != covered) refuse("'" + entry.name + "' overlaps another array or leaves a gap");
    covered = entry.end;
    if (bytes_of(entry, data.size()) != entry.end - entry.begin)
      refuse("'" + entry.name + "' does not have the number of bytes that its shape needs");
    Tensor tensor{std::move(entry.shape), std::vector<float>((entry.end - entry.begin) / sizeof(float))};
    for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = float_at(data.data() + entry.begin + i * sizeof(float));
    if (!found.emplace(entry.name, std::move(tensor)).second) refuse("'" + entry.name + "' occurs twice");
  }
  if (covered != data.size()) refuse("there are bytes after its arrays");
  return found;
}

}  // namespace sandtable::nets
