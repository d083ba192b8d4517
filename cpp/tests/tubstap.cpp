#include <algorithm>
#include <iterator>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "tests/check.h"
#include "tests/random_maps.h"
#include "tubstap/any_state.h"
#include "tubstap/legality.h"
#include "tubstap/perft.h"
#include "tubstap/playout.h"

namespace sandtable::tests {
namespace {

using namespace tubstap;
using tubstap_maps::random_rules;
using tubstap_maps::random_setup;

// Reach by Dijkstra's algorithm, one cell at a time.
template <class Size>
std::vector<int> plain_reach(const State<Size>& state, const Setup& setup, int unit) {
  const auto& board = state.board();
  const int side = board.side(unit);
  std::vector<int> spent(board.width() * board.height(), 1 << 20);
  std::priority_queue<std::pair<int, int>> queue;  // (-spent, cell)
  spent[state.cell(unit)] = 0;
  queue.emplace(0, state.cell(unit));
  while (!queue.empty()) {
    const auto [minus, cell] = queue.top();
    queue.pop();
    const int x = board.x(cell), y = board.y(cell);
    const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (const auto& [dx, dy] : steps) {
      const int nx = x + dx, ny = y + dy;
      if (nx < 0 || ny < 0 || nx >= board.width() || ny >= board.height()) continue;
      const int next = board.cell(nx, ny);
      const int cost = setup.rules.cost[board.kind(unit)][setup.terrain[ny * setup.width + nx]];
      if (cost == 0 || state.occupied(1 - side).test(next)) continue;
      const int total = cost - minus;
      if (total > setup.rules.movement[board.kind(unit)] || total >= spent[next]) continue;
      spent[next] = total;
      queue.emplace(-total, next);
    }
  }
  std::vector<int> cells;
  for (int cell = 0; cell < static_cast<int>(spent.size()); ++cell) {
    const bool stop = cell == state.cell(unit) || !state.occupied(side).test(cell);
    if (spent[cell] < 1 << 20 && stop) cells.push_back(cell);
  }
  return cells;
}

template <class Size>
std::vector<Operation> operations_of(const State<Size>& state) {
  std::vector<Operation> operations;
  for_each_operation(state, [&](const Operation& op) { operations.push_back(op); });
  return operations;
}

// With harmful attacks only, the operations are the legal ones without harmless attacks. Harmless attacks are legal
// only under rules with harmless_attacks.
template <class Size>
void check_attacks(const State<Size>& state, const std::vector<Operation>& operations) {
  std::vector<Operation> harmful, wanted;
  for_each_unit(state.ready(), [&](int unit) {
    for_each_operation<Attacks::kHarmful>(state, unit, [&](const Operation& op) { harmful.push_back(op); });
  });
  std::copy_if(operations.begin(), operations.end(), std::back_inserter(wanted),
               [&](const Operation& op) { return !op.attacks() || state.combat(op).dealt > 0; });
  CHECK(harmful == wanted);
  CHECK(state.board().rules().harmless_attacks || harmful.size() == operations.size());
}

template <class Size>
void check_invariants(const State<Size>& state, const Setup& setup) {
  const auto& board = state.board();
  typename Board<Size>::Grid occupied[2] = {{}, {}};
  for_each_unit(state.alive(), [&](int unit) {
    CHECK(state.hp(unit) > kDeadHp && state.hp(unit) <= kMaxHp);
    CHECK(setup.terrain[board.y(state.cell(unit)) * setup.width + board.x(state.cell(unit))] != kNoEntry);
    CHECK(!occupied[0].test(state.cell(unit)) && !occupied[1].test(state.cell(unit)));
    occupied[board.side(unit)].set(state.cell(unit));
  });
  CHECK(occupied[0] == state.occupied(0) && occupied[1] == state.occupied(1));
  CHECK(state.over() || state.ready());
}

// Plays one random game in parallel in both sizes, if they hold the setup: they must agree in everything.
template <class A, class B>
void play_both(const Setup& setup, Rng& rng) {
  if (!fits<A>(setup) || !fits<B>(setup)) return;
  const Board<A> board_a(setup);
  const Board<B> board_b(setup);
  State<A> a(board_a, setup);
  State<B> b(board_b, setup);
  while (!a.over()) {
    check_invariants(a, setup);
    const auto operations = operations_of(a);
    CHECK(operations == operations_of(b));
    CHECK(operations.size() == count_operations(a) && !operations.empty());
    CHECK(std::is_sorted(operations.begin(), operations.end(), [](const Operation& x, const Operation& y) {
      return std::tuple(x.unit, x.cell, x.target) < std::tuple(y.unit, y.cell, y.target);
    }));
    check_attacks(a, operations);
    const int unit = operations[rng.below(static_cast<std::uint32_t>(operations.size()))].unit;
    std::vector<int> reached;
    reach(a, unit).for_each([&](int cell) { reached.push_back(cell); });
    CHECK(reached == plain_reach(a, setup, unit));
    if (rng.below(20) == 0) {
      a.end_turn();
      b.end_turn();
    } else {
      const Operation op = operations[rng.below(static_cast<std::uint32_t>(operations.size()))];
      Operation parsed;
      CHECK(illegal(a, op.unit, board_a.x(op.cell) + 1, board_a.y(op.cell) + 1, op.target, parsed).empty());
      CHECK(parsed == op);
      std::int16_t named[4];
      write_named(board_a, {op}, named);
      CHECK(legal_operation(a, NamedOperation{named[0], named[1], named[2], named[3]}) == op);
      CHECK(refused([&] { legal_operation(a, NamedOperation{named[0], 0, named[2]}); }));
      CHECK(random_move(a, 5) == random_move(b, 5));
      a.play(op);
      b.play(op);
    }
    CHECK(a.hash() == b.hash() && a.turn() == b.turn() && a.over() == b.over() && a.winner() == b.winner());
  }
  CHECK(b.over() && operations_of(a).empty() && count_operations(a) == 0 && refused([&] { random_move(a, 5); }));
}

template <class Size>
void check_playouts(const Setup& setup) {
  if (!fits<Size>(setup)) return;
  const Board<Size> board(setup);
  const State<Size> state(board, setup);
  Playouts whole, parts;
  playouts(state, Policy::kUniform, 0, 6, 1, whole);
  playouts(state, Policy::kUniform, 0, 2, 1, parts);
  playouts(state, Policy::kUniform, 2, 6, 1, parts);
  CHECK(whole.red == parts.red && whole.blue == parts.blue && whole.operations == parts.operations);
  CHECK(whole.red + whole.blue + whole.draws == 6);
  for (const Policy policy : {Policy::kFlat, Policy::kAttack80, Policy::kAttack80Harmful})
    playouts(state, policy, 0, 3, 1, parts);
  CHECK(perft(state, 0) == 1 && perft(state, 1) == count_operations(state));
}

void test_random_games() {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed, stream_number("random games"));
    const Setup small = random_setup(rng, 8, 16), medium = random_setup(rng, 16, 32), large = random_setup(rng, 32, 64);
    for (const Setup* setup : {&small, &medium, &large}) {
      check(*setup);
      play_both<Small, Compact>(*setup, rng);
      play_both<Compact, Medium>(*setup, rng);
      play_both<Medium, Wide>(*setup, rng);
      play_both<Wide, Large>(*setup, rng);
      play_both<Large, Large>(*setup, rng);
      check_playouts<Small>(*setup);
      check_playouts<Compact>(*setup);
      check_playouts<Medium>(*setup);
      check_playouts<Wide>(*setup);
      check_playouts<Large>(*setup);
    }
  }
}

