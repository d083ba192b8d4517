#include "evaluation/tubstap.h"

#include "core/require.h"
#include "tubstap/game.h"

namespace sandtable::evaluation {
namespace {

using namespace tubstap;

// Calls ask(question) about the state and all its moves.
void ask_about_moves(const AnyState& any, auto&& ask) {
  any.visit([&]<class Size>(const State<Size>& state) {
    std::vector<Operation> moves;
    Game<Size>::moves(state, moves);
    ask(PolicyQuestion{state, std::span<const Operation>(moves)});
  });
}

}  // namespace

void check_boards(const ValueEncoder& encoder, std::span<const AnyState> states) {
  for (const AnyState& any : states) any.visit([&](const auto& state) { encoder.check(state.board()); });
}

void check_unfinished(const PolicyEncoder& encoder, std::span<const AnyState> states) {
  for (const AnyState& any : states)
    any.visit([&](const auto& state) {
      encoder.check(state.board());
      require(!state.over(), "the game is over");
    });
}

std::vector<float> evaluate(TubstapValues& evaluator, std::span<const AnyState> states) {
  check_boards(evaluator.encoder(), states);
  std::vector<float> values(states.size());
  evaluator.evaluate(
      states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); },
      [&](std::size_t i, float value) { values[i] = value; });
  return values;
}

TubstapAnswers evaluate(TubstapPolicies& evaluator, std::span<const AnyState> states) {
  check_unfinished(evaluator.encoder(), states);
  TubstapAnswers answers{std::vector<float>(states.size()), {}};
  std::vector<std::vector<float>> priors(states.size());
  evaluator.evaluate(
      states.size(), [&](std::size_t i, auto&& ask) { ask_about_moves(states[i], ask); },
      [&](std::size_t i, const PolicyEncoder::Answer& answer) {
        answers.values[i] = answer.value;
        priors[i].assign(answer.priors.begin(), answer.priors.end());
      });
  for (const auto& of_state : priors) answers.priors.insert(answers.priors.end(), of_state.begin(), of_state.end());
  return answers;
}

void encode(const ValueEncoder& encoder, std::span<const AnyState> states, ValueEncoder::Batch& batch) {
  check_boards(encoder, states);
  encode(encoder, states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); }, batch);
}

LogitPlaces encode(const PolicyEncoder& encoder, std::span<const AnyState> states, PolicyEncoder::Batch& batch) {
  check_unfinished(encoder, states);
  LogitPlaces places;
  for (const AnyState& any : states) {
    ask_about_moves(any, [&](const auto& question) {
      places.counts.push_back(static_cast<std::int64_t>(question.moves.size()));
      encoder.add(question, batch);
      std::visit([&](const auto& arrays) { arrays.places(question.state, question.moves, places.logits); }, batch.arrays);
    });
  }
  encoder.finish(batch);
  return places;
}

}  // namespace sandtable::evaluation
