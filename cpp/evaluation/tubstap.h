// Evaluators of TUBSTAP, and the functions by which searches ask them.
#pragma once

#include <span>
#include <vector>

#include "evaluation/evaluator.h"
#include "tubstap/any_state.h"
#include "tubstap/encoders/policy_encoder.h"
#include "tubstap/encoders/value_encoder.h"

namespace sandtable::evaluation {

using TubstapValues = Evaluator<tubstap::ValueEncoder>;
using TubstapPolicies = Evaluator<tubstap::PolicyEncoder>;

// Writes the value of every state for a side, as minimax requires (search/minimax/minimax.h).
template <class State>
void evaluate_for_side(TubstapValues& evaluator, std::span<const State> states, int side, std::span<double> values) {
  evaluator.evaluate(
      states.size(), [&](std::size_t i, auto&& ask) { ask(states[i]); },
      [&](std::size_t i, float value) { values[i] = states[i].side() == side ? value : -value; });
}

// Gives each of n leaves (PolicyTree::Leaf in search/puct/tree.h) its value and priors; leaf_at(i, f) calls f(leaf i).
template <class LeafAt>
void evaluate_leaves(TubstapPolicies& evaluator, std::size_t n, LeafAt&& leaf_at) {
  evaluator.evaluate(
      n,
      [&](std::size_t i, auto&& ask) {
        leaf_at(i, [&](const auto& leaf) { ask(tubstap::PolicyQuestion{leaf.state, std::span(leaf.moves)}); });
      },
      [&](std::size_t i, const tubstap::PolicyEncoder::Answer& answer) {
        leaf_at(i, [&](auto& leaf) {
          leaf.value = answer.value;
          leaf.priors.assign(answer.priors.begin(), answer.priors.end());
        });
      });
}

// The functions below throw std::invalid_argument if the network is not made for a board or, for policies, if a game is
// over.
void check_unfinished(const tubstap::PolicyEncoder& encoder, std::span<const tubstap::AnyState> states);

// The value of each state for its side to move.
std::vector<float> evaluate(TubstapValues& evaluator, std::span<const tubstap::AnyState> states);

// The value of each state for its side to move, and the priors of all moves of all states.
struct TubstapAnswers {
  std::vector<float> values, priors;
};
TubstapAnswers evaluate(TubstapPolicies& evaluator, std::span<const tubstap::AnyState> states);

void encode(const tubstap::ValueEncoder& encoder, std::span<const tubstap::AnyState> states, tubstap::ValueEncoder::Batch& batch);

// Encodes states into a batch of the encoder. Returns the index of the logit of every move of every state, and the number
// of moves of each state.
struct LogitPlaces {
  std::vector<std::int64_t> logits, counts;
};
LogitPlaces encode(const tubstap::PolicyEncoder& encoder, std::span<const tubstap::AnyState> states,
                   tubstap::PolicyEncoder::Batch& batch);

}  // namespace sandtable::evaluation
