// Compiled once for each instruction set; SANDTABLE_KERNELS names the constant to define. See kernels.h about includes.
#include "nets/kernels.h"

#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA)
#include <arm_neon.h>
#endif

namespace sandtable::nets {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWidth = 16, kRows = 8, kMostPanels = 3;
constexpr const char* kName = "avx512";
#elif defined(__AVX2__)
constexpr std::size_t kWidth = 8, kRows = 6, kMostPanels = 1;
constexpr const char* kName = "avx2";
#else
constexpr std::size_t kWidth = 4, kRows = 2, kMostPanels = 1;
constexpr const char* kName = "baseline";
#endif

constexpr std::size_t kVectors = kPanel / kWidth;  // vectors in a panel

#if defined(__GNUC__) || defined(__clang__)

using Vector = float __attribute__((vector_size(kWidth * sizeof(float))));
using Unaligned __attribute__((aligned(alignof(float)), may_alias)) = Vector;
static_assert(alignof(Unaligned) == alignof(float));  // rows may begin anywhere

inline Vector load(const float* from) { return *reinterpret_cast<const Unaligned*>(from); }
inline void store(float* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }
inline Vector all(float value) { return value - Vector{}; }  // subtracts 0: adding it would turn -0 into 0
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

#else

// MSVC has no vector types. It compiles only the baseline kernels, which need no more than these operators.
struct Vector {
  float lanes[kWidth];

  friend Vector operator*(Vector a, Vector b) {
    for (std::size_t i = 0; i < kWidth; ++i) a.lanes[i] *= b.lanes[i];
    return a;
  }
  friend Vector operator+(Vector a, Vector b) {
    for (std::size_t i = 0; i < kWidth; ++i) a.lanes[i] += b.lanes[i];
    return a;
  }
  Vector& operator+=(Vector other) { return *this = *this + other; }
};

inline Vector load(const float* from) {
  Vector value;
  for (std::size_t i = 0; i < kWidth; ++i) value.lanes[i] = from[i];
  return value;
}
inline void store(float* to, Vector value) {
  for (std::size_t i = 0; i < kWidth; ++i) to[i] = value.lanes[i];
}
inline Vector all(float value) {
  Vector same;
  for (float& lane : same.lanes) lane = value;
  return same;
}
inline Vector larger(Vector a, Vector b) {
  for (std::size_t i = 0; i < kWidth; ++i) a.lanes[i] = a.lanes[i] > b.lanes[i] ? a.lanes[i] : b.lanes[i];
  return a;
}

#endif

// a * b + c.
inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_FEATURE_FMA)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}

// The sums of kHeight rows in one panel: kVectors vectors for each row.
template <std::size_t kHeight>
struct Sums {
  Vector of[kHeight][kVectors];
};

template <std::size_t kHeight, std::size_t kPanels>
inline void add(const Addend& addend, std::size_t row, std::size_t panel, Sums<kHeight> (&sums)[kPanels]) {
  if (!addend.rows.values) return;
  for (std::size_t r = 0; r < kHeight; ++r) {
    const int at = addend.at[row + r];
    if (at < 0) continue;
    const float* values = addend.rows.values + static_cast<std::size_t>(at) * addend.rows.stride + panel * kPanel;
    for (std::size_t p = 0; p < kPanels; ++p)
      for (std::size_t v = 0; v < kVectors; ++v) sums[p].of[r][v] += load(values + p * kPanel + v * kWidth);
  }
}

// Computes kPanels panels, the first of them `panel`, for kHeight rows, the first of them `row`.
template <std::size_t kHeight, std::size_t kPanels>
inline void block(const Layer& layer, Rows in, std::size_t row, std::size_t panel, const Addend& first, const Addend& second,
                  Activation activation, float* out, std::size_t out_stride) {
  Sums<kHeight> sums[kPanels];
  for (std::size_t p = 0; p < kPanels; ++p)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector bias = layer.bias ? load(layer.bias + (panel + p) * kPanel + v * kWidth) : Vector{};
      for (std::size_t r = 0; r < kHeight; ++r) sums[p].of[r][v] = bias;
    }
  add(first, row, panel, sums);
  add(second, row, panel, sums);
  const float* const inputs = in.values + row * in.stride;
  const float* weights = layer.weights + panel * layer.panel_stride;
  for (std::size_t k = 0; k < layer.inputs; ++k, weights += layer.input_stride) {
    Vector weight[kPanels][kVectors];
    for (std::size_t p = 0; p < kPanels; ++p)
      for (std::size_t v = 0; v < kVectors; ++v) weight[p][v] = load(weights + p * layer.panel_stride + v * kWidth);
    for (std::size_t r = 0; r < kHeight; ++r) {
      const Vector input = all(inputs[r * in.stride + k]);
      for (std::size_t p = 0; p < kPanels; ++p)
        for (std::size_t v = 0; v < kVectors; ++v) sums[p].of[r][v] = multiply_add(input, weight[p][v], sums[p].of[r][v]);
    }
  }
  for (std::size_t r = 0; r < kHeight; ++r)
    for (std::size_t p = 0; p < kPanels; ++p)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = (panel + p) * kPanel + v * kWidth;
        Vector sum = sums[p].of[r][v];
        if (activation != Activation::kNone) sum = larger(sum, Vector{});
        if (activation == Activation::kReluAndAdd) sum += load(inputs + r * in.stride + at);
        store(out + (row + r) * out_stride + at, sum);
      }
}