// Setups with hostile numbers: either the setup is refused, or it can be played and any operation can be checked.
void test_hostile_input() {
  int playable = 0, refused = 0;
  const int odd[] = {-1, 0, 1, 2, 5, 6, 7, 32, 33, 64, 65, 1000, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed, stream_number("hostile input"));
    Setup setup = random_setup(rng, 12, 40);
    const auto any = [&] { return odd[rng.below(std::size(odd))]; };
    for (int i = 0; i < between(rng, 0, 2); ++i) {
      UnitSetup& unit = setup.units[rng.below(static_cast<std::uint32_t>(setup.units.size()))];
      switch (rng.below(14)) {
        case 0: setup.width = any(); break;
        case 1: setup.height = any(); break;
        case 2: setup.terrain.resize(rng.below(200)); break;
        case 3: setup.terrain[rng.below(static_cast<std::uint32_t>(setup.terrain.size()))] = static_cast<std::uint8_t>(any()); break;
        case 4: unit.kind = any(); break;
        case 5: unit.side = any(); break;
        case 6: unit.x = any(); break;
        case 7: unit.y = any(); break;
        case 8: unit.hp = rng.below(2) ? any() : std::numeric_limits<double>::quiet_NaN(); break;
        case 9: setup.turn = any(); break;
        case 10: setup.quiet = any(); break;
        case 11: setup.units.resize(rng.below(80)); break;
        case 12: setup.rules.movement[rng.below(kKinds)] = any(); break;
        default: setup.rules.cost[rng.below(kKinds)][rng.below(kTerrains)] = any(); break;
      }
      if (setup.units.empty() || setup.terrain.empty()) break;
    }
    try {
      const AnyState state = make_state(setup);
      ++playable;
      AnyState(state).visit([&](auto& s) {
        for (int i = 0; i < 50; ++i) {
          Operation op;
          if (illegal(s, any(), any(), any(), any(), op).empty()) s.play(op);
        }
        Rng game(seed);
        playout(s, Policy::kUniform, game);
      });
    } catch (const std::invalid_argument& error) {
      ++refused;
      CHECK(error.what()[0] != '\0');
    }
  }
  CHECK(playable > 300 && refused > 300);
}

}  // namespace

void test_tubstap() {
  test_random_games();
  test_hostile_input();
}

}  // namespace sandtable::tests
