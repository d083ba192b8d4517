// The arithmetic of networks, compiled for several instruction sets; a program uses the best one that its processor supports.
//
// The results of a row depend on its own inputs alone: every output is a sum in one fixed order, whatever the number of
// rows, the place of the row among them and the width of the vectors. All instruction sets with a fused multiply-add
// therefore give identical bits. The baseline of x86-64 has no fused multiply-add and rounds twice.
//
// kernels.cpp is compiled once for each set. Neither it nor this header includes anything with inline functions that
// other files may use too: the linker would keep only one copy of them, perhaps one that this processor cannot run.
#pragma once

#include <cstddef>

namespace sandtable::nets {

// The number of channels in a panel. Outputs are computed panel by panel.
inline constexpr std::size_t kPanel = 16;

// An affine map. The kPanel weights of panel p for input k begin at weights[p * panel_stride + k * input_stride].
struct Layer {
  const float* weights;
  std::size_t panel_stride, input_stride;
  const float* bias;  // [panels * kPanel], or null
  std::size_t inputs, panels;
};

// Rows of channels; row i begins at values + i * stride.
struct Rows {
  const float* values;
  std::size_t stride;
};

// A term that is added to the sums besides the bias: row at[i] of `rows` is added to row i, nothing if at[i] is negative.
struct Addend {
  Rows rows{nullptr, 0};
  const int* at = nullptr;
};

enum class Activation {
  kNone,
  kRelu,
  kReluAndAdd,  // relu(sum) + the input channel of the same number: a residual connection
};

// Weighted messages between rows, in groups of kPanel channels. Row i receives in group g the messages from
// ends[i * groups + g - 1] (0 for the very first) to ends[i * groups + g] - 1.
struct Messages {
  const float* weights;
  const int* from;
  const int* ends;
  std::size_t groups;
};

struct Kernels {
  const char* name;

  // out[i] = activation(bias + first + second + in[i] * weights) for n rows.
  void (*affine)(const Layer& layer, Rows in, std::size_t n, const Addend& first, const Addend& second, Activation activation,
                 float* out, std::size_t out_stride);

  // out[i] = bias + in[i] * weights: one number for each row of `panels` panels.
  void (*dot)(const float* weights, float bias, std::size_t panels, Rows in, std::size_t n, float* out);

  // out[i], group by group, is the sum of weight * said[from] over the messages that row i receives.
  void (*aggregate)(const Messages& messages, Rows said, std::size_t n, float* out, std::size_t out_stride);

  // The sum of the n rows in[at[i]], which have `panels` panels, and, unless `most` is null, the maximum of each
  // channel (-infinity if n is 0).
  void (*pool)(Rows in, const int* at, std::size_t n, std::size_t panels, float* sum, float* most);
};

// The instruction sets that this processor supports, the best first; the list ends with null.
const Kernels* const* instruction_sets();

// The set with this name, or the best one if the name is null. Throws std::invalid_argument if this processor does not
// support it.
const Kernels& kernels_named(const char* name);

}  // namespace sandtable::nets
