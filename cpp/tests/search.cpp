#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "conquest/game.h"
#include "conquest/orders.h"
#include "conquest/proposals.h"
#include "search/coevolution/coevolution.h"
#include "search/equilibrium/equilibrium.h"
#include "search/listed_game.h"
#include "search/minimax/minimax.h"
#include "search/pmc/pmc.h"
#include "search/puct/self_play.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/turn_mcts/guided_mcts.h"
#include "search/turn_mcts/turn_mcts.h"
#include "search/uct/uct.h"
#include "tests/check.h"
#include "tests/toy.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

using namespace search;

static_assert(PolicyGame<Heap> && PolicyGame<tubstap::Game<tubstap::Small>>);
static_assert(HashedGame<Matrices> && HashedGame<conquest::Game<conquest::Small>>);
static_assert(SimultaneousGame<Pennies> && EvolvableGame<conquest::Game<conquest::Large>>);

// A heap as a listed game, which counts how often it lists moves.
struct HeapPosition {
  using List = std::vector<int>;

  Heap::State heap;
  int* listings;

  bool over() const { return Heap::over(heap); }
  int side() const { return Heap::side(heap); }
  double value(int side) const { return Heap::value(heap, side); }
  double estimate(int) const { return 0; }
  std::uint64_t hash() const { return Heap::hash(heap); }
  List moves() const {
    ++*listings;
    List all;
    Heap::moves(heap, all);
    return all;
  }
  List candidates(int) const { return heap.stones == 13 ? List() : List{1, 2}; }
  void play(int move) { Heap::play(heap, move); }
  void resolve(int move0, int move1, std::uint32_t) { play(move0), play(move1); }
};

void test_listed_games() {
  struct Kind {
    int other = 0;
    bool operator==(const Kind&) const = default;
  };
  using Listed = ListedGame<HeapPosition, Kind>;
  static_assert(SequentialGame<Listed> && HashedGame<Listed>);
  int listings = 0;
  const Listed::State root(HeapPosition{{7, 0, 0}, &listings});
  Listed::State copy = root;
  CHECK(root.moves().size() == 2 && root.moves().size() == 2 && listings == 1);
  copy = root;
  CHECK(copy.moves().size() == 2 && listings == 1);
  Listed::play(copy, {1});
  CHECK(copy.moves().size() == 2 && listings == 2 && copy.position.heap.stones == 5 && root.position.heap.stones == 7);
  Rng rng(1);
  Listed::playout(copy, {}, rng);
  CHECK(Listed::over(copy) && Listed::result(copy, 0, {}) == -Listed::value(copy, 1));

  const double truth = Heap::solve(root.position.heap, 0);
  CHECK(minimax<Listed>(root, {12, 1000}, {}, &Listed::estimate).value == truth);
  UctSettings<Kind> settings{.c = 1.0};
  CHECK(std::abs(uct<Listed>(root, settings, {}).value - truth) < 0.25);
  settings.playout.other = 1;
  CHECK(refused([&] { uct<Listed>(root, settings, {}); }) && refused([&] { pmc<Listed>(root, {.playout = {1}}, {}); }));
  const auto turn = simultaneous<Listed, DecoupledUct>(root, 1, {.simulations = 50}, {});
  CHECK(turn.strategies[0].size() == 2 && turn.found.simulations == 50);
  const Listed::State stuck(HeapPosition{{13, 0, 0}, &listings});
  CHECK(refused([&] { stuck.moves(1); }));
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
        Minimax<Heap> full({12, 1000}, [](auto, int, auto) { CHECK(false); });  // deep enough: no leaf is left to evaluate
        CHECK(full.search(root, rng).value == truth);
        Uct<Heap> uct(Uct<Heap>::Settings{.c = 1.0});
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

// A network that knows nothing: all moves are equally likely, and all values are 0.
void know_nothing(Leaves<Heap>& leaves, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    leaves[i].priors.assign(leaves[i].moves.size(), 1.0f / static_cast<float>(leaves[i].moves.size()));
    leaves[i].value = 0;
  }
}

Result<int> search_heap(PolicyTree<Heap>& tree, Puct<Heap> rule, std::size_t batch, std::uint64_t simulations) {
  Rng rng(1);
  return search_tree<Heap>(tree, rule, batch, Budget(simulations, 0), rng, know_nothing, [&] { return most_visited(tree); });
}

Result<int> search_heap(PolicyTree<Heap>& tree, Gumbel<Heap> rule, std::size_t batch, std::uint64_t simulations) {
  Rng rng(1);
  rule.begin(static_cast<std::uint32_t>(simulations));
  return search_tree<Heap>(tree, rule, batch, Budget(simulations, 0), rng, know_nothing, [&] { return rule.best(tree, rng); });
}

