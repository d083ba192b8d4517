// Batching, caching, tree reuse and the self-play scheduler, driven by networks that are plain functions of their inputs.
#include "evaluation/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "conquest/any_state.h"
#include "conquest/game.h"
#include "conquest/orders.h"
#include "evaluation/conquest.h"
#include "evaluation/lanes.h"
#include "evaluation/tubstap.h"
#include "search/equilibrium/equilibrium.h"
#include "search/puct/kept_tree.h"
#include "search/puct/self_play.h"
#include "search/turn_mcts/guided_mcts.h"
#include "tests/check.h"
#include "tests/random_maps.h"
#include "tubstap/any_state.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

using namespace evaluation;
namespace tub = tubstap;
namespace con = conquest;

// A number in (-1, 1) that depends on all of the values.
float blend(std::span<const float> values, double seed = 0) {
  double sum = seed;
  for (std::size_t i = 0; i < values.size(); ++i) sum += std::sin(static_cast<double>(i + 1)) * values[i];
  return static_cast<float>(std::tanh(sum / 10));
}

// Networks. Each fills its outputs, row by row, and counts its batches.

struct FakeValues {
  int* batches;
  void operator()(const std::shared_ptr<tub::ValueEncoder::Batch>& batch, std::span<const TubstapValues::Output> outputs) const {
    ++*batches;
    CHECK(outputs.size() == 1 && outputs[0].values.size() == batch->states);
    for (std::size_t i = 0; i < batch->states; ++i)
      outputs[0].values[i] = blend(std::span<const float>(batch->values).subspan(i * batch->floats, batch->floats));
  }
};

struct FakePolicies {
  int* batches;
  std::size_t* most;  // the most states in a batch so far
  void operator()(const std::shared_ptr<tub::PolicyEncoder::Batch>& batch, std::span<const TubstapPolicies::Output> outputs) const {
    ++*batches;
    auto& tokens = std::get<tub::TokenBatch>(batch->arrays);
    *most = std::max(*most, tokens.states());
    constexpr std::size_t kGlobal = tub::TokenBatch::kGlobal, kMove = tub::TokenBatch::kMove;
    CHECK(outputs[0].values.size() == tokens.states() && outputs[1].values.size() == tokens.moves());
    for (std::size_t i = 0; i < tokens.states(); ++i)
      outputs[0].values[i] = blend(std::span<const float>(tokens.globals_array() + i * kGlobal, kGlobal));
    for (std::size_t i = 0; i < tokens.moves(); ++i)
      outputs[1].values[i] = 3 * blend(std::span<const float>(tokens.moves_array() + i * kMove, kMove));
  }
};

struct FakeWeights {
  int* batches;
  void operator()(const std::shared_ptr<con::TerritoryGraphBatch>& batch, std::span<const TurnWeights::Output> outputs) const {
    ++*batches;
    const std::size_t size = batch->map.territories * batch->node_size;
    CHECK(batch->nodes.size() == batch->states * size && outputs[1].values.size() == batch->move_count());
    for (std::size_t i = 0; i < batch->states; ++i)
      outputs[0].values[i] = blend(std::span<const float>(batch->nodes).subspan(i * size, size));
    for (std::size_t move = 0, order = 0; move < batch->move_count(); ++move) {
      double sum = 0;
      for (; order < batch->order_ends[move]; ++order)
        sum += blend(batch->orders[order]);
      outputs[1].values[move] = static_cast<float>(sum);
    }
  }
};

