// A minimal test framework: CHECK counts, prints what failed and goes on.
#pragma once

#include <cstdio>
#include <stdexcept>

namespace sandtable::tests {

inline int passed = 0;
inline int failed = 0;

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (condition) {                                                                       \
      ++sandtable::tests::passed;                                                          \
    } else {                                                                               \
      ++sandtable::tests::failed;                                                          \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);         \
    }                                                                                      \
  } while (0)

// Whether f() throws std::invalid_argument.
template <class F>
bool refused(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

void test_core();
void test_any_size();
void test_conquest();
void test_encoder_keys();
void test_environments();
void test_evaluation();
void test_evolution();
void test_nets();
void test_search();
void test_tubstap();

}  // namespace sandtable::tests
