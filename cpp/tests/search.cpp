#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "conquest/game.h"
#include "core/logarithm.h"
#include "search/coevolution/coevolution.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/puct/self_play.h"
#include "search/turn_mcts/turn_mcts.h"
#include "search/uct/uct.h"
#include "tests/check.h"
#include "tests/toy.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

using namespace search;

static_assert(PolicyGame<Heap> && PolicyGame<tubstap::Game<tubstap::Small>>);
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
        Minimax<Heap> full(12, 1000, [](auto, int, auto) { CHECK(false); });  // deep enough: no leaf is left to judge
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

// A network that knows nothing: no move is likelier than another, and nobody is better off.
void know_nothing(Leaves<Heap>& leaves, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    leaves[i].priors.assign(leaves[i].moves.size(), 1.0f / static_cast<float>(leaves[i].moves.size()));
    leaves[i].value = 0;
  }
}

PolicyResult<int> search_heap(PolicyTree<Heap>& tree, Puct<Heap> rule, std::size_t batch, std::uint64_t simulations) {
  Rng rng(1);
  return search_tree<Heap>(tree, rule, batch, Budget(simulations, 0), rng, know_nothing, [&] { return most_visited(tree); });
}

PolicyResult<int> search_heap(PolicyTree<Heap>& tree, Gumbel<Heap> rule, std::size_t batch, std::uint64_t simulations) {
  Rng rng(1);
  rule.begin(static_cast<std::uint32_t>(simulations));
  return search_tree<Heap>(tree, rule, batch, Budget(simulations, 0), rng, know_nothing, [&] { return rule.best(tree, rng); });
}

void check_heap(const Heap::State& root, const PolicyResult<int>& found, std::uint64_t simulations, double within) {
  const int side = Heap::side(root);
  const double truth = Heap::solve(root, side);
  Heap::State next = root;
  Heap::play(next, found.candidates[found.best].move);
  CHECK(Heap::solve(next, side) == truth);
  CHECK(std::abs(found.value - truth) < within);
  std::uint64_t visits = 0;
  float priors = 0;
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    visits += found.candidates[i].visits;
    priors += found.priors[i];
  }
  CHECK(visits == simulations && found.simulations == simulations && priors == 1);
}

// The searches with a policy find the same values without any help from their network, alone and in batches.
void test_heaps_with_a_policy() {
  for (int stones = 2; stones <= 12; ++stones) {
    for (const int reserve : {0, 1}) {
      for (int takes = 0; takes < 4; ++takes) {
        const Heap::State root{stones, reserve, takes};
        if (Heap::over(root)) continue;
        for (const std::size_t batch : {1, 7}) {
          for (const double bonus : {0.0, 3.7}) {
            PolicyTree<Heap> tree(root);
            check_heap(root, search_heap(tree, Puct<Heap>({.attack_bonus = bonus}), batch, 3000), 3000, 0.25);
            PolicyTree<Heap> other(root);
            const Puct<Heap> from_parent({.attack_bonus = bonus, .from_parent = true});
            check_heap(root, search_heap(other, from_parent, batch, 3000), 3000, 0.25);
          }
          PolicyTree<Heap> tree(root);
          // Half of its simulations go to the worse of two moves: the value of the position is their mean.
          check_heap(root, search_heap(tree, Gumbel<Heap>({.drawn = false}), batch, 500), 500, 2);
        }
      }
    }
  }
}

// Self-play without noise plays heaps as they should be played.
void test_self_play_on_heaps() {
  for (int stones = 2; stones <= 12; ++stones) {
    for (const bool gumbel : {false, true}) {
      const Heap::State root{stones, 0, 0};
      SelfPlaySettings settings{.gumbel = gumbel, .puct = {}, .simulations = 1000};
      settings.temperature = settings.last_temperature = 0.01;
      SelfPlay<Heap> game(root, settings, Rng(3));
      Leaves<Heap> one(1, game.leaf());
      while (game.advance()) {
        std::swap(one[0], game.leaf());
        know_nothing(one, 1);
        std::swap(one[0], game.leaf());
        game.judged();
      }
      CHECK(Heap::over(game.state()) && Heap::value(game.state(), 0) == Heap::solve(root, 0));
      Heap::State state = root;
      for (const Decision& made : game.decisions()) {
        std::vector<int> moves;
        Heap::moves(state, moves);
        double sum = 0;
        for (const float share : made.policy) sum += share;
        CHECK(made.full && made.policy.size() == moves.size() && std::abs(sum - 1) < 1e-6);
        Heap::play(state, moves[made.move]);
      }
    }
  }
}

