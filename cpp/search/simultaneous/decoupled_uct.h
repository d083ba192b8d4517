// Decoupled UCT (Finnsson, 2012): at a node where both players choose at once, each has a bandit of its own, which
// knows nothing of the other's: mean + c * sqrt(ln N / n). It is fast, but need not converge to an equilibrium: a move
// that is good on average against the moves the other has tried may be bad against its best response.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/logarithm.h"
#include "core/rng.h"
#include "core/settings.h"

namespace sandtable::search {

struct DecoupledUctSettings {
  double c = 0.5;
  bool mixed = false;

  static constexpr auto fields() {
    using S = DecoupledUctSettings;
    return std::tuple(field("c", &S::c, 0, 1000, "exploration constant of UCB1"),
                      field("mixed", &S::mixed, "draw the move from the strategy instead of playing the most likely one"));
  }
};

class DecoupledUct {
 public:
  using Settings = DecoupledUctSettings;
  using Choice = std::array<int, 2>;

  DecoupledUct(std::size_t size0, std::size_t size1) : arms_{std::vector<Arm>(size0), std::vector<Arm>(size1)} {}

  // Chooses a candidate of each player. It counts as visited at once, with value 0 until the result is learnt.
  Choice choose(const Settings& settings, Rng& rng) {
    const double k = settings.c * std::sqrt(logarithm(static_cast<double>(std::max(visits_, 1u))));
    ++visits_;
    // Two equal bandits would make the same choices at the same time for ever, so the exploration of each is varied at random.
    const auto unlike = [&] { return k * (0.5 + rng.uniform()); };
    return {pull(arms_[0], unlike(), rng), pull(arms_[1], unlike(), rng)};
  }

  // Adds the result of the pair for player 0.
  void learn(const Settings&, const Choice& choice, double value) {
    for (int player = 0; player < 2; ++player) arms_[player][choice[player]].sum += player == 0 ? value : -value;
  }

  // The share of the visits that each candidate has.
  std::vector<double> strategy(int player) const {
    std::vector<double> shares;
    for (const Arm& arm : arms_[player]) shares.push_back(static_cast<double>(arm.visits) / std::max(visits_, 1u));
    return shares;
  }
  std::uint32_t visits(int player, std::size_t candidate) const { return arms_[player][candidate].visits; }
  // The mean value of a candidate for its player.
  double value(int player, std::size_t candidate) const {
    const Arm& arm = arms_[player][candidate];
    return arm.visits ? arm.sum / arm.visits : 0;
  }

 private:
  struct Arm {
    double sum = 0;
    std::uint32_t visits = 0;
  };

  // Chooses the best arm, arms without visits first; ties are broken at random.
  static int pull(std::vector<Arm>& arms, double k, Rng& rng) {
    double highest = -1e300;
    std::uint32_t ties = 0;
    int best = 0;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const double n = arms[i].visits, score = n > 0 ? arms[i].sum / n + k / std::sqrt(n) : 1e300;
      if (score > highest) ties = 0;
      if (score < highest) continue;
      highest = score;
      if (rng.below(++ties) == 0) best = static_cast<int>(i);
    }
    ++arms[best].visits;
    return best;
  }

  std::array<std::vector<Arm>, 2> arms_;
  std::uint32_t visits_ = 0;
};

}  // namespace sandtable::search