struct FakeTurnPolicies {
  int* batches;
  void operator()(const std::shared_ptr<con::FeatureBatch>& batch, std::span<const TurnPolicies::Output> outputs) const {
    ++*batches;
    const std::size_t t = batch->map.territories, size = t * con::TerritoryFeatures::kNode;
    CHECK(batch->nodes.size() == batch->states * size);
    const auto of = [&](std::size_t state) { return blend(std::span<const float>(batch->nodes).subspan(state * size, size)); };
    for (std::size_t i = 0; i < batch->states; ++i) outputs[0].values[i] = of(i);
    for (std::size_t i = 0; i < batch->asked.size(); ++i) {
      const float about = of(static_cast<std::size_t>(batch->asked[i]));
      for (std::size_t k = 0; k < t; ++k) outputs[1].values[i * t + k] = std::sin(about * static_cast<float>(k + 1));
      for (std::size_t k = 0; k < t * t; ++k) outputs[2].values[i * t * t + k] = std::cos(about * static_cast<float>(k + 1));
    }
  }
};

void test_cache() {
  AnswerCache<int> none(0), three(3);
  none.insert(5, 1);
  CHECK(!none.find(5) && !three.find(0) && !three.find(5));
  three.insert(5, 1);
  three.insert(6, 2);
  three.insert(0, 9);  // the key of an empty place, so it is not stored
  CHECK(*three.find(5) == 1 && *three.find(6) == 2 && !three.find(0));
  three.insert(9, 3);  // there are four places, and it replaces 5
  CHECK(!three.find(5) && *three.find(9) == 3);
}

// Positions of random games on boards of all sizes.
std::vector<tub::AnyState> tubstap_positions(Rng& rng, int count, int max_side) {
  std::vector<tub::AnyState> states;
  while (static_cast<int>(states.size()) < count) {
    auto state = tub::make_state(tubstap_maps::random_setup(rng, max_side, 10));
    state.visit([&]<class State>(State& one) {
      std::vector<tub::Operation> moves;
      for (int i = 0; i < 3 && !one.over(); ++i) {
        moves.clear();
        tub::Game<typename State::Size>::moves(one, moves);
        one.play(moves[rng.below(static_cast<std::uint32_t>(moves.size()))]);
      }
    });
    if (!state.visit([](const auto& one) { return one.over(); })) states.push_back(std::move(state));
  }
  return states;
}

// With any sizes of the batch and the cache, values are those of one question at a time.
void test_values() {
  Rng rng(5);
  auto states = tubstap_positions(rng, 20, 14);
  for (int i = 0; i < 10; ++i) states.push_back(states[static_cast<std::size_t>(i)]);
  const tub::ValueEncoder encoder(tub::DamageGraphEncoder{.rows = 10});
  std::vector<float> expected;
  for (const auto& any : states) {
    std::vector<float> encoded(encoder.floats());
    any.visit([&](const auto& state) { tub::DamageGraphEncoder{.rows = 10}.encode(state, encoded.data()); });
    expected.push_back(blend(encoded));
  }
  for (const std::size_t most : {1, 7, 30, 1000}) {
    for (const std::size_t cache : {0, 1, 5, 1 << 12}) {
      int batches = 0;
      TubstapValues evaluator(encoder, FakeValues{&batches}, most, cache);
      for (int round = 0; round < 2; ++round) {
        std::vector<float> values(states.size(), 2);
        evaluator.evaluate(
            states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); },
            [&](std::size_t i, float value) { values[i] = value; });
        CHECK(values == expected);
      }
      const Counters& counters = evaluator.counters();
      CHECK(counters.evaluated + counters.hits == 60 && counters.batches == static_cast<std::uint64_t>(batches));
      CHECK(counters.rows == counters.evaluated && counters.moves == 0 && counters.forward_seconds > 0);
      if (cache == 0) CHECK(counters.hits == 0 && counters.batches == 2 * ((30 + most - 1) / most));
      if (cache == 1 << 12) CHECK(counters.hits >= 30);  // all of the second round
    }
  }
}