void check_heap(const Heap::State& root, const Result<int>& found, std::uint64_t simulations, double within) {
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
    priors += static_cast<float>(*found.candidates[i].prior);
  }
  CHECK(visits == simulations && found.simulations == simulations && priors == 1);
}

// The searches with a policy find the same values without any help from their network, one leaf at a time and in batches.
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
            const Puct<Heap> from_parent({.attack_bonus = bonus, .unvisited = Unvisited::kParent});
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

// Self-play without noise plays heaps perfectly.
void test_self_play_on_heaps() {
  for (int stones = 2; stones <= 12; ++stones) {
    for (const bool gumbel : {false, true}) {
      const Heap::State root{stones, 0, 0};
      SelfPlaySettings settings{.root = gumbel ? RootRule::kGumbel : RootRule::kPuct, .simulations = 1000, .selection = {}};
      settings.temperature = settings.last_temperature = 0.01;
      SelfPlay<Heap> game(root, settings, Rng(3));
      Leaves<Heap> one(1, game.leaf());
      while (game.advance()) {
        std::swap(one[0], game.leaf());
        know_nothing(one, 1);
        std::swap(one[0], game.leaf());
        game.resume();
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

// An advanced tree keeps for its new root the statistics of that node, even if the node was evaluated several times
// before it got its children, because there was no room for them.
void test_a_tree_that_is_advanced() {
  const Heap::State root{12, 0, 0};
  for (const std::uint32_t max_nodes : {1u, 5u, 9u, 1000u}) {
    PolicyTree<Heap> tree(root, max_nodes);
    // Values that differ from node to node.
    const auto evaluate = [](Leaves<Heap>& leaves, std::size_t n) {
      know_nothing(leaves, n);
      for (std::size_t i = 0; i < n; ++i) leaves[i].value = 0.03f * static_cast<float>(leaves[i].state.stones);
    };
    Rng rng(1);
    while (!Heap::over(tree.root())) {
      Puct<Heap> rule(SelectionSettings{});
      search_tree<Heap>(tree, rule, 1, Budget(40, 0), rng, evaluate, [&] { return most_visited(tree); });
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

// If the network fails, its descents are given up, and no visit of the tree is left pending.
void test_a_search_that_fails() {
  PolicyTree<Heap> tree({9, 0, 0});
  for (const std::uint64_t calls : {0, 1, 5}) {
    std::uint64_t left = calls;
    Puct<Heap> rule(SelectionSettings{});
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
  CHECK(search_heap(tree, Puct<Heap>(SelectionSettings{}), 4, 50).simulations == 50);
}

void test_small_budgets_and_limits() {
  const Heap::State root{9, 0, 0};
  Rng rng(1);
  Uct<Heap> uct(Uct<Heap>::Settings{.max_nodes = 10});
  CHECK(uct.search(root, Budget(1, 0), rng).candidates.size() == 1);
  const auto limited = uct.search(root, Budget(1000, 0), rng);
  CHECK(limited.nodes <= 10 && limited.simulations == 1000);
  TurnMcts<Pennies> narrow({.tree = {.candidates = 5, .max_nodes = 1}, .rollout_levels = 4});  // the root's children are made
  const auto children = narrow.search({}, 0, Budget(20, 0), rng);
  CHECK(children.nodes == 6 && children.candidates.size() == 5 && children.simulations == 20);
  CHECK(uct.search(root, Budget(0, 0.01), rng).simulations > 10);
  int asked = 0;
  CHECK(uct.search(root, Budget(0, 0, [&] { return ++asked == 2; }), rng).simulations > 10 && asked == 2);
  const auto pure = pmc<Heap>(root, {.playouts = 50}, Budget(0, 0), rng);
  CHECK(pure.simulations == 100 && pure.candidates[0].visits == 50);
  // With a depth of one, the evaluator is asked about every position after a move that does not end the game.
  Minimax<Heap> shallow({1, 1000}, [](auto states, int, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].stones == 7 ? 0.5 : -0.5;
  });
  const auto found_shallow = shallow.search(root, rng);
  CHECK(found_shallow.candidates[found_shallow.best].move == 2 && found_shallow.value == 0.5 && found_shallow.simulations == 2);
}

void test_commuting_moves_are_one_leaf() {
  // Taking 1 then 2 and 2 then 1 leave the same heap: three leaves at depth two, not four.
  Minimax<Heap> search({2, 1000}, [](auto states, int, auto values) {
    CHECK(states.size() == 3);
    for (auto& value : values) value = 0;
  });
  Rng rng(1);
  CHECK(search.search(Heap::State{9, 0, 0}, rng).simulations == 3);
}

void test_pennies() {
  Rng rng(3);
  TurnMcts<Pennies> search({.tree = {.candidates = 30, .max_nodes = 1 << 20}, .rollout_levels = 4});
  const auto found = search.search({}, 0, Budget(2000, 0), rng);
  // The opponent sees each choice and answers it best: only the escape does not lose.
  CHECK(found.candidates[found.best].move == 2 && std::abs(found.value) < 0.2);
  CHECK(found.nodes <= 1u + 30 + 30 * 30);  // decided leaves are not expanded, and the search goes on
}

// Candidates of both players may be given for the root's turn; if they are too few, the rest are sampled.
void test_given_candidates() {
  Rng rng(3);
  const MovesOfBoth<int> one_reply{std::vector<int>{0, 1}, std::vector<int>{0, 0, 0}};
  TurnMcts<Pennies> vanilla({.tree = {.candidates = 3}, .rollout_levels = 4});
  GuidedMcts<Pennies> guided({.tree = {.candidates = 3}}, [&](auto questions, auto values, auto logits) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      values[i] = 0;
      for (std::size_t k = 0; k < questions[i].moves.size(); ++k) {
        const auto& known = one_reply[static_cast<std::size_t>(questions[i].player)];
        CHECK(k % 3 >= known.size() || questions[i].moves[k] == known[k % 3]);
      }
    }
    std::fill(logits.begin(), logits.end(), 0.0);
  });
  for (const auto& found : {vanilla.search({}, 0, Budget(300, 0), rng, &one_reply),
                            guided.search({}, 0, Budget(300, 0), rng, &one_reply)}) {
    CHECK(found.candidates.size() == 3 && found.candidates[0].move == 0 && found.candidates[1].move == 1);
    CHECK(found.candidates[found.best].move == 0 && found.value > 0.8);  // no given reply beats it
  }
  const MovesOfBoth<int> mirrored{one_reply[1], std::vector<int>{1}};
  const auto found = vanilla.search({}, 1, Budget(300, 0), rng, &mirrored);
  CHECK(found.candidates[0].move == 1 && found.candidates[0].value > 0.8);
}

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
  // Without mutation, crossover can only mix what is there; without elites the best are soon lost.
  CHECK(sum(evolve({.mutation = 0}, 300)) <= 18);
  CHECK(sum(evolve({.populations = {.elites = 0}, .mutation = 0}, 300)) < sum(evolve({.mutation = 0}, 300)));
}

// After the first comparison there is time for one more, but a generation needs two, so these share the time. Batches
// end at fixed times, so that delays on a busy machine do not add up.
void test_coevolution_shares_what_time_is_left() {
  using Clock = std::chrono::steady_clock;
  std::size_t evaluated = 0;
  auto end = Clock::now();
  Coevolution<Digits> search({}, [&](auto states, auto values) {
    end += std::chrono::milliseconds(20);  // one of the eight batches of a comparison
    std::this_thread::sleep_until(end);
    evaluated += states.size();
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
  });
  Rng rng(1);
  const auto found = search.search({}, 0, Budget(0, 0.44), rng);
  CHECK(found.simulations == 1);
  CHECK(evaluated >= 900 + 4 * 128 && evaluated < 3 * 900);
}

// The evaluator chooses the first population. As all individuals are elites, it is also the last.
void test_coevolution_from_sampled_moves() {
  const auto last_of = [](int sampled) {
    int asked = 0;
    Coevolution<Digits> search({.populations = {.population = 10, .elites = 10, .sampled = sampled}},
                               [](auto states, auto values) {
                                 for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
                               },
                               [&](auto questions, auto, auto logits) {
                                 CHECK(questions.size() == 1 && questions[0].player == asked++);
                                 CHECK(questions[0].moves.size() == 90 && logits.size() == 90);
                                 for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = Digits::sum(questions[0].moves[i]);
                               });
    Rng rng(4);
    const auto found = search.search({}, 1, Budget(1, 0), rng);
    CHECK(asked == (sampled ? 2 : 0));
    int least = 100;
    for (const auto& candidate : found.candidates) least = std::min(least, Digits::sum(candidate.move));
    return least;
  };
  CHECK(last_of(90) >= 11 && last_of(0) < 9);  // sums of six digits from 0 to 3: of the best ninth, or of any
}

// Copies bring nothing new: the best individual is the best of the first population.
void test_partial_crossover() {
  const auto sum = [](const CoevolutionSettings& settings, std::uint64_t generations) {
    return Digits::sum(evolve(settings, generations).candidates[0].move);
  };
  const int first = sum({.populations = {.elites = 30}, .mutation = 0}, 1);
  CHECK(sum({.mutation = 0, .crossover = 0}, 100) == first);
  CHECK(sum({.mutation = 0, .crossover = 0.5}, 100) >= first && sum({.crossover = 0.5}, 300) > first + 9);
}

// A game of two turns: a digit is paid in the first turn, and another is paid twice in the second turn; their sum is at
// most nine.
struct Saving {
  struct State {
    int turns = 0;
    std::array<int, 2> first{}, paid{};
  };
  using Orders = int;
  static bool over(const State& s) { return s.turns >= 2; }
  static double value(const State& s, int player) { return (s.paid[player] - s.paid[1 - player]) / 18.0; }
  static int most(const State& s, int player) { return 9 - s.first[player]; }
  static void sample(const State& s, int player, Rng& rng, Orders& o) {
    o = static_cast<int>(rng.below(static_cast<std::uint32_t>(most(s, player) + 1)));
  }
  static void resolve(State& s, Orders a, Orders b, Rng&) {
    const Orders orders[2] = {a, b};
    for (int player = 0; player < 2; ++player) {
      CHECK(orders[player] >= 0 && orders[player] <= most(s, player));
      if (s.turns == 0) s.first[player] = orders[player];
      s.paid[player] += (1 + s.turns) * orders[player];
    }
    ++s.turns;
  }
  static int gene_count(const State&) { return 1; }
  static int random_gene(const State& s, int player, int gene, Rng& rng) {
    CHECK(gene == 0);
    return static_cast<int>(rng.below(static_cast<std::uint32_t>(most(s, player) + 1)));
  }
  static void encode(const State&, const Orders& o, std::int32_t* genes) { *genes = o; }
  static void decode(const State&, const std::int32_t* genes, Orders& o) { o = *genes; }
  static void repair(const State& s, int player, std::int32_t* genes, Rng&) { *genes = std::clamp(*genes, 0, most(s, player)); }
  static void adapt(const State& s, int player, std::int32_t* genes, Rng& rng, Orders& o) {
    repair(s, player, genes, rng);
    o = *genes;
  }
};
static_assert(EvolvableGame<Saving>);

// A horizon of one turn takes everything at once; a longer one saves. A game that is over has no further turns.
void test_plans() {
  for (const int horizon : {1, 2, 5}) {
    Coevolution<Saving> search({.mutation = 0.5, .gene_mutation = 0.5, .horizon = horizon}, [&](auto states, auto values) {
      for (std::size_t i = 0; i < states.size(); ++i) {
        CHECK(states[i].turns == std::min(horizon, 2));
        values[i] = Saving::value(states[i], 0);
      }
    });
    Rng rng(2);
    const auto found = search.search({}, 1, Budget(200, 0), rng);
    CHECK(search.moves(1).size() == 30 && search.moves(1)[0] == found.candidates[0].move);
    for (int player = 0; player < 2; ++player) {
      const int first = search.moves(player)[0];
      CHECK(horizon == 1 ? first == 9 : first <= 3);  // early elites stay, so the best need not be found
    }
  }
}

// Given moves come first in a first population. As all individuals are elites, it is also the last.
void test_coevolution_of_given_moves() {
  Coevolution<Digits> search({.populations = {.population = 10, .elites = 10}}, [](auto states, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
  });
  Rng rng(4);
  MovesOfBoth<Digits::Orders> given{};
  given[1].assign(3, {{9, 9, 9, 9, 9, 9}});
  given[0].assign(20, {{4, 4, 4, 4, 4, 4}});
  const auto found = search.search({}, 1, Budget(1, 0), rng, &given);
  for (std::size_t i = 0; i < 10; ++i) CHECK((Digits::sum(found.candidates[i].move) == 54) == (i < 3));
  for (const auto& orders : search.moves(0)) CHECK(Digits::sum(orders) == 24);
}

// When time is up, all individuals have been paired with equally many opponents, at least one.
void test_coevolution_when_time_is_up() {
  std::size_t evaluated = 0;
  Coevolution<Digits> search({.populations = {.population = 8, .batch = 16}}, [&](auto states, auto values) {
    evaluated += states.size();
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = states[i].value;
  });
  Rng rng(4);
  const auto found = search.search({}, 0, Budget(100, 1e-9), rng);
  CHECK(evaluated == 16 && found.simulations == 0 && found.candidates.size() == 8);
  for (std::size_t i = 1; i < 8; ++i) CHECK(found.candidates[i - 1].value >= found.candidates[i].value);
  // Each has been paired with two: its value is its own sum minus the mean of theirs.
  for (const auto& candidate : found.candidates)
    CHECK(std::abs(candidate.value - Digits::sum(candidate.move) / 54.0) < 18 / 54.0);
}

// A game of three turns that is always a draw; orders are numbers.
struct Digit {
  struct State {
    int turns = 0;
    int first = -1;  // the first orders of player 0
  };
  using Orders = int;
  static bool over(const State& s) { return s.turns >= 3; }
  static double value(const State&, int) { return 0; }
  static void sample(const State&, int, Rng& rng, Orders& orders) { orders = static_cast<int>(rng.below(1000)); }
  static void resolve(State& s, Orders a, Orders, Rng&) {
    if (s.turns++ == 0) s.first = a;
  }
};

struct Asking {
  std::size_t calls = 0, questions = 0, moves = 0;
  double logit_of_digit = 0;
  double value = 0;  // of every position for player 0

  TurnEvaluator<Digit> evaluator() {
    return [this](auto asked, auto values, auto logits) {
      ++calls;
      questions += asked.size();
      moves += logits.size();
      std::size_t k = 0;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        CHECK(!Digit::over(*asked[i].state));
        values[i] = asked[i].player == 0 ? value : -value;
        for (const int digit : asked[i].moves) logits[k++] = logit_of_digit * digit;
      }
      CHECK(k == logits.size());
    };
  }
};

void test_guided_questions() {
  // The calls are about the root's candidates; the root's children, which are one position; and the replies to one child.
  for (std::uint64_t iterations = 1; iterations <= 3; ++iterations) {
    Asking asking;
    GuidedMcts<Digit> search({.tree = {.candidates = 5}}, asking.evaluator());
    Rng rng(1);
    const auto found = search.search({}, 0, Budget(iterations, 0), rng);
    CHECK(asking.calls == 1 + iterations);
    CHECK(asking.questions == 2 + 5 * (iterations - 1));
    CHECK(asking.moves == 5 + 25 * iterations);
    CHECK(found.nodes == 1 + asking.moves);
    std::uint64_t visits = 0;
    for (const auto& candidate : found.candidates) visits += candidate.visits;
    CHECK(visits == 5 * iterations && found.simulations == iterations);
  }
}

void test_guided_values() {
  for (const int player : {0, 1}) {
    Asking asking{.value = 0.5};
    GuidedMcts<Digit> search({.tree = {.candidates = 5}}, asking.evaluator());
    Rng rng(2);
    const auto found = search.search({}, player, Budget(20, 0), rng);
    CHECK(std::abs(found.value - (player == 0 ? 0.5 : -0.5)) < 1e-12);
  }
  // Decided games count by their result: here a draw, at the third turn.
  Asking asking{.value = 0.5};
  GuidedMcts<Digit> search({.tree = {.candidates = 2, .c = 1}}, asking.evaluator());
  Rng rng(2);
  CHECK(search.search({}, 0, Budget(3000, 0), rng).value < 0.1);
}

void test_guided_priors() {
  const auto shares = [](double trust, bool root_prior) {
    Asking asking{.logit_of_digit = 0.02};
    GuidedMcts<Digit> search({.tree = {.candidates = 8, .c = 1}, .trust = trust, .root_prior = root_prior}, asking.evaluator());
    Rng rng(3);
    const auto found = search.search({}, 0, Budget(400, 0), rng);
    for (const auto& candidate : found.candidates) CHECK(candidate.prior.has_value() == root_prior);
    std::vector<std::pair<int, double>> all;
    for (const auto& candidate : found.candidates) all.emplace_back(candidate.move, static_cast<double>(candidate.visits) / (8 * 400));
    std::sort(all.begin(), all.end());
    return all;
  };
  // All values are equal, so visits follow the squares of the factors, and the factors follow the priors.
  const auto trusted = shares(1, true), half = shares(0.5, true), distrusted = shares(0, true), rootless = shares(1, false);
  for (std::size_t i = 1; i < 8; ++i) CHECK(trusted[i].second >= trusted[i - 1].second);
  CHECK(trusted[7].second > 0.5 && trusted[0].second < 0.02);
  CHECK(half[7].second < trusted[7].second && half[0].second > trusted[0].second);
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::abs(distrusted[i].second - 0.125) < 0.02 && std::abs(rootless[i].second - 0.125) < 0.02);
}

void test_guided_limits() {
  Asking asking;
  GuidedMcts<Digit> search({.tree = {.candidates = 4, .max_nodes = 50}}, asking.evaluator());
  Rng rng(1);
  const auto found = search.search({}, 0, Budget(300, 0), rng);
  std::uint64_t visits = 0;
  for (const auto& candidate : found.candidates) visits += candidate.visits;
  CHECK(found.nodes <= 50 && found.simulations == 300 && visits == 4 * 300);
}

// The authors' bug: a search that reaches a decided leaf ends.
void test_stalling() {
  Rng rng(3);
  TurnMcts<Pennies> vanilla({.tree = {.candidates = 10, .stall = true}, .rollout_levels = 4});
  CHECK(vanilla.search({}, 0, Budget(500, 0), rng).simulations < 20);
  Asking asking;
  GuidedMcts<Digit> stalled({.tree = {.candidates = 3, .stall = true}}, asking.evaluator()), sound({.tree = {.candidates = 3}}, asking.evaluator());
  CHECK(sound.search({}, 0, Budget(5000, 0), rng).simulations == 5000);
  const auto found = stalled.search({}, 0, Budget(5000, 0), rng);
  std::uint64_t visits = 0;
  for (const auto& candidate : found.candidates) visits += candidate.visits;
  CHECK(found.simulations < 5000 && visits == 3 * found.simulations);
}

using Matrix = Matrices::Matrix;

Matrix matrix(int columns, std::initializer_list<double> payoffs) {
  Matrix made{columns, {}};
  for (const double pays : payoffs) made.entries.push_back({pays});
  return made;
}

// The value of both strategies of a search of the first matrix: against each other, and against best responses.
struct Worth {
  double value = 0, least = 1, most = -1;
};

template <class Rule>
Worth worth(const std::vector<Matrix>& game, const std::vector<double>& payoffs, std::uint64_t simulations,
            const typename Rule::Settings& rule = {}, int batch = 1) {
  TurnEvaluator<Matrices> evaluator;  // for batches; it is never asked, since every game is decided
  if (batch > 1) evaluator = [](auto, auto values, auto) { std::fill(values.begin(), values.end(), 0.0); };
  Simultaneous<Matrices, Rule> search({.candidates = 60, .batch = batch, .rule = rule}, evaluator);
  Rng rng(11);
  const auto found = search.search({&game}, 0, Budget(simulations, 0), rng);
  CHECK(found.simulations == simulations);
  // Candidates are sampled at random, without duplicates; this puts them back into the order of the matrix.
  const int columns = game[0].columns, rows = static_cast<int>(game[0].entries.size()) / columns;
  CHECK(static_cast<int>(found.candidates.size()) == rows);
  std::vector<double> own(static_cast<std::size_t>(rows)), other = search.strategy(1);
  double sum = 0;
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    own[static_cast<std::size_t>(found.candidates[i].move)] = search.strategy(0)[i];
    sum += search.strategy(0)[i];
  }
  CHECK(std::abs(sum - 1) < 1e-9);
  Simultaneous<Matrices, Rule> mirrored({.candidates = 60, .batch = batch, .rule = rule}, evaluator);
  Rng again(11);
  const auto theirs = mirrored.search({&game}, 1, Budget(simulations, 0), again);
  std::vector<double> reply(static_cast<std::size_t>(columns));
  for (std::size_t j = 0; j < theirs.candidates.size(); ++j) reply[static_cast<std::size_t>(theirs.candidates[j].move)] = other[j];
  Worth out;
  for (int i = 0; i < rows; ++i) {
    double answer = 0;
    for (int j = 0; j < columns; ++j) {
      const double pays = payoffs[static_cast<std::size_t>(i * columns + j)];
      answer += reply[static_cast<std::size_t>(j)] * pays;
      out.value += own[static_cast<std::size_t>(i)] * reply[static_cast<std::size_t>(j)] * pays;
    }
    out.most = std::max(out.most, answer);
  }
  for (int j = 0; j < columns; ++j) {
    double answer = 0;
    for (int i = 0; i < rows; ++i) answer += own[static_cast<std::size_t>(i)] * payoffs[static_cast<std::size_t>(i * columns + j)];
    out.least = std::min(out.least, answer);
  }
  return out;
}

struct Solved {
  std::vector<double> payoffs;
  int columns;
  double value;
};

// Games with their values: known ones, and others solved by hand.
const Solved kSolved[] = {
    {{0, -1, 1, 1, 0, -1, -1, 1, 0}, 3, 0},                // rock, paper, scissors
    {{0, -0.5, 1, 0.5, 0, -0.2, -1, 0.2, 0}, 3, 0},        // of different worth: 2 : 10 : 5 in 17
    {{1, -1, -1, 1}, 2, 0},                                // matching pennies
    {{0.6, -0.2, -0.4, 0.8}, 2, 0.2},                      // (0.6 * 0.8 - 0.2 * 0.4) / (0.6 + 0.8 + 0.2 + 0.4)
    {{0.3, -0.1, 0.2, 0.9, -0.5, -0.7, 0.1, -0.3, -0.2}, 3, -0.1},  // a saddle: row 0, column 1
    {{-0.5, 0.5, 0.1, 0.5, -0.5, 0.4}, 3, 0},              // the third column is never played
};

void test_equilibria() {
  for (const auto& [payoffs, columns, value] : kSolved) {
    Matrix made{columns, {}};
    for (const double pays : payoffs) made.entries.push_back({pays});
    const std::vector<Matrix> game{made};
    for (const int batch : {1, 8}) {
      const Worth regret = worth<RegretMatching>(game, payoffs, 20000, {}, batch);
      CHECK(std::abs(regret.value - value) < 0.02);
      CHECK(regret.least > value - 0.03 && regret.most < value + 0.03);
      // Decoupled bandits come near the value, but can be exploited.
      const Worth duct = worth<DecoupledUct>(game, payoffs, 20000, {}, batch);
      CHECK(std::abs(duct.value - value) < 0.05);
    }
  }
}

// The same games, solved as whole matrices.
void test_matrix_games() {
  for (const auto& [payoffs, columns, value] : kSolved) {
    const MatrixGame game{payoffs.size() / static_cast<std::size_t>(columns), static_cast<std::size_t>(columns), payoffs};
    const Equilibrium found = solve(game, 2000);
    CHECK(std::abs(found.value - value) < 0.005);
    CHECK(found.exploitability >= -1e-12 && found.exploitability < 0.01);
    // With `least` 1 only the likeliest moves are left, each as likely as the others.
    const Equilibrium likeliest = solve(game, 2000, 1);
    for (const auto& mixed : likeliest.mixed) {
      const double most = *std::max_element(mixed.begin(), mixed.end());
      const auto number = static_cast<double>(std::count(mixed.begin(), mixed.end(), most));
      CHECK(std::abs(most * number - 1) < 1e-9);
    }
  }
}

// Turns of Conquest on maps of both sizes, with moves proposed by random policies, and positions evaluated by share_value().
template <class Size>
void solve_turns(int territories) {
  conquest::Setup setup;
  setup.territories = territories;
  for (int t = 1; t < territories; ++t) setup.edges.emplace_back(t / 2, t);
  for (int t = 0; t + 3 < territories; t += 3) setup.bonuses.push_back({2, {t, t + 1, t + 2}});
  const conquest::Land<Size> land(setup);
  using Game = conquest::Game<Size>;
  using Proposals = conquest::Proposals<Size>;
  static_assert(FirstMoverGame<Game> && Proposing<Proposals, conquest::Orders>);
  std::size_t evaluated = 0;
  const PairEvaluator<Game> evaluate = [&](auto states, auto values) {
    for (std::size_t i = 0; i < states.size(); ++i) values[i] = conquest::share_value(states[i], 0);
    evaluated += states.size();
  };
  Rng rng(static_cast<std::uint64_t>(territories));
  typename Game::State state(land);
  random_start(state, rng);
  for (int turn = 0; turn < 12 && !state.over(); ++turn) {
    const auto n = static_cast<std::size_t>(territories);
    std::vector<float> logits(n + n * n);
    for (float& logit : logits) logit = static_cast<float>(6 * rng.uniform() - 3);
    const std::span<const float> all(logits);
    const auto propose = [&](std::span<const typename Game::State> states) {
      const auto of = [&](const auto& at, int player) { return Proposals(at, player, all.first(n), all.subspan(n), 0.1); };
      std::vector<std::array<Proposals, 2>> out;
      for (const auto& at : states) out.push_back({of(at, 0), of(at, 1)});
      return out;
    };
    evaluated = 0;
    EquilibriumSearch<Game, Proposals> search(
        {.candidates = 6, .fresh = 8, .most = 9, .least = 0, .deepened = 2 * (turn % 2), .below = 3}, evaluate, propose);
    const auto found = search.search(state, Budget(5, 0), rng);
    CHECK(found.states == evaluated && found.rounds == 4 && found.exploitability < 0.1);
    for (int player = 0; player < 2; ++player) {
      const auto& own = found.players[player];
      double sum = 0;
      for (const double share : own.shares) sum += share;
      CHECK(own.moves.size() <= 9 && std::abs(sum - 1) < 1e-9);
      for (const auto& orders : own.moves) CHECK(conquest::illegal(state, player, orders).empty());
    }
    state.resolve(found.players[0].moves[found.players[0].best], found.players[1].moves[found.players[1].best], turn % 2, rng);
  }
}

// The value of a pair that leads to another turn is known only after a search, and that of a chance outcome only on average.
void test_equilibria_of_later_turns() {
  // Matching pennies: equal choices lead to a game worth 0.2, different ones to a game worth -0.2.
  std::vector<Matrix> game{{2, {{0, 1}, {0, 2}, {0, 2}, {0, 1}}}, matrix(2, {0.6, -0.2, -0.4, 0.8}), matrix(2, {-0.6, 0.4, 0.2, -0.8})};
  const Worth later = worth<RegretMatching>(game, {0.2, -0.2, -0.2, 0.2}, 40000);
  CHECK(std::abs(later.value) < 0.02 && later.least > -0.03 && later.most < 0.03);
  // In two of the four pairs a coin is tossed: their average payoff counts.
  game = {{2, {{1, -1, 0.2}, {-0.2}, {-0.4}, {0.6, -1, 1}}}};
  const Worth tossed = worth<RegretMatching>(game, {0.6, -0.2, -0.4, 0.8}, 40000);
  CHECK(std::abs(tossed.value - 0.2) < 0.02 && tossed.least > 0.17 && tossed.most < 0.23);
}

void test_simultaneous_limits() {
  const std::vector<Matrix> game{{2, {{0, 1}, {0, 2}, {0, 2}, {0, 1}}}, matrix(2, {0.6, -0.2, -0.4, 0.8}), matrix(2, {-0.6, 0.4, 0.2, -0.8})};
  // With a depth of one turn, every pair is evaluated from the perspectives of both players.
  std::size_t asked = 0;
  const TurnEvaluator<Matrices> evaluate = [&](auto questions, auto values, auto) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      CHECK(questions[i].player == static_cast<int>(i % 2) && questions[i].moves.empty());
      values[i] = questions[i].player == 0 ? 0.5 : -0.3;
    }
    asked += questions.size();
  };
  Simultaneous<Matrices, RegretMatching> shallow({.candidates = 8, .depth = 1, .batch = 4}, evaluate);
  Rng rng(1);
  const auto found = shallow.search({&game}, 0, Budget(102, 0), rng);
  CHECK(asked == 204 && found.nodes == 1 && found.simulations == 102 && std::abs(found.value - 0.4) < 1e-6);
  Simultaneous<Matrices, DecoupledUct> narrow({.candidates = 8, .max_nodes = 2});
  CHECK(narrow.search({&game}, 1, Budget(500, 0), rng).nodes == 2);
  // Candidates may be given, and a player whose strategy is not mixed plays the most likely one.
  const std::array<std::vector<int>, 2> given{std::vector<int>{1}, std::vector<int>{0, 1}};
  Simultaneous<Matrices, RegretMatching> fixed({.rule = {.mixed = false}});
  const std::vector<Matrix> saddle{matrix(2, {1, 1, -0.5, 0.5})};
  const auto reply = fixed.search({&saddle}, 1, Budget(400, 0), rng, &given);
  CHECK(reply.candidates.size() == 2 && reply.candidates[reply.best].move == 0 && std::abs(reply.value - 0.5) < 0.05);
}

