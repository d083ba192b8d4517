// Pure Monte Carlo: random playouts after every move; the move with the best mean is played (kimura2020, section 4.2).
#pragma once

#include <algorithm>

#include "core/settings.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

template <class Playout>
struct PmcSettings {
  std::uint64_t playouts = 100;  // after each move; 0: rounds of one playout each until the budget is spent
  Playout playout{};

  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(count("playouts", &PmcSettings::playouts, "playouts after each move")),
                          within(&PmcSettings::playout, Playout::fields()));
  }
};

template <SequentialGame Game>
Result<typename Game::Move> pmc(const typename Game::State& root, const PmcSettings<typename Game::Playout>& settings,
                                Budget budget, Rng& rng) {
  auto [playouts, playout] = settings;
  std::vector<typename Game::Move> moves;
  Game::moves(root, moves);
  // In random order: if time ends within a round, chance, not the order of the list, decides which moves were tried.
  shuffle(moves.data(), static_cast<int>(moves.size()), rng);
  Result<typename Game::Move> out;
  for (const auto& move : moves) out.candidates.push_back({move, 0, 0});
  const int side = Game::side(root);
  for (std::uint64_t round = 0; playouts == 0 || round < playouts; ++round) {
    for (auto& candidate : out.candidates) {
      auto state = root;
      Game::play(state, candidate.move);
      if (!Game::over(state)) Game::playout(state, playout, rng);
      candidate.value += Game::result(state, side, playout);
      ++candidate.visits;
      if (budget.spent(++out.simulations)) {
        playouts = 1;
        break;
      }
    }
  }
  std::erase_if(out.candidates, [](const auto& candidate) { return candidate.visits == 0; });
  for (auto& candidate : out.candidates) candidate.value /= static_cast<double>(candidate.visits);
  out.best = static_cast<std::size_t>(
      std::max_element(out.candidates.begin(), out.candidates.end(),
                       [](const auto& a, const auto& b) { return a.value < b.value; }) -
      out.candidates.begin());
  out.value = out.candidates[out.best].value;
  out.nodes = moves.size() + 1;
  return out;
}

// The same with the seed and the limits of a run.
template <SequentialGame Game>
Result<typename Game::Move> pmc(const typename Game::State& root, const PmcSettings<typename Game::Playout>& settings,
                                const Run& run) {
  check_playout<Game>(settings.playout);
  run.check_limited(settings.playouts);
  Rng rng(run.seed, stream_number("pmc"));
  return pmc<Game>(root, settings, Budget(0, run.seconds, run.interrupted), rng);
}

}  // namespace sandtable::search
