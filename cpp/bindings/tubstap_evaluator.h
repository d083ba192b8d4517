// Evaluators of TUBSTAP as Python holds them.
#pragma once

#include "bindings/network.h"
#include "bindings/tubstap_objects.h"
#include "evaluation/tubstap.h"

namespace sandtable {

struct PyTubstapEvaluator : evaluation::TubstapValues {
  using Evaluator::Evaluator;

  template <class Board>
  void check(const Board& board) const {
    encoder().check(board);
  }
  // As minimax asks.
  template <class State>
  void judge(std::span<const State> states, int side, std::span<double> values) {
    evaluation::evaluate_for_side(*this, states, side, values);
  }
};

using PyTubstapPolicy = evaluation::TubstapPolicies;

// Copies: another thread may play on while this one computes.
inline std::vector<tubstap::AnyState> read_states(nanobind::handle sequence) {
  const Items items(sequence, "states must be a sequence");
  std::vector<tubstap::AnyState> states;
  states.reserve(static_cast<std::size_t>(items.size()));
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const PyTubstapState* state = nullptr;
    if (!nanobind::try_cast(nanobind::handle(items[i]), state) || !state)
      throw nanobind::value_error("states must be states of TUBSTAP");
    states.push_back(state->state);
  }
  return states;
}

// States of games that are not over, on boards that the network is made for.
inline std::vector<tubstap::AnyState> read_playable(nanobind::handle sequence, const tubstap::PolicyEncoder& encoder) {
  auto states = read_states(sequence);
  for (const auto& any : states) {
    any.visit([&](const auto& state) {
      if (state.over()) throw nanobind::value_error("the game is over");
      encoder.check(state.board());
    });
  }
  return states;
}

}  // namespace sandtable
