// The arithmetic of networks, compiled for several instruction sets; a program takes the best that its processor has.
//
// The results of a row depend on its own inputs alone: every output is a sum in one fixed order, whatever the number of rows,
// the place of the row among them and the width of the vectors. The instruction sets with a fused multiply-add therefore all
// give the same bits. The baseline of x86-64 has none and rounds twice.
//
// kernels.cpp is compiled once for each set. It and this header include nothing that has inline functions which other files
// may share: the linker would keep one copy of them, perhaps one that this processor cannot run.
#pragma once

#include <cstddef>

namespace sandtable::nets {

// Outputs are computed in panels of so many channels.
inline constexpr std::size_t kPanel = 16;

// An affine map. The weights of panel p for input k are at weights[p * panel_stride + k * input_stride], kPanel of them.
struct Layer {
  const float* weights;
  std::size_t panel_stride, input_stride;
  const float* bias;  // [panels * kPanel], or null
  std::size_t inputs, panels;
};

// n rows of channels.
struct Rows {
  const float* values;
  std::size_t stride;
};

// What sums begin with besides the bias: to row i, row at[i] is added, none if at[i] is negative.
struct Addend {
  Rows rows{nullptr, 0};
  const int* at = nullptr;
};

enum class Then {
  kNothing,
  kRelu,
  kReluAndAdd,  // the first channels of the row's inputs + relu(sum)
};

// Messages in groups of kPanel channels: those that row i hears in group g are ends[i * groups + g - 1] to the next end.
struct Messages {
  const float* weights;
  const int* from;
  const int* ends;
  std::size_t groups;
};

struct Kernels {
  const char* name;

  // out[i] = then(bias + first + second + in[i] * weights) for n rows.
  void (*affine)(const Layer& layer, Rows in, std::size_t n, const Addend& first, const Addend& second, Then then, float* out,
                 std::size_t out_stride);

  // out[i] = bias + in[i] * weights, one number a row of so many panels.
  void (*dot)(const float* weights, float bias, std::size_t panels, Rows in, std::size_t n, float* out);

  // out[i], group by group, is the sum over its messages of weight * said[from].
  void (*hear)(const Messages& messages, Rows said, std::size_t n, float* out, std::size_t out_stride);

  // The sum of the rows in[at[i]], of so many panels, and the greatest value of each channel but for -infinity, if `most`.
  void (*pool)(Rows in, const int* at, std::size_t n, std::size_t panels, float* sum, float* most);
};

// The sets that this processor has, the best first; the list ends with null.
const Kernels* const* instruction_sets();

// The set of that name, null for the best. Throws std::invalid_argument if this processor does not have it.
const Kernels& kernels_named(const char* name);

}  // namespace sandtable::nets
