// Normal deviates from operations that IEEE 754 rounds exactly, so that they are the same on every machine; see logarithm.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "core/logarithm.h"
#include "core/rng.h"

namespace sandtable {

// Fills `out` with independent standard normal numbers (the polar method, Marsaglia and Bray, 1964).
inline void draw_normal(std::span<double> out, Rng& rng) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    double u, v, s;
    do {
      u = 2 * rng.uniform() - 1;
      v = 2 * rng.uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double length = std::sqrt(-2 * logarithm(s) / s);
    out[i] = u * length;
    if (i + 1 < out.size()) out[i + 1] = v * length;
  }
}

}  // namespace sandtable