// Batches that a network keeps stay as they were; a network that fails leaves nothing behind.
void test_networks_that_keep_and_fail() {
  Rng rng(6);
  const auto states = tubstap_positions(rng, 12, 8);
  std::vector<std::shared_ptr<tub::ValueEncoder::Batch>> kept;
  std::vector<std::vector<float>> copies;
  bool failing = false;
  const tub::ValueEncoder encoder(tub::DamageGraphEncoder{.rows = 10});
  TubstapValues evaluator(
      encoder,
      [&](const auto& batch, auto outputs) {
        if (failing) throw std::runtime_error("the network is gone");
        int batches = 0;
        FakeValues{&batches}(batch, outputs);
        kept.push_back(batch);
        copies.push_back(batch->values);
      },
      3, 64);
  const auto evaluate = [&](std::size_t from, std::size_t n) {
    evaluator.evaluate(
        n, [&](std::size_t i, auto&& ask) { states[from + i].visit(ask); }, [](std::size_t, float) {});
  };
  evaluate(0, 6);
  failing = true;
  for (int i = 0; i < 2; ++i) {
    bool failed = false;
    try {
      evaluate(5, 4);  // the cache has the first one
    } catch (const std::runtime_error&) {
      failed = true;
    }
    CHECK(failed);
  }
  CHECK(evaluator.counters().evaluated == 6 && evaluator.counters().hits == 2);
  failing = false;
  evaluate(6, 6);
  CHECK(evaluator.counters().evaluated == 12 && kept.size() == 4);
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i]->states == 3 && kept[i]->values == copies[i]);
}

void test_users() {
  Rng rng(7);
  const auto states = tubstap_positions(rng, 40, 8);
  int batches = 0, refused = 0;
  TubstapValues* self = nullptr;
  TubstapValues nested(
      tub::ValueEncoder(tub::DamageGraphEncoder{.rows = 10}),
      [&](const auto&, auto) {
        self->evaluate(
            1, [&](std::size_t, auto&& ask) { states[0].visit(ask); }, [](std::size_t, float) {});
      },
      8, 8);
  self = &nested;
  try {
    nested.evaluate(
        1, [&](std::size_t, auto&& ask) { states[0].visit(ask); }, [](std::size_t, float) {});
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  CHECK(refused == 1);

  TubstapValues shared(tub::ValueEncoder(tub::DamageGraphEncoder{.rows = 10}), FakeValues{&batches}, 7, 16);
  std::vector<std::vector<float>> found(4, std::vector<float>(states.size()));
  std::vector<std::thread> threads;
  for (auto& values : found)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round)
        shared.evaluate(
            states.size(), [&](std::size_t i, auto&& ask) { states[i].visit(ask); },
            [&](std::size_t i, float value) { values[i] = value; });
    });
  for (auto& thread : threads) thread.join();
  for (const auto& values : found) CHECK(values == found[0]);
  CHECK(shared.counters().evaluated + shared.counters().hits == 4 * 5 * 40);
}

template <class State>
struct Asked {
  State state;
  std::vector<tub::Operation> moves;
  std::vector<float> priors;
  float value = 0;
};

// Leaves get the priors of their own moves, and cached ones the same priors again.
void test_policies() {
  Rng rng(8);
  const auto states = tubstap_positions(rng, 30, 14);
  using A = std::variant<Asked<tub::State<tub::Small>>, Asked<tub::State<tub::Compact>>, Asked<tub::State<tub::Medium>>,
                         Asked<tub::State<tub::Wide>>, Asked<tub::State<tub::Large>>>;
  std::vector<A> leaves;
  for (const auto& any : states)
    any.visit([&]<class State>(const State& state) {
      Asked<State> one{state, {}, {}, 0};
      tub::Game<typename State::Size>::moves(state, one.moves);
      leaves.push_back(std::move(one));
    });
  int batches = 0;
  std::size_t most = 0;
  const auto evaluate = [&](TubstapPolicies& evaluator) {
    std::vector<std::vector<float>> priors;
    evaluate_leaves(evaluator, leaves.size(), [&](std::size_t i, auto&& f) { std::visit(f, leaves[i]); });
    for (auto& any : leaves)
      std::visit(
          [&](auto& leaf) {
            float sum = 0;
            for (const float prior : leaf.priors) sum += prior;
            CHECK(leaf.priors.size() == leaf.moves.size() && std::abs(sum - 1) < 1e-4f && std::abs(leaf.value) < 1);
            priors.push_back(leaf.priors);
            priors.back().push_back(leaf.value);
            leaf.priors.clear();
          },
          any);
    return priors;
  };
  TubstapPolicies one_by_one(tub::PolicyEncoder("tokens"), FakePolicies{&batches, &most}, 1, 0);
  const auto expected = evaluate(one_by_one);
  CHECK(batches == 30 && most == 1);
  TubstapPolicies together(tub::PolicyEncoder("tokens"), FakePolicies{&batches, &most}, 100, 1 << 16);
  CHECK(evaluate(together) == expected && most == 30);
  CHECK(evaluate(together) == expected && together.counters().hits == 30 && together.counters().batches == 1);
}

