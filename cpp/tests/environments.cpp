// Actions and masks compared with the lists of operations, and groups of games in random play, on random maps of every size.
#include "conquest/orders.h"
#include "environments/conquest.h"
#include "environments/tubstap.h"
#include "tests/check.h"
#include "tests/random_maps.h"

namespace sandtable::tests {
namespace {

using namespace environments;

template <class Size>
void check_actions(const TubstapActions& actions, const tubstap::State<Size>& state) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(actions.count()));
  actions.write_mask(state, mask.data());
  std::size_t legal = 0;
  TubstapMove move;
  tubstap::for_each_operation(state, [&](const tubstap::Operation& op) {
    const std::int64_t number = actions.number(state, op);
    CHECK(mask[static_cast<std::size_t>(number)] == 1 && actions.read(state, number, move) && move == op);
    ++legal;
  });
  CHECK(static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 1)) == legal + 1);
  for (std::int64_t action = -1; action <= actions.count(); ++action) {
    const bool marked = action >= 0 && action < actions.count() && mask[static_cast<std::size_t>(action)] && !state.over();
    CHECK(actions.read(state, action, move) == marked);
  }
}

// If the opponent plays elsewhere, only legal moves are accepted from it, and only in games that wait for one.
void check_answers(const tubstap::AnyState& start) {
  const int theirs = start.visit([](const auto& state) { return state.side(); });
  TubstapGames games(start, 2, "graph", {Opponent::kElsewhere, 1 - theirs, 0});
  for (std::size_t game = 0; game < 2; ++game) games.begin(game);
  CHECK(games.waiting().size() == 2);
  CHECK(refused([&] { games.answer(2, {}); }) && refused([&] { games.answer(0, tubstap::NamedOperation{200, 1, 1}); }));
  games.answer(0, {});
  // The turn comes back at once if no unit of the other side can act.
  const bool again = games.state(0).visit([&](const auto& state) { return !state.over() && state.side() == theirs; });
  CHECK(games.waiting().size() == (again ? 2 : 1) && (again || refused([&] { games.answer(0, {}); })));
  CHECK(refused([&] { games.forfeit(1, 2); }) && refused([&] { games.forfeit(2, 1); }));
  games.forfeit(1, 1);
  CHECK(games.waiting().size() == (again ? 1 : 0));
}

void check_answers(const conquest::AnyState& land) {
  ConquestGames games(land, 2, "graph", {Opponent::kElsewhere, 0, 0});
  for (std::size_t game = 0; game < 2; ++game) games.begin(game);
  CHECK(games.waiting().empty() && refused([&] { games.answer(0, {}); }));
  games.act_genes(std::vector<std::int32_t>(2 * games.genes()));
  CHECK(games.waiting().size() == 2 && refused([&] { games.answer(0, {{{-1, 1}}, {}}); }));
  const int turn = games.state(0).visit([](const auto& state) { return state.turn(); });
  games.answer(0, {});
  CHECK(games.state(0).visit([&](const auto& state) { return state.turn() == turn + 1; }) && games.waiting().size() == 1);
}

