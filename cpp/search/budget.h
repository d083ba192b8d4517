// When a search ends: after so many simulations, so many seconds, or when it is told to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace sandtable::search {

class Budget {
 public:
  // Either limit may be left open (0). `interrupted` is asked now and then, for instance whether Ctrl-C was pressed.
  Budget(std::uint64_t simulations, double seconds, std::function<bool()> interrupted = {})
      : simulations_(simulations ? simulations : std::numeric_limits<std::uint64_t>::max()),
        seconds_(seconds),
        interrupted_(std::move(interrupted)),
        start_(Clock::now()),
        next_question_(0.05) {}

  // Whether to stop after so many simulations. One is always made.
  bool spent(std::uint64_t done) {
    if (done >= simulations_) return true;
    if (done == 0 || (seconds_ <= 0 && done % 16 != 0)) return false;
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    if (seconds_ > 0 && passed >= seconds_) return true;
    if (!interrupted_ || passed < next_question_) return false;
    next_question_ = passed + 0.05;
    return interrupted_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t simulations_;
  double seconds_;
  std::function<bool()> interrupted_;
  Clock::time_point start_;
  double next_question_;
};

}  // namespace sandtable::search
