// A network as the searches see it: positions that are not in its cache are encoded, in batches, and handed to a Python
// function in an array that is not copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "bindings/one_user.h"
#include "search/evaluation_cache.h"
#include "tubstap/encoders/attack_graph.h"
#include "tubstap/encoders/combined.h"
#include "tubstap/encoders/unit_image.h"

namespace sandtable {

using TubstapEncoder = std::variant<tubstap::AttackGraphEncoder, tubstap::UnitImageEncoder, tubstap::DamageGraphEncoder,
                                    tubstap::TerrainImageEncoder, tubstap::CombinedEncoder>;

class PyTubstapEvaluator {
 public:
  PyTubstapEvaluator(TubstapEncoder encoder, nanobind::callable forward, std::size_t batch, std::size_t cache)
      : encoder_(encoder), forward_(std::move(forward)), batch_(batch), cache_(cache) {
    buffer_.resize(batch_ * floats());
  }

  std::size_t floats() const {
    return std::visit([](const auto& encoder) { return encoder.size(); }, encoder_);
  }
  template <class Board>
  void check(const Board& board) const {
    std::visit([&](const auto& encoder) { encoder.check(board); }, encoder_);
  }

  // Calls put(i, value for the side to move) for each of n states; visit(i, f) calls f(state i). The interpreter's lock
  // must not be held: it is taken once a batch, after ours.
  template <class Visit, class Put>
  void judge(std::size_t n, Visit&& visit, Put&& put) {
    const OneUser::Inside inside(one_user_);
    std::vector<std::size_t> waiting;
    std::vector<std::uint64_t> keys;
    const auto flush = [&] {
      if (waiting.empty()) return;
      const std::vector<float> values = forward(waiting.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        cache_.insert(keys[i], values[i]);
        put(waiting[i], values[i]);
      }
      waiting.clear();
      keys.clear();
    };
    std::visit(
        [&](const auto& encoder) {
          for (std::size_t i = 0; i < n; ++i) {
            visit(i, [&](const auto& state) {
              const std::uint64_t key = state.position_hash();
              if (const float* known = cache_.find(key)) {
                ++hits;
                put(i, *known);
                return;
              }
              encoder.encode(state, buffer_.data() + waiting.size() * encoder.size());
              waiting.push_back(i);
              keys.push_back(key);
            });
            if (waiting.size() == batch_) flush();
          }
        },
        encoder_);
    flush();
  }

  // As a search asks (search/minimax): the values of states for one side.
  template <class State>
  void judge(std::span<const State> states, int side, std::span<double> values) {
    judge(
        states.size(), [&](std::size_t i, auto&& f) { f(states[i]); },
        [&](std::size_t i, float value) { values[i] = states[i].side() == side ? value : -value; });
  }

  std::atomic<std::uint64_t> evaluated = 0, hits = 0;  // positions that the network judged, and that the cache knew
  std::atomic<double> forward_seconds = 0;             // inside the network

 private:
  std::vector<float> forward(std::size_t n) {
    const nanobind::gil_scoped_acquire acquire;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    // Whoever keeps the array keeps the evaluator, whose memory it is.
    const nanobind::ndarray<nanobind::numpy, float> inputs(buffer_.data(), {n, floats()}, nanobind::find(*this));
    const nanobind::object out = forward_(nanobind::cast(inputs, nanobind::rv_policy::reference));
    using Values = nanobind::ndarray<const float, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
    Values values;
    if (!nanobind::try_cast(out, values, false) || values.shape(0) != n)
      throw nanobind::value_error("an evaluator must return an array of float32, a value for each state");
    forward_seconds = forward_seconds + std::chrono::duration<double>(Clock::now() - begin).count();
    evaluated += n;
    return {values.data(), values.data() + n};
  }

  TubstapEncoder encoder_;
  nanobind::callable forward_;
  std::size_t batch_;
  search::EvaluationCache cache_;
  std::vector<float> buffer_;
  OneUser one_user_;
};

}  // namespace sandtable
