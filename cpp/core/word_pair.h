// Two words of 64 bits on which the processor operates at once: an SSE or NEON register, by the vector types that GCC and
// Clang provide on every machine. With other compilers it is a plain struct with the same operators.
#pragma once

#include <cstdint>

namespace sandtable {

#if defined(__GNUC__)

using WordPair = std::uint64_t __attribute__((vector_size(16)));

#else

struct WordPair {
  std::uint64_t words[2];

  std::uint64_t operator[](int i) const { return words[i]; }
  friend WordPair operator&(WordPair a, WordPair b) { return {{a[0] & b[0], a[1] & b[1]}}; }
  friend WordPair operator|(WordPair a, WordPair b) { return {{a[0] | b[0], a[1] | b[1]}}; }
  friend WordPair operator^(WordPair a, WordPair b) { return {{a[0] ^ b[0], a[1] ^ b[1]}}; }
  friend WordPair operator~(WordPair a) { return {{~a[0], ~a[1]}}; }
  friend WordPair operator<<(WordPair a, std::uint64_t n) { return {{a[0] << n, a[1] << n}}; }
  friend WordPair operator>>(WordPair a, std::uint64_t n) { return {{a[0] >> n, a[1] >> n}}; }
};

#endif

}  // namespace sandtable
