// The natural logarithm from additions, multiplications and divisions alone. The C library's differs in the last bit
// between systems, and one bit is enough to make two searches with the same seed diverge.
#pragma once

#include <bit>
#include <cstdint>

namespace sandtable {

// x must be positive, finite and not subnormal. Accurate to about 1e-15.
inline double logarithm(double x) {
  constexpr double kLn2 = 0.693147180559945309417232121458;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh s, |s| < 0.172: eleven terms reach the last bit.
  const double s = (m - 1) / (m + 1), q = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
  return 2 * s * sum + exponent * kLn2;
}

}  // namespace sandtable
