// Gamma deviates that are the same on every machine; C++ leaves the method of std::gamma_distribution to each library.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/exponential.h"
#include "core/logarithm.h"
#include "core/rng.h"

namespace sandtable {

// Numbers with the density x^(shape - 1) e^-x / Gamma(shape), by Marsaglia and Tsang (2000). For a shape below 1, a number
// of shape + 1 is multiplied by a power of a uniform number (their section 6). Random streams are consumed as in GNU's
// library, so that self-play draws the same noise as with that library.
class GammaDistribution {
 public:
  explicit GammaDistribution(double shape)
      : shape_(shape), d_((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) {}

  double draw(Rng& rng) {
    double u, v, n;
    do {
      do {
        n = normal(rng);
        v = 1 + c_ * n;
      } while (v <= 0);
      v = v * v * v;
      u = uniform(rng);
    } while (u > 1 - 0.0331 * n * n * n * n && logarithm(u) > 0.5 * n * n + d_ * (1 - v + logarithm(v)));
    if (shape_ >= 1) return d_ * v;
    do u = uniform(rng);
    while (u == 0);
    return power(u, 1 / shape_) * d_ * v;
  }

 private:
  // A uniform number in [0, 1), from two draws of 32 bits.
  static double uniform(Rng& rng) {
    const auto low = static_cast<double>(rng.next() >> 32), high = static_cast<double>(rng.next() >> 32);
    const double u = (low + high * 0x1.0p32) * 0x1.0p-64;
    return u < 1 ? u : 1 - 0x1.0p-53;
  }

  // A standard normal number by the polar method, which makes two at a time.
  double normal(Rng& rng) {
    if (saved_) {
      const double found = *saved_;
      saved_.reset();
      return found;
    }
    double x, y, s;
    do {
      x = 2 * uniform(rng) - 1;
      y = 2 * uniform(rng) - 1;
      s = x * x + y * y;
    } while (s > 1 || s == 0);
    const double length = std::sqrt(-2 * logarithm(s) / s);
    saved_ = x * length;
    return y * length;
  }

  double shape_, d_, c_;
  std::optional<double> saved_;
};

}  // namespace sandtable