tub::Rules plain_rules() {
  tub::Rules rules;
  for (auto& row : rules.power) row.fill(55);
  rules.movement.fill(3);
  rules.range.fill({1, 1});
  for (auto& row : rules.cost) row = {0, 1, 1, 1, 1, 1, 1};
  rules.turn_limit = 8;
  rules.hp_threshold = 0;
  return rules;
}

// Two against two on plains.
tub::Setup skirmish(int size, int shift = 0) {
  tub::Setup setup;
  setup.rules = plain_rules();
  setup.width = setup.height = size;
  setup.terrain.assign(static_cast<std::size_t>(size * size), 1);
  setup.units = {{0, 0, 1 + shift, 1, 9, false}, {2, 0, 2 + shift, 2, 7, false}, {5, 1, size, size, 8, false}, {4, 1, size - 1, size - 1, 6, false}};
  return setup;
}

template <class Size>
using TreeOf = search::PolicyTree<tub::Game<Size>>;
using Kept = search::KeptTree<tub::AnyState, TreeOf<tub::Small>, TreeOf<tub::Compact>>;

template <class Size>
tub::State<Size> of_size(const tub::AnyState& any) {
  return any.visit([](const auto& state) -> tub::State<Size> {
    if constexpr (std::same_as<std::decay_t<decltype(state)>, tub::State<Size>>) return state;
    else throw std::logic_error("a board of another size");
  });
}