// A tree that is advanced knows of its new root what it knew of the node; also of one that was judged several times,
// because there was no room for its children, before it got them.
void test_a_tree_that_is_advanced() {
  const Heap::State root{12, 0, 0};
  for (const std::uint32_t max_nodes : {1u, 5u, 9u, 1000u}) {
    PolicyTree<Heap> tree(root, max_nodes);
    // Values that tell nodes apart.
    const auto judge = [](Leaves<Heap>& leaves, std::size_t n) {
      know_nothing(leaves, n);
      for (std::size_t i = 0; i < n; ++i) leaves[i].value = 0.03f * static_cast<float>(leaves[i].state.stones);
    };
    Rng rng(1);
    while (!Heap::over(tree.root())) {
      Puct<Heap> rule(PuctSettings{});
      search_tree<Heap>(tree, rule, 1, Budget(40, 0), rng, judge, [&] { return most_visited(tree); });
      CHECK(tree.size() <= std::max(max_nodes, 3u));
      const std::uint32_t child = most_visited(tree);
      Heap::State next = tree.root();
      Heap::play(next, tree.edge(child).move);
      const bool same_side = Heap::side(next) == tree.side();
      const auto before = tree.stat(child);
      tree.advance(child);
      const auto& after = tree.stat(PolicyTree<Heap>::kRoot);
      CHECK(after.visits == before.visits && after.children == before.children);
      if (!Heap::over(next)) CHECK(std::abs(after.sum - (same_side ? before.sum : -before.sum)) < 1e-9);
    }
  }
}

// Descents that nobody will judge are given up, and the tree is as it was.
void test_a_search_that_fails() {
  PolicyTree<Heap> tree({9, 0, 0});
  for (const std::uint64_t calls : {0, 1, 5}) {
    std::uint64_t left = calls;
    Puct<Heap> rule(PuctSettings{});
    Rng rng(1);
    bool failed = false;
    try {
      search_tree<Heap>(
          tree, rule, 4, Budget(100, 0), rng,
          [&](Leaves<Heap>& leaves, std::size_t n) {
            if (left-- == 0) throw std::runtime_error("the network is gone");
            know_nothing(leaves, n);
          },
          [&] { return most_visited(tree); });
    } catch (const std::runtime_error&) {
      failed = true;
    }
    CHECK(failed);
    for (std::uint32_t node = 0; node < tree.size(); ++node) CHECK(tree.stat(node).pending == 0);
  }
  CHECK(search_heap(tree, Puct<Heap>(PuctSettings{}), 4, 50).simulations == 50);
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
  Minimax<Heap> shallow(1, 1000, [](auto states, int, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].stones == 7 ? 0.5 : -0.5;
  });
  const auto seen = shallow.search(root, rng);
  CHECK(seen.candidates[seen.best].move == 2 && seen.value == 0.5 && seen.simulations == 2);
}

