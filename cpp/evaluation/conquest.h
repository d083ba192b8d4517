// Evaluators of Conquest, and the functions by which searches ask them. All states of one call must be on the same map.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "conquest/any_state.h"
#include "conquest/encoders/territory_features.h"
#include "conquest/encoders/territory_graph.h"
#include "conquest/game.h"
#include "conquest/proposals.h"
#include "evaluation/evaluator.h"

namespace sandtable::evaluation {

using TurnWeights = Evaluator<conquest::TerritoryGraphEncoder>;  // weighs candidate moves
using TurnPolicies = Evaluator<conquest::TerritoryFeatures>;     // proposes moves

// Writes the value of every question's state for its player and, one question after the other, the logits of its moves, as
// a TurnEvaluator must (search/turn_evaluator.h). A question has a state, a player and moves.
template <class Question>
void evaluate_questions(TurnWeights& evaluator, std::span<const Question> questions, std::span<double> values,
                        std::span<double> logits) {
  // Questions about moves are never cached, so their answers come in order.
  auto next = logits.begin();
  evaluator.evaluate(
      questions.size(),
      [&](std::size_t i, auto&& ask) { ask(conquest::TurnQuestion{*questions[i].state, questions[i].player, questions[i].moves}); },
      [&](std::size_t i, const conquest::TerritoryGraphEncoder::Answer& answer) {
        values[i] = answer.value;
        next = std::copy(answer.logits.begin(), answer.logits.end(), next);
      });
}

// Writes the value of every state for player 0, evaluated from a player's perspective. Finished games need no network.
template <class Encoder, class Size>
void evaluate_for_first(Evaluator<Encoder>& evaluator, int player, std::span<const conquest::State<Size>> states,
                        std::span<double> values) {
  evaluator.evaluate(
      states.size(),
      [&](std::size_t i, auto&& ask) {
        if (states[i].over())
          values[i] = conquest::Game<Size>::value(states[i], 0);
        else
          ask(conquest::TurnQuestion{states[i], player});
      },
      [&](std::size_t i, const auto& answer) { values[i] = player == 0 ? answer.value : -answer.value; });
}

// The network's proposals for both players at each state; they refer to the states. Every distribution is mixed with the
// uniform one, whose weight is `uniform`.
template <class Size>
std::vector<std::array<conquest::Proposals<Size>, 2>> propose(TurnPolicies& evaluator,
                                                              std::span<const conquest::State<Size>> states, double uniform) {
  std::vector<std::array<conquest::Proposals<Size>, 2>> all;
  all.reserve(states.size());
  evaluator.evaluate(
      states.size(), [&](std::size_t i, auto&& ask) { ask(conquest::PolicyOfBoth{states[i]}); },
      [&](std::size_t i, const conquest::TerritoryFeatures::Answer& answer) {
        const std::size_t n = answer.deploys.size() / 2;
        const auto of = [&](int player) {
          const auto at = static_cast<std::size_t>(player);
          return conquest::Proposals<Size>(states[i], player, answer.deploys.subspan(at * n, n),
                                           answer.marches.subspan(at * n * n, n * n), uniform);
        };
        all.push_back({of(0), of(1)});  // nothing is cached, so answers come in order
      });
  return all;
}

// A question about a state of any size: its value for the player, and the weights of candidate moves.
struct AnyQuestion {
  conquest::AnyState state;
  int player;
  std::vector<conquest::Orders> moves = {};

  // Calls ask(question).
  template <class Ask>
  void visit(Ask&& ask) const {
    state.visit([&](const auto& one) { ask(conquest::TurnQuestion{one, player, moves}); });
  }
};

// Throws std::invalid_argument unless all states are on the same map.
void check_one_map(std::span<const AnyQuestion> questions);

// Encodes all questions into one batch; there must be at least one.
void encode(const conquest::TerritoryGraphEncoder& encoder, std::span<const AnyQuestion> questions,
            conquest::TerritoryGraphBatch& batch);

// The value of each state for its player.
std::vector<float> evaluate(TurnWeights& evaluator, std::span<const AnyQuestion> questions);
std::vector<float> evaluate(TurnPolicies& evaluator, std::span<const AnyQuestion> questions);

// The probability of each of the question's moves.
std::vector<double> priors(TurnWeights& evaluator, const AnyQuestion& question);

// Logits for both players, of deploys [2, T] and of marches [2, T, T] with staying on the diagonal; or shares for one
// player, without the first dimension.
struct DeploysAndMarches {
  std::vector<float> deploys, marches;
};
DeploysAndMarches policies(TurnPolicies& evaluator, const conquest::AnyState& state);

// Moves that the policy proposes, as the equilibrium search draws, crosses and mutates them. Throws std::invalid_argument
// if a number is out of range.
std::vector<conquest::Orders> proposed(TurnPolicies& evaluator, const conquest::AnyState& state, int player, int count,
                                       double uniform, std::uint64_t seed);

// The shares of a mixed strategy: of the income that each territory gets [T], and of each territory's armies that go to
// each other one [T, T], with those that stay on the diagonal. There must be a weight for each move.
DeploysAndMarches shares(const AnyQuestion& question, std::span<const double> weights);

// The states of the questions, which may be of different maps, each with its own map, padded to the largest.
conquest::PaddedFeatures padded_features(std::span<const AnyQuestion> questions);

}  // namespace sandtable::evaluation