// A kept tree goes on at the position that the game has reached; for another board, or if it is too full, a new tree begins.
void test_kept_trees() {
  using Game = tub::Game<tub::Small>;
  int batches = 0;
  std::size_t most = 0;
  TubstapPolicies evaluator(tub::PolicyEncoder("tokens"), FakePolicies{&batches, &most}, 100, 1 << 10);
  const search::PolicyEvaluator<Game> evaluate = [&](auto& leaves, std::size_t n) {
    evaluate_leaves(evaluator, n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
  };
  Kept kept;
  Rng rng(1);
  auto any = tub::make_state(skirmish(6));
  for (const std::uint32_t batch : {1, 8}) {
    std::uint32_t carried = 0;
    for (int decision = 0; decision < 3; ++decision) {
      const auto state = of_size<tub::Small>(any);
      auto& tree = kept.at<TreeOf<tub::Small>>(state, any, 1 << 20, decision > 0);
      CHECK(tree.stat(0).visits == carried && Game::hash(tree.root()) == Game::hash(state));
      const auto found = search::search_tree(tree, {.batch = batch}, search::Budget(60, 0), rng, evaluate);
      const auto& played = found.candidates[found.best];
      carried = static_cast<std::uint32_t>(played.visits);
      CHECK(found.simulations == 60 && carried > 0);
      any.visit([&](auto& one) { one.play(played.move); });
    }
  }
  const auto other = tub::make_state(skirmish(6)), wide = tub::make_state(skirmish(10));
  const auto is_new = [&]<class Size>(const tub::AnyState& at, std::uint32_t max_nodes) {
    return kept.at<TreeOf<Size>>(of_size<Size>(at), at, max_nodes, true).stat(0).visits == 0;
  };
  CHECK(!is_new.operator()<tub::Small>(any, 1 << 20));  // still the tree of the game
  CHECK(is_new.operator()<tub::Small>(any, 16));        // it has more than half of the nodes that are allowed
  CHECK(is_new.operator()<tub::Small>(other, 1 << 20));
  CHECK(is_new.operator()<tub::Compact>(wide, 1 << 20));
  CHECK(is_new.operator()<tub::Small>(other, 1 << 20));
}

// A lane that needs `left` more answers.
struct Countdown {
  int left;
  std::vector<int>* trace;
  bool advance() { return left > 0; }
  void resume() {
    --left;
    trace->push_back(left);
  }
};

void test_lanes() {
  for (const std::size_t lanes : {1, 2, 3, 10}) {
    std::vector<int> wanted{3, 0, 1, 5, 0, 0, 2}, trace, finished;
    std::size_t widest = 0;
    int answers = 0;
    play_in_lanes(
        wanted.size(), lanes, [&](std::size_t i) { return Countdown{wanted[i], &trace}; },
        [&](std::span<Countdown* const> waiting) {
          CHECK(!waiting.empty() && waiting.size() <= lanes);
          for (const Countdown* lane : waiting) CHECK(lane->left > 0);
          widest = std::max(widest, waiting.size());
          answers += static_cast<int>(waiting.size());
        },
        [&](std::size_t i, const Countdown& lane) {
          CHECK(lane.left == 0);
          finished.push_back(static_cast<int>(i));
        });
    CHECK(answers == 11 && trace.size() == 11 && widest <= lanes && (lanes < 10 || widest == 4));
    std::sort(finished.begin(), finished.end());
    CHECK(finished == (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  }
  int batches = 0, finished = 0;
  std::vector<int> trace;
  play_in_lanes(
      5, 2, [&](std::size_t) { return Countdown{4, &trace}; }, [&](auto) { ++batches; }, [&](std::size_t, const Countdown&) { ++finished; },
      [&] { return batches == 6; });
  CHECK(batches == 6 && finished == 2);
}

// Games of self-play are the same with any number of lanes and any cache, and legal to their end, on boards of two sizes.
void test_self_play() {
  using search::Decision;
  std::vector<tub::AnyState> starts;
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < 6; ++i) {
    starts.push_back(tub::make_state(skirmish(i % 3 == 2 ? 9 : 6, i % 2)));
    seeds.push_back(static_cast<std::uint64_t>(100 + i));
  }
  for (const bool gumbel : {false, true}) {
    search::SelfPlaySettings settings{.root = gumbel ? search::RootRule::kGumbel : search::RootRule::kPuct,
                                      .simulations = 12,
                                      .quick_simulations = 3,
                                      .full_share = 0.5};
    settings.gumbel.considered = 4;
    const auto play = [&](std::uint32_t lanes, std::size_t cache, std::size_t* most) {
      int batches = 0;
      settings.lanes = lanes;
      TubstapPolicies evaluator(tub::PolicyEncoder("tokens"), FakePolicies{&batches, most}, 100, cache);
      return search::self_play<tub::Game<tub::Small>, tub::Game<tub::Compact>, tub::Game<tub::Medium>, tub::Game<tub::Wide>,
                               tub::Game<tub::Large>>(
          std::span<const tub::AnyState>(starts), seeds, settings,
          [&](std::size_t n, auto&& leaf_at) { evaluate_leaves(evaluator, n, leaf_at); });
    };
    std::size_t most = 0;
    const auto expected = play(1, 0, &most);
    CHECK(most == 1);
    const auto same = [](const Decision& a, const Decision& b) {
      return a.move == b.move && a.full == b.full && a.value == b.value && a.policy == b.policy;
    };
    for (const std::uint32_t lanes : {2, 4, 20}) {
      most = 0;
      const auto found = play(lanes, lanes == 4 ? 0 : 1 << 10, &most);
      CHECK(most > 1 && most <= lanes);
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::equal(found[i].begin(), found[i].end(), expected[i].begin(), expected[i].end(), same));
    }
    int full = 0, quick = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      auto any = starts[i];
      any.visit([&]<class State>(State& state) {
        for (const Decision& made : expected[i]) {
          std::vector<tub::Operation> moves;
          tub::Game<typename State::Size>::moves(state, moves);
          CHECK(!state.over() && made.policy.size() == moves.size() && made.move < moves.size());
          ++(made.full ? full : quick);
          state.play(moves[made.move]);
        }
        CHECK(state.over());
      });
    }
    CHECK(full > 10 && quick > 10);
  }
}

