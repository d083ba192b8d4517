#include <cmath>

#include "conquest/game.h"
#include "core/logarithm.h"
#include "search/coevolution/coevolution.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/turn_mcts/turn_mcts.h"
#include "search/uct/uct.h"
#include "tests/check.h"
#include "tests/toy.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

using namespace search;

static_assert(SequentialGame<Heap> && SequentialGame<tubstap::Game<tubstap::Small>>);
static_assert(SimultaneousGame<Pennies> && EvolvableGame<conquest::Game<conquest::Large>>);

void test_logarithm() {
  for (double x = 1; x < 1e9; x = x * 1.37 + 1) CHECK(std::abs(logarithm(x) - std::log(x)) < 1e-14 * std::log(x) + 1e-15);
  CHECK(logarithm(1) == 0);
}

// Every search must find the value of heaps in which sides move twice in a row, wins, losses and draws among them.
void test_heaps() {
  int wins = 0, losses = 0, draws = 0;
  for (int stones = 2; stones <= 12; ++stones) {
    for (const int reserve : {0, 1}) {
      for (int takes = 0; takes < 4; ++takes) {
        const Heap::State root{stones, reserve, takes};
        if (Heap::over(root)) continue;
        const int side = Heap::side(root);
        const double truth = Heap::solve(root, side);
        ++(truth > 0 ? wins : truth < 0 ? losses : draws);
        Rng rng(static_cast<std::uint64_t>(stones * 100 + takes));
        Minimax<Heap> full(12, [](auto, int, auto) { CHECK(false); });  // deep enough: no leaf is left to judge
        CHECK(full.search(root, rng).value == truth);
        Uct<Heap> uct(UctSettings<Heap>{.c = 1.0});
        const auto found = uct.search(root, Budget(4000, 0), rng);
        Heap::State next = root;
        Heap::play(next, found.candidates[found.best].move);
        CHECK(Heap::solve(next, side) == truth);
        CHECK(std::abs(found.value - truth) < 0.25);
        std::uint64_t visits = 0;
        for (const auto& candidate : found.candidates) visits += candidate.visits;
        CHECK(visits == 4000 && found.simulations == 4000);
      }
    }
  }
  CHECK(wins > 10 && losses > 3 && draws > 10);
}

void test_small_budgets_and_limits() {
  const Heap::State root{9, 0, 0};
  Rng rng(1);
  Uct<Heap> uct(UctSettings<Heap>{.max_nodes = 10});
  CHECK(uct.search(root, Budget(1, 0), rng).candidates.size() == 1);
  const auto limited = uct.search(root, Budget(1000, 0), rng);
  CHECK(limited.nodes <= 10 && limited.simulations == 1000);
  CHECK(uct.search(root, Budget(0, 0.01), rng).simulations > 10);
  int asked = 0;
  CHECK(uct.search(root, Budget(0, 0, [&] { return ++asked == 2; }), rng).simulations > 10 && asked == 2);
  const auto pure = pmc<Heap>(root, 50, {}, Budget(0, 0), rng);
  CHECK(pure.simulations == 100 && pure.candidates[0].visits == 50);
  // A depth of one asks the evaluator about every position after a move that ends nothing.
  Minimax<Heap> shallow(1, [](auto states, int, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].stones == 7 ? 0.5 : -0.5;
  });
  const auto seen = shallow.search(root, rng);
  CHECK(seen.candidates[seen.best].move == 2 && seen.value == 0.5 && seen.simulations == 2);
}

void test_commuting_moves_are_one_leaf() {
  // Taking 1 then 2 and 2 then 1 leave the same heap: three leaves at depth two, not four.
  Minimax<Heap> search(2, [](auto states, int, auto values) {
    CHECK(states.size() == 3);
    for (auto& value : values) value = 0;
  });
  Rng rng(1);
  CHECK(search.search(Heap::State{9, 0, 0}, rng).simulations == 3);
}

void test_pennies() {
  Rng rng(3);
  TurnMcts<Pennies> search({.candidates = 30, .rollout_levels = 4, .c = 0.35, .max_nodes = 1 << 20});
  const auto found = search.search({}, 0, Budget(2000, 0), rng);
  // The opponent answers each choice best, as it sees it: only the escape is not lost.
  CHECK(found.candidates[found.best].move == 2 && std::abs(found.value) < 0.2);
  CHECK(found.nodes <= 1u + 30 + 30 * 30);  // decided leaves are not expanded, and the search goes on
}

}  // namespace

void test_search() {
  test_logarithm();
  test_heaps();
  test_small_budgets_and_limits();
  test_commuting_moves_are_one_leaf();
  test_pennies();
}

}  // namespace sandtable::tests