void test_commuting_moves_are_one_leaf() {
  // Taking 1 then 2 and 2 then 1 leave the same heap: three leaves at depth two, not four.
  Minimax<Heap> search(2, 1000, [](auto states, int, auto values) {
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

// Orders are six digits, and the value of a pair is the difference of their sums: the best has nines throughout.
struct Digits {
  struct State {
    double value = 0;
    bool resolved = false;
  };
  struct Orders {
    std::array<std::int32_t, 6> digit{};
  };
  static bool over(const State& s) { return s.resolved; }
  static double value(const State& s, int player) { return player == 0 ? s.value : -s.value; }
  static int sum(const Orders& o) {
    int total = 0;
    for (const int d : o.digit) total += d;
    return total;
  }
  static void sample(const State&, int, Rng& rng, Orders& o) {
    for (auto& d : o.digit) d = static_cast<std::int32_t>(rng.below(4));  // mutation alone brings more than 3
  }
  static void resolve(State& s, const Orders& a, const Orders& b, Rng&) { s = {(sum(a) - sum(b)) / 54.0, true}; }
  static int gene_count(const State&) { return 6; }
  static int random_gene(const State&, int, int, Rng& rng) { return static_cast<int>(rng.below(20)); }
  static void encode(const State&, const Orders& o, std::int32_t* genes) { std::copy(o.digit.begin(), o.digit.end(), genes); }
  static void decode(const State&, const std::int32_t* genes, Orders& o) { std::copy(genes, genes + 6, o.digit.begin()); }
  static void repair(const State&, int, std::int32_t* genes, Rng&) {
    for (int i = 0; i < 6; ++i) genes[i] = std::clamp(genes[i], 0, 9);
  }
};
static_assert(EvolvableGame<Digits>);

Result<Digits::Orders> evolve(const CoevolutionSettings& settings, std::uint64_t generations) {
  Coevolution<Digits> search(settings, [](auto states, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
  });
  Rng rng(1);
  return search.search({}, 0, Budget(generations, 0), rng);
}

void test_coevolution() {
  const auto sum = [](const Result<Digits::Orders>& found) { return Digits::sum(found.candidates[0].move); };
  const auto first = evolve({}, 1), last = evolve({}, 300);
  CHECK(sum(last) == 54 && sum(first) < 40);
  CHECK(last.simulations == 300 && last.candidates.size() == 30);
  for (const auto& candidate : last.candidates)
    for (const int digit : candidate.move.digit) CHECK(digit >= 0 && digit <= 9);  // repaired
  for (std::size_t i = 1; i < last.candidates.size(); ++i)
    CHECK(last.candidates[i - 1].value >= last.candidates[i].value);  // sorted
  // Without mutation crossover can only mix what was there; without elites the best are soon lost.
  CHECK(sum(evolve({.mutation = 0}, 300)) <= 18);
  CHECK(sum(evolve({.elites = 0, .mutation = 0}, 300)) < sum(evolve({.mutation = 0}, 300)));
}

// A root whose first choices decide the game at once must not stop the search: every iteration counts.
void test_decided_leaves() {
  Rng rng(3);
  TurnMcts<Pennies> search({.candidates = 10, .rollout_levels = 4, .c = 0.35, .max_nodes = 1 << 20});
  const auto found = search.search({}, 0, Budget(500, 0), rng);
  std::uint64_t visits = 0, tried = 0;
  for (const auto& candidate : found.candidates) {
    visits += candidate.visits;
    tried += candidate.visits > 1;
  }
  CHECK(visits == 500 * 10 && tried >= 5);
  // Taking both stones wins at once; the search must still know what taking one is worth.
  Uct<Heap> uct(UctSettings<Heap>{});
  const auto heap = uct.search({2, 0, 0}, Budget(300, 0), rng);
  CHECK(heap.candidates.size() == 2 && heap.candidates[1 - heap.best].visits > 5);
}

void test_levels_are_kept() {
  // A game that is decided after one turn: with two levels the search sees it, and a search that may not look is at 0.
  Rng rng(5);
  struct Slow {
    struct State {
      int turns = 0;
    };
    using Orders = int;
    static bool over(const State& s) { return s.turns >= 3; }
    static double value(const State&, int player) { return player == 0 ? 1 : -1; }
    static void sample(const State&, int, Rng&, Orders& orders) { orders = 0; }
    static void resolve(State& s, Orders, Orders, Rng&) { ++s.turns; }
  };
  TurnMcts<Slow> near({.candidates = 3, .rollout_levels = 4}), far({.candidates = 3, .rollout_levels = 6});
  CHECK(near.search({}, 0, Budget(200, 0), rng).value == 0);
  CHECK(far.search({}, 0, Budget(200, 0), rng).value == 1);
}

}  // namespace

void test_search() {
  test_coevolution();
  test_decided_leaves();
  test_levels_are_kept();
  test_logarithm();
  test_heaps();
  test_heaps_with_a_policy();
  test_self_play_on_heaps();
  test_a_tree_that_is_advanced();
  test_a_search_that_fails();
  test_small_budgets_and_limits();
  test_commuting_moves_are_one_leaf();
  test_pennies();
}

}  // namespace sandtable::tests