struct Turns {
  con::Setup setup;
  std::vector<con::State<con::Small>> states;
  std::unique_ptr<con::Land<con::Small>> land;
};

Turns conquest_positions(Rng& rng, int count) {
  Turns turns;
  turns.setup = conquest_maps::random_setup(rng, 12);
  turns.setup.rules.turn_limit = 40;
  turns.setup.rules.base_income = 4;
  turns.land = std::make_unique<con::Land<con::Small>>(turns.setup);
  while (static_cast<int>(turns.states.size()) < count) {
    con::State<con::Small> state(*turns.land);
    random_start(state, rng);
    turns.states.push_back(state);
  }
  return turns;
}

// Questions with and without moves, cached or not, in batches of any size: each gets its own value and logits.
void test_turn_questions() {
  using Game = con::Game<con::Small>;
  Rng rng(9);
  const Turns turns = conquest_positions(rng, 12);
  std::vector<std::vector<con::Orders>> moves(24);
  std::vector<search::Question<Game>> questions;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto& state = turns.states[i % 12];
    for (std::size_t k = 0; k < i % 4; ++k) con::random_move(state, static_cast<int>(i % 2), rng, moves[i].emplace_back());
    questions.push_back({&state, static_cast<int>(i % 2), moves[i]});
    asked += moves[i].size();
  }
  const auto evaluate = [&](TurnWeights& evaluator, std::span<const search::Question<Game>> some, std::size_t wanted) {
    std::vector<double> values(some.size(), 2), logits(wanted, 99);
    evaluate_questions(evaluator, some, std::span(values), std::span(logits));
    values.insert(values.end(), logits.begin(), logits.end());
    return values;
  };
  int batches = 0;
  std::vector<double> expected, expected_logits;
  for (const auto& question : questions) {
    TurnWeights alone({}, FakeWeights{&batches}, 1, 0);
    const auto found = evaluate(alone, std::span(&question, 1), question.moves.size());
    expected.push_back(found[0]);
    expected_logits.insert(expected_logits.end(), found.begin() + 1, found.end());
  }
  expected.insert(expected.end(), expected_logits.begin(), expected_logits.end());
  for (const std::size_t most : {1, 5, 64}) {
    for (const std::size_t cache : {0, 1 << 16}) {
      TurnWeights evaluator({}, FakeWeights{&batches}, most, cache);
      for (int round = 0; round < 2; ++round) CHECK(evaluate(evaluator, questions, asked) == expected);
      CHECK(evaluator.counters().moves == 2 * asked && evaluator.counters().evaluated + evaluator.counters().hits == 48);
      CHECK((evaluator.counters().hits >= 6) == (cache > 0));  // those without moves, of the second round
    }
  }
  // A search that a network guides.
  TurnWeights evaluator({}, FakeWeights{&batches}, 64, 1 << 16);
  search::GuidedMcts<Game> guided({.tree = {.candidates = 5}}, [&](auto some, auto values, auto logits) {
    evaluate_questions(evaluator, some, values, logits);
  });
  const auto found = guided.search(turns.states[0], 0, search::Budget(20, 0), rng);
  CHECK(found.candidates.size() == 5 && found.simulations == 20 && evaluator.counters().moves > 100);
}