// The evaluator draws a few of many sampled moves; greater logits make a move likelier.
void test_candidates_by_policy() {
  const auto share = [](double logit) {
    const TurnEvaluator<Matrices> evaluate = [&](auto questions, auto values, auto logits) {
      std::fill(values.begin(), values.end(), 0.0);
      std::size_t k = 0;
      for (const auto& question : questions)
        for (const int move : question.moves) logits[k++] = logit * move;
    };
    const std::vector<Matrix> game{{10, std::vector<Matrices::Entry>(100)}};
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Simultaneous<Matrices, DecoupledUct> search({.candidates = 2, .sampled = 200, .batch = 1}, evaluate);
      Rng rng(seed);
      const auto found = search.search({&game}, 0, Budget(1, 0), rng);
      CHECK(found.candidates.size() == 2 && found.candidates[0].move != found.candidates[1].move);
      for (const auto& candidate : found.candidates) mean += candidate.move / 400.0;
    }
    return mean;
  };
  CHECK(std::abs(share(0) - 4.5) < 0.5 && share(2) > 8 && share(-2) < 1 && share(0.3) > 5);
}

// A root whose first choices decide the game at once must not stop the search: every iteration counts.
void test_decided_leaves() {
  Rng rng(3);
  TurnMcts<Pennies> search({.tree = {.candidates = 10, .max_nodes = 1 << 20}, .rollout_levels = 4});
  const auto found = search.search({}, 0, Budget(500, 0), rng);
  std::uint64_t visits = 0, tried = 0;
  for (const auto& candidate : found.candidates) {
    visits += candidate.visits;
    tried += candidate.visits > 1;
  }
  CHECK(visits == 500 * 10 && tried >= 5);
  // Taking both stones wins at once; the search must still find out what taking one is worth.
  Uct<Heap> uct(Uct<Heap>::Settings{});
  const auto heap = uct.search({2, 0, 0}, Budget(300, 0), rng);
  CHECK(heap.candidates.size() == 2 && heap.candidates[1 - heap.best].visits > 5);
}

void test_levels_are_kept() {
  // A game that is decided after three turns: with four levels the search ends before the result, which counts 0; with
  // six it sees the result.
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
  TurnMcts<Slow> near({.tree = {.candidates = 3}, .rollout_levels = 4}), far({.tree = {.candidates = 3}, .rollout_levels = 6});
  CHECK(near.search({}, 0, Budget(200, 0), rng).value == 0);
  CHECK(far.search({}, 0, Budget(200, 0), rng).value == 1);
}

}  // namespace

void test_search() {
  test_coevolution();
  test_coevolution_from_sampled_moves();
  test_coevolution_when_time_is_up();
  test_coevolution_shares_what_time_is_left();
  test_partial_crossover();
  test_plans();
  test_coevolution_of_given_moves();
  test_given_candidates();
  test_guided_questions();
  test_guided_values();
  test_guided_priors();
  test_guided_limits();
  test_stalling();
  test_equilibria();
  test_matrix_games();
  solve_turns<conquest::Small>(9);
  solve_turns<conquest::Large>(70);
  test_equilibria_of_later_turns();
  test_simultaneous_limits();
  test_candidates_by_policy();
  test_decided_leaves();
  test_levels_are_kept();
  test_listed_games();
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
