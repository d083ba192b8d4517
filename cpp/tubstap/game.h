// TUBSTAP as the searches see it (search/game.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/settings.h"
#include "tubstap/playout.h"

namespace sandtable::tubstap {

// The platform's M-UCT plays attack80 and judges a game at its turn limit differently from the rules: a lead that equals
// the threshold wins too, while the rules require more than the threshold. (If the threshold is 0, it counts equal HP as a
// win of the searching side; here equal HP are a draw.)
struct PlayoutKind {
  Policy policy = Policy::kUniform;
  bool lead_wins_at_threshold = false;

  bool operator==(const PlayoutKind&) const = default;
  static constexpr auto fields() {
    return std::tuple(field("policy", &PlayoutKind::policy, "uniform flat attack80 attack80_harmful",
                            "how playouts choose: uniform, any move of a random unit; flat, any move; "
                            "attack80, an attack in 80% of cases"));
  }
};

// A hand-made evaluation: the side's lead as a share of all HP, from -1 to 1.
template <class Size>
double hp_value(const State<Size>& state, int side) {
  const double own = state.hp_sum(side), other = state.hp_sum(1 - side);
  return (own - other) / (own + other);
}

// The progress of a side towards a win. A finished game counts 2, 0 or -2. Otherwise it is the lead in HP; between equal
// leads it is how near the leading side's units are to the enemy's. With equal HP a side counts as leading, so that it
// seeks a decision too.
template <class Size>
double progress(const State<Size>& state, int side) {
  if (state.over()) return state.winner() == kNobody ? 0 : state.winner() == side ? 2 : -2;
  constexpr double kNearness = 1e-3;
  const double lead = hp_value(state, side);
  const int ahead = lead >= 0 ? side : 1 - side;
  double near = 0;
  for_each_unit(state.alive(ahead), [&](int unit) {
    int steps = std::numeric_limits<int>::max();
    for_each_unit(state.alive(1 - ahead),
                  [&](int enemy) { steps = std::min(steps, state.board().distance(state.cell(unit), state.cell(enemy))); });
    near += 1.0 / steps;
  });
  near /= std::popcount(state.alive(ahead));
  return lead + (ahead == side ? kNearness : -kNearness) * near;
}

template <class Size>
struct Game {
  using State = tubstap::State<Size>;
  using Move = Operation;
  using Playout = PlayoutKind;

  static int side(const State& state) { return state.side(); }
  static bool over(const State& state) { return state.over(); }
  static std::uint64_t hash(const State& state) { return state.hash(); }
  static double value(const State& state, int side) { return state.winner() == kNobody ? 0 : state.winner() == side ? 1 : -1; }

  // Appends all operations. Compiled separately, because inside a large search the compiler would not inline its loops.
  static void moves(const State& state, std::vector<Move>& out);
  // Sorts moves into the order in which the platform's M-UCT lists its children: unit by unit, the attacks first.
  static void attacks_first(std::vector<Move>& moves) {
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return std::pair(a.unit, !a.attacks()) < std::pair(b.unit, !b.attacks());
    });
  }
  static double progress(const State& state, int side) { return tubstap::progress(state, side); }
  static void play(State& state, const Move& move) { state.play(move); }
  static bool attacks(const Move& move) { return move.attacks(); }

  static void playout(State& state, const Playout& kind, Rng& rng) {
    tubstap::playout(state, kind.policy, rng);
  }

  static double result(const State& state, int side, const Playout& kind) {
    const auto& threshold = state.board().rules().hp_threshold;
    if (!kind.lead_wins_at_threshold || !threshold || state.reason() != Reason::kTurnLimit) return value(state, side);
    const double lead = state.hp_sum(side) - state.hp_sum(1 - side);
    if (lead == 0 || std::abs(lead) < *threshold) return 0;
    return lead > 0 ? 1 : -1;
  }
};

template <class Size>
void Game<Size>::moves(const State& state, std::vector<Move>& out) {
  for_each_operation(state, [&](const Operation& op) { out.push_back(op); });
}

// Compiled in small_boards.cpp and large_boards.cpp.
extern template void Game<Small>::moves(const State&, std::vector<Move>&);
extern template void Game<Compact>::moves(const State&, std::vector<Move>&);
extern template void Game<Medium>::moves(const State&, std::vector<Move>&);
extern template void Game<Wide>::moves(const State&, std::vector<Move>&);
extern template void Game<Large>::moves(const State&, std::vector<Move>&);

}  // namespace sandtable::tubstap
