// Finds out which of the compiled kernels this processor can run.
#include <stdexcept>
#include <string>

#include "nets/kernels.h"

#ifdef SANDTABLE_X86_KERNELS
#include <cpuid.h>
#endif

namespace sandtable::nets {

extern const Kernels kBaseline;
#ifdef SANDTABLE_X86_KERNELS
extern const Kernels kAvx2, kAvx512;

namespace {

struct Vectors {
  bool avx2 = false, avx512 = false;
};

// The vector extensions that the processor has and whose registers the operating system saves. __builtin_cpu_supports()
// answers this too, but the linker of zig cannot link the variable that it reads into a shared library.
Vectors vectors() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kNeeded = bit_FMA | bit_OSXSAVE;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kNeeded) != kNeeded) return {};
  unsigned saved = 0, high = 0;
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  constexpr unsigned kSaved256 = 0x06, kSaved512 = 0xe6;  // xmm and ymm; the mask registers and zmm too
  if ((saved & kSaved256) != kSaved256 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return {};
  return {true, (saved & kSaved512) == kSaved512 && (b & bit_AVX512F)};
}

}  // namespace
#endif

const Kernels* const* instruction_sets() {
  struct List {
    const Kernels* all[4] = {};
    List() {
      const Kernels** next = all;
#ifdef SANDTABLE_X86_KERNELS
      const auto [avx2, avx512] = vectors();
      if (avx512) *next++ = &kAvx512;
      if (avx2) *next++ = &kAvx2;
#endif
      *next = &kBaseline;
    }
  };
  static const List list;
  return list.all;
}

const Kernels& kernels_named(const char* name) {
  std::string known;
  for (const auto* set = instruction_sets(); *set; ++set) {
    if (!name || std::string((*set)->name) == name) return **set;
    known += (known.empty() ? "" : ", ") + std::string((*set)->name);
  }
  throw std::invalid_argument("this processor has no instruction set '" + std::string(name) + "'; it supports " + known);
}

}  // namespace sandtable::nets
