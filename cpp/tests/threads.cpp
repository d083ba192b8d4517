// Objects that threads may share, for ThreadSanitizer: states with their maps, an evaluator with its cache, and groups
// of games. In every thread a search must find what it finds in one thread alone.
#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "conquest/any_state.h"
#include "conquest/game.h"
#include "environments/conquest.h"
#include "environments/tubstap.h"
#include "evaluation/tubstap.h"
#include "search/minimax/minimax.h"
#include "search/turn_mcts/turn_mcts.h"
#include "search/uct/uct.h"
#include "tests/check.h"
#include "tests/random_maps.h"
#include "tubstap/any_state.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

constexpr int kThreads = 4;
constexpr int kMaps = 20;

// Runs work() once alone and then in several threads at once. CHECK itself is not for several threads.
template <class Work>
void check_same_in_threads(const Work& work) {
  const auto expected = work();
  std::vector<decltype(work())> found(kThreads);
  std::vector<std::thread> threads;
  for (auto& one : found) threads.emplace_back([&] { one = work(); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : found) CHECK(one == expected);
}

// A value in (-1, 1) that depends on the numbers that the network is shown.
void first_numbers(const std::shared_ptr<tubstap::ValueEncoder::Batch>& batch,
                   std::span<const evaluation::TubstapValues::Output> outputs) {
  for (std::size_t i = 0; i < batch->states; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < batch->floats; ++k) sum += batch->values[i * batch->floats + k] * static_cast<float>(k % 7);
    outputs[0].values[i] = sum / (1 + std::abs(sum));
  }
}

template <class Game, class State>
std::vector<double> uct_values(const State& root) {
  Rng rng(3);
  search::Uct<Game> uct(typename search::Uct<Game>::Settings{.c = 1.0});
  const auto found = uct.search(root, search::Budget(100, 0), rng);
  std::vector<double> values = {found.value, static_cast<double>(found.best)};
  for (const auto& candidate : found.candidates) values.push_back(static_cast<double>(candidate.visits));
  return values;
}

void test_shared_tubstap() {
  Rng rng(1);
  evaluation::TubstapValues shared(tubstap::ValueEncoder(tubstap::DamageGraphEncoder{.rows = 10}), first_numbers, 7, 64);
  for (int map = 0; map < kMaps; ++map) {
    const auto any = tubstap::make_state(tubstap_maps::random_setup(rng, 9, 10));
    any.visit([&]<class State>(const State& root) {
      using Game = tubstap::Game<typename State::Size>;
      if (Game::over(root)) return;
      check_same_in_threads([&] { return uct_values<Game>(root); });
      check_same_in_threads([&] {
        Rng own(5);
        search::Minimax<Game> minimax({1, 1 << 20}, [&](std::span<const State> states, int side, std::span<double> values) {
          evaluation::evaluate_for_side(shared, states, side, values);
        });
        return minimax.search(root, own).value;
      });
    });
  }
  CHECK(shared.counters().hits > 0);
}

void test_shared_conquest() {
  Rng rng(2);
  for (int map = 0; map < kMaps; ++map) {
    const conquest::Setup setup = conquest_maps::random_setup(rng, map % 5 ? 12 : 80);
    auto any = conquest::make_state(setup);
    any.visit([&]<class State>(State& root) {
      for (int territory = 0; territory < setup.territories; ++territory) root.set(territory, territory % 2, 3);
      using Game = conquest::Game<typename State::Size>;
      if (Game::over(root)) return;
      check_same_in_threads([&] {
        Rng own(7);
        search::TurnMcts<Game> mcts({.tree = {.candidates = 4}, .rollout_levels = 3});
        return mcts.search(std::as_const(root), 0, search::Budget(30, 0), own).value;
      });
    });
  }
}

// Some threads step a group while others give the opponent's moves, legal or not, and look at its games.
void test_shared_groups() {
  using namespace environments;
  Rng rng(3);
  const auto at_once = [](const auto& step, const auto& answer) {
    const auto often = [](const auto& work) { for (int i = 0; i < 300; ++i) work(); };
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { often(step); }), threads.emplace_back([&] { often(answer); });
    for (auto& thread : threads) thread.join();
  };
  std::atomic<int> answered[2] = {};
  const auto over = [](const auto& any) { return any.visit([](const auto& state) { return state.over(); }); };
  tubstap::Setup setup;
  do setup = tubstap_maps::random_setup(rng, 9, 10);
  while (over(tubstap::make_state(setup)));
  const tubstap::AnyState start = tubstap::make_state(setup);
  Shared<TubstapGames> tub(start, 3, "graph", GroupSettings{Opponent::kElsewhere, {}, 0});
  for (std::size_t game = 0; game < 3; ++game) tub.call(&TubstapGames::begin, game);
  const std::vector<std::int64_t> ends(3, tub.games().observer().actions().end_turn());
  at_once([&] { tub.call(&TubstapGames::act, std::span(ends)); tub.call(&TubstapGames::observe); },
          [&] {
            for (const std::size_t game : tub.call(&TubstapGames::waiting)) {
              tub.call(&TubstapGames::state, game);
              if (!refused([&] { tub.call(&TubstapGames::answer, game, NamedMove()); })) ++answered[0];
            }
          });

  const conquest::AnyState land = conquest::make_state(conquest_maps::random_setup(rng, 12));
  Shared<ConquestGames> con(land, 3, "graph", GroupSettings{Opponent::kElsewhere, {}, 0});
  for (std::size_t game = 0; game < 3; ++game) con.call(&ConquestGames::begin, game);
  const std::vector<std::int32_t> genes(3 * con.games().genes());
  at_once([&] { con.call(&ConquestGames::act_genes, std::span(genes)); con.call(&ConquestGames::observe); },
          [&] {
            for (std::size_t game = 0; game < 3; ++game)
              if (!refused([&] { con.call(&ConquestGames::answer, game, conquest::Orders()); })) ++answered[1];
          });
  CHECK(answered[0] > 0 && answered[1] > 0);
}

}  // namespace
}  // namespace sandtable::tests

int main() {
  using namespace sandtable::tests;
  test_shared_tubstap();
  test_shared_conquest();
  test_shared_groups();
  std::printf("threads: %d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