// Every state gets the policies of its own two players, and the equilibrium search runs on them.
void test_turn_policies() {
  using Game = con::Game<con::Small>;
  using State = Game::State;
  Rng rng(10);
  const Turns turns = conquest_positions(rng, 9);
  int batches = 0;
  const auto drawn = [&](const auto& all) {
    std::vector<con::Orders> orders;
    for (const auto& both : all)
      for (const auto& proposals : both) {
        Rng own(3);
        for (int i = 0; i < 5; ++i) proposals.write(proposals.drawn(own), orders.emplace_back());
      }
    return orders;
  };
  std::vector<con::Orders> expected;
  for (const State& state : turns.states) {
    TurnPolicies alone({}, FakeTurnPolicies{&batches}, 1, 0);
    for (const auto& orders : drawn(propose(alone, std::span(&state, 1), 0.1))) expected.push_back(orders);
  }
  for (const std::size_t most : {2, 100}) {
    batches = 0;
    TurnPolicies evaluator({}, FakeTurnPolicies{&batches}, most, 64);
    CHECK(drawn(propose(evaluator, std::span(turns.states), 0.1)) == expected);
    CHECK(batches == (most == 2 ? 5 : 1) && evaluator.counters().evaluated == 18 && evaluator.counters().hits == 0);
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(con::illegal(turns.states[i / 10], static_cast<int>(i / 5 % 2), expected[i]).empty());

  TurnPolicies evaluator({}, FakeTurnPolicies{&batches}, 16, 1 << 10);
  for (const int player : {0, 1}) {
    search::EquilibriumSearch<Game, con::Proposals<con::Small>> search(
        {.candidates = 5, .fresh = 6, .joining = 2, .most = 7, .deepened = 2, .below = 3},
        [&](std::span<const State> states, std::span<double> values) {
          evaluate_for_first(evaluator, player, states, values);
          std::vector<float> again(states.size());
          evaluator.evaluate(
              states.size(), [&](std::size_t i, auto&& ask) { ask(con::TurnQuestion{states[i], player}); },
              [&](std::size_t i, const auto& answer) { again[i] = answer.value; });
          for (std::size_t i = 0; i < states.size(); ++i) CHECK(values[i] == (player == 0 ? again[i] : -again[i]));
        },
        [&](std::span<const State> states) { return propose(evaluator, states, 0.1); });
    const auto found = search.search(turns.states[0], search::Budget(4, 0), rng);
    CHECK(found.rounds == 3 && found.states > 25 && found.players[0].moves.size() <= 7);
  }
  CHECK(evaluator.counters().hits > 25);

  // The values of decided states are known without the network.
  std::vector<State> decided(2, turns.states[0]);
  for (int t = 0; t < decided[0].land().territories(); ++t)
    for (int winner = 0; winner < 2; ++winner) decided[static_cast<std::size_t>(winner)].set(t, winner, 1);
  std::vector<double> values(2);
  const std::uint64_t evaluated = evaluator.counters().evaluated;
  evaluate_for_first(evaluator, 1, std::span<const State>(decided), std::span(values));
  CHECK(values[0] == 1 && values[1] == -1 && evaluator.counters().evaluated == evaluated);

  for (const auto& [batch, cache] : {std::pair(0, 0), std::pair((1 << 20) + 1, 0), std::pair(1, (1 << 26) + 1)}) {
    bool refused = false;
    try {
      TurnPolicies impossible({}, FakeTurnPolicies{&batches}, static_cast<std::size_t>(batch), static_cast<std::size_t>(cache));
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

}  // namespace

void test_evaluation() {
  test_cache();
  test_values();
  test_networks_that_keep_and_fail();
  test_users();
  test_policies();
  test_kept_trees();
  test_lanes();
  test_self_play();
  test_turn_questions();
  test_turn_policies();
}

}  // namespace sandtable::tests
