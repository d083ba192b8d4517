// A policy/value network as the searches see it: positions that are not in its cache are encoded as one batch and handed to
// a Python function in arrays that are not copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bindings/one_user.h"
#include "search/policy_cache.h"
#include "tubstap/encoders/tokens.h"
#include "tubstap/encoders/unit_question.h"

namespace sandtable {

using TubstapPolicyBatch = std::variant<tubstap::UnitQuestionBatch, tubstap::TokenBatch>;

// The arrays that a batch is handed over in; `owner` keeps their memory.
nanobind::tuple policy_arrays(tubstap::UnitQuestionBatch& batch, nanobind::handle owner);
nanobind::tuple policy_arrays(tubstap::TokenBatch& batch, nanobind::handle owner);

class PyTubstapPolicy {
 public:
  PyTubstapPolicy(TubstapPolicyBatch batch, nanobind::callable forward, std::size_t cache)
      : batch_(std::move(batch)), forward_(std::move(forward)), cache_(cache) {}

  template <class Board>
  void check(const Board& board) const {
    std::visit([&](const auto& batch) { batch.check(board); }, batch_);
  }

  // Gives each of n leaves its priors and value; leaf(i, f) calls f(leaf i), which has a state and moves. The interpreter's
  // lock must not be held: it is taken once.
  template <class LeafAt>
  void judge(std::size_t n, LeafAt&& leaf_at) {
    const OneUser::Inside inside(one_user_);
    std::visit(
        [&](auto& batch) {
          batch.clear();
          waiting_.clear();
          for (std::size_t i = 0; i < n; ++i) {
            leaf_at(i, [&](auto& leaf) {
              const std::uint64_t key = batch.key(leaf.state);
              if (const auto* known = cache_.find(key)) {
                ++hits;
                leaf.value = known->value;
                leaf.priors = known->priors;
                return;
              }
              batch.add(leaf.state, std::span<const tubstap::Operation>(leaf.moves));
              waiting_.push_back({i, key});
            });
          }
          if (waiting_.empty()) return;
          forward(batch);
          for (std::size_t k = 0; k < waiting_.size(); ++k) {
            leaf_at(waiting_[k].first, [&](auto& leaf) {
              batch.read(k, values_, logits_, leaf.priors, leaf.value);
              cache_.insert(waiting_[k].second, leaf.value, leaf.priors);
            });
          }
        },
        batch_);
  }

  std::atomic<std::uint64_t> evaluated = 0, hits = 0, rows = 0, batches = 0;  // positions judged, known, their rows
  std::atomic<double> forward_seconds = 0;                                    // inside the network

 private:
  template <class Batch>
  void forward(Batch& batch) {
    const nanobind::gil_scoped_acquire acquire;
    using Clock = std::chrono::steady_clock;
    const nanobind::tuple arrays = policy_arrays(batch, nanobind::find(*this));
    const auto begin = Clock::now();
    const nanobind::object out = forward_(*arrays);
    forward_seconds = forward_seconds + std::chrono::duration<double>(Clock::now() - begin).count();
    if (!nanobind::isinstance<nanobind::tuple>(out) || nanobind::len(out) != 2) throw nanobind::value_error(kWanted);
    take(out[0], batch.values_wanted(), values_);
    take(out[1], batch.logits_wanted(), logits_);
    evaluated += batch.states();
    rows += batch.rows();
    ++batches;
  }

  static constexpr const char* kWanted = "a policy network must return two arrays of float32: values and logits";
  using Floats = nanobind::ndarray<const float, nanobind::c_contig, nanobind::device::cpu>;
  void take(nanobind::handle from, std::size_t wanted, std::vector<float>& into) {
    Floats array;
    if (!nanobind::try_cast(from, array, false) || array.size() != wanted) throw nanobind::value_error(kWanted);
    into.assign(array.data(), array.data() + wanted);
  }

  TubstapPolicyBatch batch_;
  nanobind::callable forward_;
  search::PolicyCache cache_;
  std::vector<std::pair<std::size_t, std::uint64_t>> waiting_;  // which leaf, and its key
  std::vector<float> values_, logits_;
  OneUser one_user_;
};

}  // namespace sandtable
