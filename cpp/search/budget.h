// The limits of a search: it ends after a number of simulations, after a number of seconds, or when it is told to stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/settings.h"

namespace sandtable::search {

// Thrown by a search that is stopped before it has a result.
struct Interrupted {};

class Budget {
 public:
  // A limit of 0 is no limit. `interrupted` is polled from time to time; it tells, for instance, whether Ctrl-C was pressed.
  Budget(std::uint64_t simulations, double seconds, std::function<bool()> interrupted = {})
      : simulations_(simulations ? std::min(simulations, kMost) : kMost),
        seconds_(seconds),
        interrupted_(std::move(interrupted)),
        start_(Clock::now()),
        next_question_(0.05) {}

  // How many simulations the count still allows after `done`.
  std::uint64_t left(std::uint64_t done) const { return simulations_ - std::min(done, simulations_); }

  // Whether to stop after `done` simulations. At least one is always made.
  bool spent(std::uint64_t done) {
    if (done >= simulations_) return true;
    if (done == 0) return false;
    const double passed = this->passed();
    // A step that would end clearly after the time limit is not begun: a step may be as long as a generation.
    last_step_ = passed - last_asked_;
    last_asked_ = passed;
    if (seconds_ > 0 && passed + 0.95 * last_step_ >= seconds_) return true;
    return told_to_stop(passed);
  }

  // Leaves the work since the last call of spent() out of its estimate: a step is assumed to take as long as the last one.
  void skip() { last_asked_ = passed() - last_step_; }

  // For use within steps that may take seconds: throws Interrupted if the search is told to stop.
  void check_interrupted() {
    if (told_to_stop(passed())) throw Interrupted{};
  }

  // Seconds since the search began, and seconds left, which are infinite without a time limit.
  double passed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double seconds_left() const { return seconds_ > 0 ? seconds_ - passed() : std::numeric_limits<double>::infinity(); }

 private:
  bool told_to_stop(double passed) {
    if (!interrupted_ || passed < next_question_) return false;
    next_question_ = passed + 0.05;
    return interrupted_();
  }

  using Clock = std::chrono::steady_clock;
  static constexpr auto kMost = static_cast<std::uint64_t>(kMaxCount);
  std::uint64_t simulations_;
  double seconds_;
  std::function<bool()> interrupted_;
  Clock::time_point start_;
  double next_question_;
  double last_asked_ = 0, last_step_ = 0;
};

// The parameters of a search besides its settings.
struct Run {
  double seconds = 0;  // 0: no limit
  std::uint64_t seed = 0;
  std::function<bool()> interrupted = {};

  // Throws std::invalid_argument if neither the number of its steps (0: no limit) nor the time limits the search.
  void check_limited(std::uint64_t count) const {
    if (count == 0 && !(seconds > 0)) throw std::invalid_argument("a search needs a limit: a count, or seconds");
  }
  Budget budget(std::uint64_t count) const {
    check_limited(count);
    return {count, seconds, interrupted};
  }
};

}  // namespace sandtable::search