void check_tubstap(const tubstap::Setup& setup, Rng& rng) {
  const tubstap::AnyState start = tubstap::make_state(setup);
  const char* encoders[] = {"graph", "image", "tokens"};
  if (start.visit([](const auto& state) { return state.over(); })) {
    CHECK(refused([&] { TubstapGames(start, 3, encoders[0], {}); }));
    return;
  }
  tubstap::Setup other = setup;
  other.rules.harmless_attacks = !setup.rules.harmless_attacks;
  const TubstapObserver observer(start, encoders[0]);
  CHECK(observer.action(start, {}) == observer.actions().end_turn() && !observer.move(start, observer.action(start, {})));
  CHECK(refused([&] { observer.mask(tubstap::make_state(other)); }) && refused([&] { observer.move(start, -1); }));
  CHECK(refused([&] { observer.roster(start, 2); }) && observer.roster(start, 0) != observer.roster(start, 1));
  check_answers(start);
  const GroupSettings settings{rng.below(2) ? Opponent::kGreedy : Opponent::kRandom, {}, 0.5};
  TubstapGames games(start, 3, encoders[rng.below(3)], settings);
  const auto& actions = games.observer().actions();
  const auto count = static_cast<std::size_t>(actions.count());
  for (std::size_t game = 0; game < 3; ++game) {
    games.reseed(game, rng.next());
    games.begin(game);
  }
  games.observe();
  std::array<double, 3> returns{};
  for (int step = 0; step < 25; ++step) {
    std::vector<std::int64_t> chosen;
    for (std::size_t game = 0; game < 3; ++game) {
      games.state(game).visit([&](const auto& state) { check_actions(actions, state); });
      std::size_t action = rng.below(static_cast<std::uint32_t>(count));
      if (rng.below(50)) while (!games.masks[game * count + action]) action = rng.below(static_cast<std::uint32_t>(count));
      chosen.push_back(static_cast<std::int64_t>(action));
    }
    games.act(chosen);
    CHECK(games.waiting().empty());
    games.observe();
    for (std::size_t game = 0; game < 3; ++game) {
      returns[game] += games.rewards[game];
      if (games.outcomes[game] == 0) continue;
      // Over a game the shaping adds up to -0.5 times the potential at the first decision, which is within -1..1.
      CHECK(returns[game] >= -1.5001 && returns[game] <= 1.5001);
      returns[game] = 0;
    }
    for (const float value : games.observations) CHECK(value >= -64 && value <= 64);
  }
}

void check_conquest(const conquest::Setup& setup, Rng& rng) {
  const conquest::AnyState land = conquest::make_state(setup);
  if (2 * setup.rules.start_lands > setup.territories) return;
  conquest::Setup other = setup;
  other.bonuses.push_back({1, {0}});
  ConquestObserver observer(land, "graph");
  CHECK(observer.encode(land, 1).size() == observer.size() && refused([&] { observer.encode(land, 2); }));
  CHECK(refused([&] { observer.encode(conquest::make_state(other), 0); }));
  CHECK(refused([&] { observer.genes_of_shares(land, 0, {}); }));
  check_answers(land);
  ConquestGames games(land, 2, rng.below(2) ? "graph" : "soares2025", {Opponent::kRandom, {}, 0.5});
  const bool shares = rng.below(2);
  for (std::size_t game = 0; game < 2; ++game) games.begin(game);
  games.observe();
  for (int step = 0; step < 20; ++step) {
    std::vector<std::int32_t> genes;
    std::vector<float> parts;
    for (std::size_t i = 0; i < 2 * games.genes(); ++i) {
      genes.push_back(static_cast<std::int32_t>(rng.below(30)) - 10);
      parts.push_back(static_cast<float>(rng.uniform() * 1.4 - 0.2));
    }
    for (std::size_t game = 0; game < 2; ++game) {
      const int side = games.sides[game];
      games.state(game).visit([&](const auto& state) {
        if (state.over()) return;
        std::vector<std::int32_t> made(games.genes());
        genes_of_shares(state, side, parts.data() + game * games.genes(), made.data());
        conquest::Orders orders;
        conquest::decode(state.land(), made.data(), orders);
        int deployed = 0;
        for (const auto& deploy : orders.deploys) deployed += deploy.armies;
        CHECK(conquest::illegal(state, side, orders).empty() && deployed == state.income(side));
      });
    }
    if (shares) games.act_shares(parts);
    else games.act_genes(genes);
    games.observe();
    for (const float reward : games.rewards) CHECK(reward >= -2 && reward <= 2);
  }
}

}  // namespace

void test_environments() {
  CHECK(refused([] { checked_group_size(0); }) && refused([] { checked_group_size((1 << 20) + 1); }));
  CHECK(!refused([] { checked_group_size(1); }) && !refused([] { checked_group_size(1 << 20); }));
  CHECK(refused([] { group_settings("random", 2, 0); }) && refused([] { group_settings("nobody", {}, 0); }));
  Rng rng(1, stream_number("environments"));
  for (int i = 0; i < 60; ++i) check_tubstap(tubstap_maps::random_setup(rng, i < 50 ? 9 : 20, i < 50 ? 12 : 40), rng);
  for (int i = 0; i < 40; ++i) check_conquest(conquest_maps::random_setup(rng, i < 35 ? 12 : 80), rng);
}

}  // namespace sandtable::tests
