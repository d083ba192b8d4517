// The searches on states of any size (search/tubstap.h, search/conquest.h) give the same results as the search compiled
// for the state's own size, with the same random numbers, and refuse what cannot be searched.
#include <stdexcept>
#include <string>

#include "conquest/describe.h"
#include "search/conquest.h"
#include "search/tubstap.h"
#include "tests/check.h"
#include "tests/random_maps.h"
#include "tubstap/describe.h"

namespace sandtable::tests {
namespace {

using namespace search;

template <class Move>
bool same(const Result<Move>& a, const Result<Move>& b) {
  if (a.best != b.best || a.value != b.value || a.simulations != b.simulations || a.candidates.size() != b.candidates.size()) return false;
  for (std::size_t i = 0; i < a.candidates.size(); ++i)
    if (!(a.candidates[i].move == b.candidates[i].move) || a.candidates[i].value != b.candidates[i].value) return false;
  return true;
}

tubstap::AnyState unfinished_tubstap(Rng& rng, int max_side) {
  for (;;) {
    const auto any = tubstap::make_state(tubstap_maps::random_setup(rng, max_side, 6));
    if (!any.visit([](const auto& state) { return state.over(); })) return any;
  }
}

void test_tubstap_searches() {
  Rng rng(31);
  for (const int max_side : {6, 9, 14, 30}) {
    const auto any = unfinished_tubstap(rng, max_side);
    const Run run{.seed = 5};
    const TubstapUct settings{.simulations = 40};
    const TubstapPmc pure{.playouts = 2};
    any.visit([&]<class Size>(const tubstap::State<Size>& state) {
      Rng own(5, stream_number("uct"));
      CHECK(same(uct(any, settings, run), Uct<tubstap::Game<Size>>(settings).search(state, Budget(40, 0), own)));
      Rng other(5, stream_number("pmc"));
      CHECK(same(pmc(any, pure, run), pmc<tubstap::Game<Size>>(state, pure, Budget(0, 0), other)));
      CHECK(tubstap::in_words(state).starts_with("turn " + std::to_string(state.turn()) + (state.side() ? ", blue" : ", red")));
    });
    CHECK(same(minimax(any, {.depth = 1}, run, nullptr), minimax(any, {.depth = 1}, run, nullptr)));
    CHECK(refused([&] { uct(any, {.simulations = 0}, run); }) && refused([&] { pmc(any, {.playouts = 0}, run); }));
  }
  CHECK(!tubstap::in_words(tubstap::Reason::kPlaying) && tubstap::in_words(tubstap::Reason::kTurnLimit) == std::string("turn limit"));
}

void test_conquest_searches() {
  Rng rng(32);
  for (const int territories : {12, 100}) {
    auto setup = conquest_maps::random_setup(rng, 12);
    for (int t = setup.territories; t < territories; ++t) setup.edges.emplace_back(t - 1, t);
    setup.territories = std::max(setup.territories, territories);
    auto any = conquest::make_state(setup);
    any.visit([&](auto& state) { conquest::random_start(state, rng); });
    const Turn turn{any, 1, {.seed = 6}};
    const TurnMctsSettings settings{.iterations = 10};
    any.visit([&]<class Size>(const conquest::State<Size>& state) {
      Rng own(6, stream_number("mcts"), 1);
      CHECK(same(mcts(turn, settings), TurnMcts<conquest::Game<Size>>(settings).search(state, 1, Budget(10, 0), own)));
      CHECK(conquest::in_words(state).ends_with(" territories"));
    });
    CoevolutionSettings genetic;
    genetic.populations = {.generations = 2, .population = 4, .elites = 1};
    const auto evolved = coevolution(turn, genetic, nullptr, false);
    CHECK(evolved.found.candidates.size() == 4 && evolved.others.size() == 4);
    CHECK(refused([&] { coevolution(turn, genetic, nullptr, true); }));
    const RegretSettings regret{.candidates = 3, .simulations = 20};
    const auto mixed = simultaneous(turn, regret, nullptr);
    CHECK(same(mixed.found, simultaneous(turn, regret, nullptr).found));
    CHECK(mixed.found.candidates.size() == mixed.strategies[1].size());
    CHECK(refused([&] { simultaneous(turn, RegretSettings{.sampled = 30}, nullptr); }));
    CHECK(refused([&] { mcts(turn, {.iterations = 0}); }));
  }
}

}  // namespace

void test_any_size() {
  test_tubstap_searches();
  test_conquest_searches();
}

}  // namespace sandtable::tests
