// The core's own tests, meant to run under the sanitizers: random games on random maps of every size, hostile input to
// everything that checks input, and the parts on which the engines are built.
#include "tests/check.h"

int main() {
  using namespace sandtable::tests;
  test_core();
  test_any_size();
  test_conquest();
  test_encoder_keys();
  test_environments();
  test_evaluation();
  test_evolution();
  test_nets();
  test_search();
  test_tubstap();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
