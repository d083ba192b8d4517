// The network of src/sandtable/nets/tokens.py, on positions as cpp/tubstap/encoders/tokens.h writes them, but without
// padding: there is a row for each living unit and each move, and an entry for each pair of living units.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evaluation/tubstap.h"
#include "nets/layers.h"

namespace sandtable::nets {

class TokenNet {
 public:
  // Throws std::invalid_argument unless the file is a safetensors file with exactly the weights of a network of this size.
  TokenNet(std::span<const unsigned char> file, std::size_t hidden, std::size_t rounds, const Kernels& kernels);

  // Working memory, for one call at a time.
  struct Workspace {
    Floats x, changed, said, pairs, about, pooled, state, results, position, actors, targets, hidden, weighed;
    std::vector<int> state_of_row, own, other, actor, target;
  };

  // A value for each state, and a logit for each of its moves.
  void forward(const tubstap::TokenBatch& batch, std::span<float> values, std::span<float> logits, Workspace& work) const;

 private:
  using Parts = std::span<const tubstap::TokenBatch::Part>;

  struct Round {
    Affine say, change;
  };

  void enter(const tubstap::TokenBatch& batch, Parts parts, Workspace& work) const;
  void exchange(const tubstap::TokenBatch& batch, Parts parts, const Round& round, Workspace& work) const;
  void evaluate(const tubstap::TokenBatch& batch, Parts parts, std::span<float> values, Workspace& work) const;
  void weigh(const tubstap::TokenBatch& batch, Parts parts, std::span<float> logits, Workspace& work) const;

  const Kernels* kernels_;
  std::size_t hidden_;
  Affine enter_, about_, balance_, result_, actor_, target_, effect_, position_, weigh_;
  std::vector<Round> rounds_;
  Dot choose_;
};

// The network as the forward function of an evaluator. It accepts only batches of tokens.
evaluation::TubstapPolicies::Forward forward_of(std::shared_ptr<const TokenNet> net);

}  // namespace sandtable::nets
