// The encoders of networks that give a position a value and each of its moves a prior. PolicyEncoder implements the
// evaluator's contract (evaluation/evaluator.h) for each of them. A question is a state with its moves, in the order of
// State::moves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch.h"
#include "tubstap/encoders/tokens.h"
#include "tubstap/encoders/unit_question.h"

namespace sandtable::tubstap {

template <class Size>
struct PolicyQuestion {
  const State<Size>& state;  // not over
  std::span<const Operation> moves;
};
// A deduction guide, which compilers before clang 17 (Apple's of Xcode 16) need.
template <class Size>
PolicyQuestion(const State<Size>&, std::span<const Operation>) -> PolicyQuestion<Size>;

class PolicyEncoder {
 public:
  using Arrays = std::variant<UnitQuestionBatch, TokenBatch>;

  struct Batch {
    Arrays arrays;
    std::vector<float> priors;  // of the answer that was read last
  };
  static constexpr std::size_t kMostCached = 1 << 24;
  struct Cached;
  struct Answer {
    Answer(float its_value, std::span<const float> its_priors) : value(its_value), priors(its_priors) {}
    explicit Answer(const Cached& cached) : value(cached.value), priors(cached.priors) {}
    float value;  // for the side to move
    std::span<const float> priors;
  };
  struct Cached {
    Cached() = default;
    explicit Cached(const Answer& answer) : value(answer.value), priors(answer.priors.begin(), answer.priors.end()) {}
    float value = 0;
    std::vector<float> priors;
  };

  // `name`: unit-question or tokens.
  explicit PolicyEncoder(const std::string& name) : empty_(named(name)) {}

  // Throws std::invalid_argument if the network is not made for such boards.
  template <class Size>
  void check(const Board<Size>& board) const {
    std::visit([&](const auto& arrays) { arrays.check(board); }, empty_);
  }

  template <class Size>
  void begin(const PolicyQuestion<Size>&, Batch& batch) const {
    if (batch.arrays.index() != empty_.index()) batch.arrays = empty_;
    std::visit([](auto& arrays) { arrays.clear(); }, batch.arrays);
  }
  template <class Size>
  std::optional<std::uint64_t> key(const PolicyQuestion<Size>& question, Batch&) const {
    return std::visit([&](const auto& arrays) { return arrays.key(question.state); }, empty_);
  }
  template <class Size>
  void add(const PolicyQuestion<Size>& question, Batch& batch) const;  // compiled for all sizes in encoders.cpp
  void finish(Batch&) const {}  // a reader of padded arrays calls TokenBatch::assemble
  Shapes outputs(const Batch& batch) const {
    return std::visit(
        [](const auto& arrays) { return Shapes{{arrays.values_wanted()}, {arrays.logits_wanted()}}; }, batch.arrays);
  }
  Answer read(Batch& batch, std::size_t i, Outputs outputs) const {
    float value = 0;
    std::visit([&](const auto& arrays) { arrays.read(i, outputs[0], outputs[1], batch.priors, value); }, batch.arrays);
    return {value, batch.priors};
  }
  BatchSize size(const Batch& batch) const {
    return std::visit([](const auto& arrays) { return BatchSize{arrays.states(), arrays.rows(), 0}; }, batch.arrays);
  }

  // A batch without questions.
  Batch batch() const { return {empty_, {}}; }

 private:
  static Arrays named(const std::string& name) {
    if (name == "unit-question") return UnitQuestionBatch();
    if (name == "tokens") return TokenBatch();
    throw std::invalid_argument("a policy encoder is unit-question or tokens, not '" + name + "'");
  }

  Arrays empty_;
};

}  // namespace sandtable::tubstap
