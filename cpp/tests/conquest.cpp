#include <stdexcept>

#include "conquest/any_state.h"
#include "conquest/genes.h"
#include "conquest/orders.h"
#include "conquest/playout.h"
#include "tests/check.h"
#include "tests/random_maps.h"

namespace sandtable::tests {
namespace {

using namespace conquest;
using conquest_maps::random_setup;

template <class Size>
void check_state(const State<Size>& state) {
  CHECK(!(state.owned(0) & state.owned(1)).any());
  for (int t = 0; t < state.land().territories(); ++t) CHECK(state.armies(t) >= 0);
}

template <class Size>
void play_game(const Setup& setup, Rng& rng) {
  const Land<Size> land(setup);
  State<Size> state(land);
  random_start(state, rng);
  CHECK(state.owned(0).count() == setup.rules.start_lands && state.owned(1).count() == setup.rules.start_lands);
  Orders orders[2], decoded, again;
  std::vector<std::int32_t> genes(gene_count(land)), same(genes.size());
  while (!state.over()) {
    check_state(state);
    for (int player = 0; player < 2; ++player) {
      random_move(state, player, rng, orders[player]);
      CHECK(illegal(state, player, orders[player]).empty());
      encode(land, orders[player], genes.data());
      decode(land, genes.data(), decoded);
      CHECK(illegal(state, player, decoded).empty());
      encode(land, decoded, same.data());
      CHECK(genes == same);
      for (auto& gene : genes) gene = between(rng, -3, 9) * (rng.below(4) == 0 ? 100'000'000 : 1);
      repair(state, player, genes.data(), rng);
      decode(land, genes.data(), again);
      CHECK(illegal(state, player, again).empty());
      int deployed = 0;
      for (const auto& deploy : again.deploys) deployed += deploy.armies;
      CHECK(deployed == state.income(player));
      // A row that was made for another position also becomes a legal move, one that leaves no idle armies behind the front.
      for (auto& gene : genes) gene = between(rng, -9, 3);
      adapt(state, player, genes.data(), rng, again);
      CHECK(illegal(state, player, again).empty());
      auto idle = state.owned(player) & ~front_of(state, player);
      for (const auto& march : again.marches) idle.reset(march.source);
      idle.for_each([&](int t) { CHECK(state.armies(t) + genes[t] <= setup.rules.stand_guard); });
      if (rng.below(2)) orders[player] = again;
    }
    random_move(state, 1, 7, decoded);
    check_legal(state, 1, decoded);
    CHECK(encoded(land, conquest::decoded(land, encoded(land, decoded))) == encoded(land, decoded));
    CHECK(refused([&] { check_legal(state, 2, {{{-1, 1}}, {}}); }) && refused([&] { encoded(land, {{{-1, 1}}, {}}); }));
    CHECK(refused([&] { random_move(state, 2, 7, decoded); }) && refused([&] { repair(state, -1, genes, 7); }));
    const State<Size> before = state;
    state.resolve(orders[0], orders[1], static_cast<int>(rng.below(2)), rng);
    CHECK(state.turn() == before.turn() + 1 && state.hash() != before.hash());
  }
  CHECK(refused([&] { random_move(state, 1, 7, decoded); }));
  Playouts sums;
  State<Size> start(land);
  random_start(start, rng);
  playouts(start, 0, 3, 1, sums);
  CHECK(sums.wins0 + sums.wins1 + sums.ties == 3);
}

void test_hostile_setups() {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed, stream_number("hostile lands"));
    Setup setup = random_setup(rng, 20);
    const int odd[] = {-1, 0, 1, 19, 20, 255, 256, 257, 1 << 30, -(1 << 30)};
    const auto any = [&] { return odd[rng.below(std::size(odd))]; };
    switch (rng.below(7)) {
      case 0: setup.territories = any(); break;
      case 1: setup.edges[rng.below(static_cast<std::uint32_t>(setup.edges.size()))] = {any(), any()}; break;
      case 2: setup.bonuses.push_back({any(), {any()}}); break;
      case 3: setup.bonuses.push_back({1, {}}); break;
      case 4: setup.edges.pop_back(); break;
      case 5: setup.rules.attack_kills = any(); break;
      default: setup.rules.turn_limit = any(); break;
    }
    try {
      const AnyState state = make_state(setup);
      AnyState(state).visit([&](auto& s) {
        if (2 * setup.rules.start_lands <= setup.territories) random_start(s, rng);
        for (int i = 0; i < 30; ++i) {
          const Orders orders{{{any(), any()}}, {{any(), any(), any()}}};
          if (illegal(s, 0, orders).empty() && illegal(s, 1, Orders{}).empty()) s.resolve(orders, {}, 0, rng);
        }
        check_state(s);
      });
    } catch (const std::invalid_argument& error) {
      ++refused;
      CHECK(error.what()[0] != '\0');
    }
  }
  CHECK(refused > 200 && refused < 1900);
}

}  // namespace

void test_conquest() {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, stream_number("random lands"));
    const Setup small = random_setup(rng, 64), large = random_setup(rng, 256);
    check(small);
    check(large);
    play_game<Small>(small, rng);
    play_game<Large>(small, rng);
    play_game<Large>(large, rng);
    play_game<Huge>(large, rng);
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed, stream_number("huge lands"));
    const Setup huge = random_setup(rng, kMaxTerritories);
    check(huge);
    play_game<Huge>(huge, rng);
  }
  test_hostile_setups();
}

}  // namespace sandtable::tests
