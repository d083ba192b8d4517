// Exponentials and powers from operations that IEEE 754 rounds exactly, so that they are the same on every machine; see
// logarithm.h. They are slower than the C library's: use them for values computed once per decision, not once per node.
#pragma once

#include <cmath>
#include <limits>

#include "core/logarithm.h"

namespace sandtable {

// e to the power of x, accurate to a few units in the last place.
inline double exponential(double x) {
  if (x >= -1 && x <= 1) {
    double sum = 1;
    for (int k = 18; k >= 1; --k) sum = 1 + sum * x / k;
    return sum;
  }
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  // e^x = 2^k e^r with |r| < 0.35. The high part of ln 2 has so few digits that its product with k is exact.
  constexpr double kLog2E = 1.44269504088896340736, kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const double k = std::floor(x * kLog2E + 0.5), r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 0;
  for (int i = 13; i >= 1; --i) sum = (1 + sum) * (r * (1.0 / i));
  return std::ldexp(1 + sum, static_cast<int>(k));
}

// x to the power of y, which must be positive and may be infinite; x must be 0, or positive and not subnormal. The relative
// error grows with the logarithm of the result.
inline double power(double x, double y) { return x == 0 || x == 1 ? x : exponential(y * logarithm(x)); }

}  // namespace sandtable