// Computes the last n rows, fewer than kRows.
template <std::size_t kHeight, std::size_t kPanels, class... Arguments>
inline void rest(std::size_t n, const Arguments&... arguments) {
  if (n == kHeight) return block<kHeight, kPanels>(arguments...);
  if constexpr (kHeight > 1) rest<kHeight - 1, kPanels>(n, arguments...);
}

template <std::size_t kPanels>
void panels_of_all(const Layer& layer, Rows in, std::size_t n, std::size_t panel, const Addend& first, const Addend& second,
                   Activation activation, float* out, std::size_t out_stride) {
  std::size_t row = 0;
  for (; row + kRows <= n; row += kRows)
    block<kRows, kPanels>(layer, in, row, panel, first, second, activation, out, out_stride);
  if (row < n) rest<kRows - 1, kPanels>(n - row, layer, in, row, panel, first, second, activation, out, out_stride);
}

void affine(const Layer& layer, Rows in, std::size_t n, const Addend& first, const Addend& second, Activation activation,
            float* out, std::size_t out_stride) {
  std::size_t panel = 0;
  if constexpr (kMostPanels == 3) {
    for (; layer.panels - panel == 3 || layer.panels - panel > 4; panel += 3)
      panels_of_all<3>(layer, in, n, panel, first, second, activation, out, out_stride);
    for (; layer.panels - panel >= 2; panel += 2)
      panels_of_all<2>(layer, in, n, panel, first, second, activation, out, out_stride);
  }
  for (; panel < layer.panels; ++panel) panels_of_all<1>(layer, in, n, panel, first, second, activation, out, out_stride);
}

// The sum of a panel's channels: the upper half is added to the lower half until one number is left.
inline float total(const Vector (&panel)[kVectors]) {
  float lanes[kPanel];
  for (std::size_t v = 0; v < kVectors; ++v) store(lanes + v * kWidth, panel[v]);
  for (std::size_t half = kPanel / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

void dot(const float* weights, float bias, std::size_t panels, Rows in, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    Vector sums[kVectors] = {};
    for (std::size_t p = 0; p < panels; ++p)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = p * kPanel + v * kWidth;
        sums[v] = multiply_add(load(in.values + i * in.stride + at), load(weights + at), sums[v]);
      }
    out[i] = bias + total(sums);
  }
}

void aggregate(const Messages& messages, Rows said, std::size_t n, float* out, std::size_t out_stride) {
  int message = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t group = 0; group < messages.groups; ++group) {
      Vector sums[kVectors] = {};
      for (const int end = messages.ends[i * messages.groups + group]; message < end; ++message) {
        const float* from = said.values + static_cast<std::size_t>(messages.from[message]) * said.stride + group * kPanel;
        const Vector weight = all(messages.weights[message]);
        for (std::size_t v = 0; v < kVectors; ++v) sums[v] = multiply_add(weight, load(from + v * kWidth), sums[v]);
      }
      for (std::size_t v = 0; v < kVectors; ++v) store(out + i * out_stride + group * kPanel + v * kWidth, sums[v]);
    }
}

void pool(Rows in, const int* at, std::size_t n, std::size_t panels, float* sum, float* most) {
  for (std::size_t channel = 0; channel < panels * kPanel; channel += kWidth) {
    Vector sums{}, greatest = all(-__builtin_huge_valf());
    for (std::size_t i = 0; i < n; ++i) {
      const Vector value = load(in.values + static_cast<std::size_t>(at[i]) * in.stride + channel);
      sums += value;
      greatest = larger(value, greatest);
    }
    store(sum + channel, sums);
    if (most) store(most + channel, greatest);
  }
}

}  // namespace

extern const Kernels SANDTABLE_KERNELS;
const Kernels SANDTABLE_KERNELS = {kName, affine, dot, aggregate, pool};

}  // namespace sandtable::nets
