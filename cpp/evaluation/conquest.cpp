#include "evaluation/conquest.h"

#include "core/softmax.h"

namespace sandtable::evaluation {
namespace {

using namespace conquest;

// Evaluates all questions; put(i, answer) gets the answers.
void evaluate_all(auto& evaluator, std::span<const AnyQuestion> questions, auto&& put) {
  evaluator.evaluate(questions.size(), [&](std::size_t i, auto&& ask) { questions[i].visit(ask); }, put);
}

std::vector<float> values_of(auto& evaluator, std::span<const AnyQuestion> questions) {
  check_one_map(questions);
  std::vector<float> values(questions.size());
  evaluate_all(evaluator, questions, [&](std::size_t i, const auto& answer) { values[i] = answer.value; });
  return values;
}

}  // namespace

void check_one_map(std::span<const AnyQuestion> questions) {
  const auto map = [](const AnyQuestion& one) { return one.state.visit([](const auto& state) { return state.land().fingerprint(); }); };
  for (const AnyQuestion& one : questions) require(map(one) == map(questions[0]), "all states must be on the same map");
}

std::vector<float> evaluate(TurnWeights& evaluator, std::span<const AnyQuestion> questions) {
  return values_of(evaluator, questions);
}
std::vector<float> evaluate(TurnPolicies& evaluator, std::span<const AnyQuestion> questions) {
  return values_of(evaluator, questions);
}

void encode(const TerritoryGraphEncoder& encoder, std::span<const AnyQuestion> questions, TerritoryGraphBatch& batch) {
  require(!questions.empty(), "there must be at least one state");
  check_one_map(questions);
  encode(encoder, questions.size(), [&](std::size_t i, auto&& ask) { questions[i].visit(ask); }, batch);
}

std::vector<double> priors(TurnWeights& evaluator, const AnyQuestion& question) {
  std::vector<double> weights;
  evaluate_all(evaluator, std::span(&question, 1), [&](std::size_t, const auto& answer) {
    weights.assign(answer.logits.begin(), answer.logits.end());
  });
  softmax(weights);
  return weights;
}

DeploysAndMarches policies(TurnPolicies& evaluator, const AnyState& any) {
  DeploysAndMarches found;
  evaluator.evaluate(
      1, [&](std::size_t, auto&& ask) { any.visit([&](const auto& state) { ask(PolicyOfBoth{state}); }); },
      [&](std::size_t, const TerritoryFeatures::Answer& answer) {
        found.deploys.assign(answer.deploys.begin(), answer.deploys.end());
        found.marches.assign(answer.marches.begin(), answer.marches.end());
      });
  return found;
}

std::vector<Orders> proposed(TurnPolicies& evaluator, const AnyState& any, int player, int count, double uniform,
                             std::uint64_t seed) {
  checked_player(player);
  require(count >= 0 && count <= 1'000'000, "count must be within 0..1000000");
  require(uniform >= 0 && uniform <= 1, "uniform must be within 0..1");
  return any.visit([&](const auto& state) {
    require(!state.over(), "the game is over");
    const auto both = propose(evaluator, std::span(&state, 1), uniform);
    Rng rng(seed, stream_number("proposed"), player);
    return both[0][static_cast<std::size_t>(player)].varied(static_cast<std::size_t>(count), rng);
  });
}

DeploysAndMarches shares(const AnyQuestion& question, std::span<const double> weights) {
  require(question.moves.size() == weights.size(), "there must be a weight for each move");
  return question.state.visit([&](const auto& state) -> DeploysAndMarches {
    const auto n = static_cast<std::size_t>(state.land().territories());
    DeploysAndMarches sum{std::vector<float>(n), std::vector<float>(n * n)};
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] > 0) add_shares(state, question.player, question.moves[i], weights[i], sum.deploys.data(), sum.marches.data());
    return sum;
  });
}

PaddedFeatures padded_features(std::span<const AnyQuestion> questions) {
  PaddedFeatures padded;
  const auto territories = [](const auto& state) { return static_cast<std::size_t>(state.land().territories()); };
  for (const AnyQuestion& one : questions) padded.widest = std::max(padded.widest, one.state.visit(territories));
  for (const AnyQuestion& one : questions) one.state.visit([&](const auto& state) { padded.add(state, one.player); });
  return padded;
}

}  // namespace sandtable::evaluation
