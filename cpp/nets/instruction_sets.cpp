// Which of the compiled kernels this processor can run.
#include <stdexcept>
#include <string>

#include "nets/kernels.h"

namespace sandtable::nets {

extern const Kernels kBaseline;
#ifdef SANDTABLE_X86_KERNELS
extern const Kernels kAvx2, kAvx512;
#endif

const Kernels* const* instruction_sets() {
  struct List {
    const Kernels* all[4] = {};
    List() {
      const Kernels** next = all;
#ifdef SANDTABLE_X86_KERNELS
      __builtin_cpu_init();
      const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
      if (avx2 && __builtin_cpu_supports("avx512f")) *next++ = &kAvx512;
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
  throw std::invalid_argument("this processor has no instruction set '" + std::string(name) + "': " + known);
}

}  // namespace sandtable::nets
