// Pure Monte Carlo: random playouts after every move, and the best mean is played (kimura2020, section 4.1).
#pragma once

#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

// `playouts` after each move, or, with 0, as many rounds of one each as the budget allows.
template <SequentialGame Game>
Result<typename Game::Move> pmc(const typename Game::State& root, std::uint64_t playouts,
                                typename Game::Playout playout, Budget budget, Rng& rng) {
  std::vector<typename Game::Move> moves;
  Game::moves(root, moves);
  Result<typename Game::Move> out;
  for (const auto& move : moves) out.candidates.push_back({move, 0, 0});
  const int side = Game::side(root);
  std::vector<double> sums(moves.size());
  for (std::uint64_t round = 0; playouts == 0 || round < playouts; ++round) {
    bool stop = false;
    for (std::size_t i = 0; i < moves.size() && !stop; ++i) {
      auto state = root;
      Game::play(state, moves[i]);
      if (!Game::over(state)) Game::playout(state, playout, rng);
      sums[i] += Game::result(state, side, playout);
      ++out.candidates[i].visits;
      stop = budget.spent(++out.simulations);
    }
    if (stop) break;
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    auto& candidate = out.candidates[i];
    candidate.value = candidate.visits ? sums[i] / static_cast<double>(candidate.visits) : -1;
    out.value += sums[i] / static_cast<double>(out.simulations);
    if (candidate.value > out.candidates[out.best].value) out.best = i;
  }
  out.nodes = moves.size() + 1;
  return out;
}

}  // namespace sandtable::search
