// Regret matching at a node where both players choose at once (Lanctot, Lisy and Winands, 2014): each player draws a
// candidate with probability proportional to its regret for not having played it, and the average of these strategies
// converges to an equilibrium.
//
// The node stores the mean result of every pair, so that regrets are computed against the other's whole current
// strategy, not against the one move that it drew. Negative regrets are set to 0, and later strategies weigh more
// (regret matching plus; Tammelin, 2014). A pair that was never tried has the mean value of the node.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/rng.h"
#include "core/settings.h"

namespace sandtable::search {

struct RegretMatchingSettings {
  double exploration = 0.1;  // not part of the average strategy
  bool mixed = true;

  static constexpr auto fields() {
    using S = RegretMatchingSettings;
    return std::tuple(field("exploration", &S::exploration, 0, 1, "share of simulations that choose uniformly at random"),
                      field("mixed", &S::mixed, "draw the move from the strategy instead of playing the most likely one"));
  }
};

class RegretMatching {
 public:
  using Settings = RegretMatchingSettings;
  using Choice = std::array<int, 2>;

  RegretMatching(std::size_t size0, std::size_t size1) : sides_{Side(size0), Side(size1)}, pairs_(size0 * size1) {}

  Choice choose(const Settings& settings, Rng& rng) {
    ++visits_;
    Choice choice;
    for (int player = 0; player < 2; ++player) {
      Side& side = sides_[player];
      for (std::size_t i = 0; i < side.current.size(); ++i) side.average[i] += visits_ * side.current[i];
      choice[player] = draw(settings, side.current, rng);
      ++side.visits[choice[player]];
    }
    return choice;
  }

  void learn(const Settings&, const Choice& choice, double value) {
    Pair& pair = pairs_[place(choice[0], choice[1])];
    pair.mean += static_cast<float>((value - pair.mean) / ++pair.visits);
    mean_ += (value - mean_) / ++learnt_;
    for (int player = 0; player < 2; ++player) regret(player);
    for (Side& side : sides_) match(side);
  }

  // The average strategy.
  std::vector<double> strategy(int player) const {
    std::vector<double> shares = sides_[player].average;
    double sum = 0;
    for (const double share : shares) sum += share;
    for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(shares.size());
    return shares;
  }
  std::uint32_t visits(int player, std::size_t candidate) const { return sides_[player].visits[candidate]; }
  // The value of a candidate for its player, against the other's average strategy.
  double value(int player, std::size_t candidate) const { return against(player, candidate, strategy(1 - player)); }

 private:
  struct Side {
    explicit Side(std::size_t size)
        : regret(size), current(size, 1.0 / static_cast<double>(size)), average(size), visits(size) {}
    std::vector<double> regret, current, average;
    std::vector<std::uint32_t> visits;
  };
  struct Pair {
    float mean = 0;
    std::uint32_t visits = 0;
  };

  std::size_t place(std::size_t i, std::size_t j) const { return i * sides_[1].current.size() + j; }

  static int draw(const Settings& settings, const std::vector<double>& shares, Rng& rng) {
    const auto n = static_cast<std::uint32_t>(shares.size());
    if (rng.uniform() < settings.exploration) return static_cast<int>(rng.below(n));
    double rest = rng.uniform();
    for (std::uint32_t i = 0; i < n; ++i)
      if ((rest -= shares[i]) < 0) return static_cast<int>(i);
    return static_cast<int>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  }

  double against(int player, std::size_t candidate, const std::vector<double>& other) const {
    double sum = 0;
    for (std::size_t k = 0; k < other.size(); ++k) {
      const Pair& pair = pairs_[player == 0 ? place(candidate, k) : place(k, candidate)];
      sum += other[k] * (pair.visits ? pair.mean : mean_);
    }
    return player == 0 ? sum : -sum;
  }

  void regret(int player) {
    Side& side = sides_[player];
    values_.resize(side.current.size());
    double mean = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = against(player, i, sides_[1 - player].current);
      mean += side.current[i] * values_[i];
    }
    for (std::size_t i = 0; i < values_.size(); ++i) side.regret[i] = std::max(side.regret[i] + values_[i] - mean, 0.0);
  }

  static void match(Side& side) {
    double sum = 0;
    for (const double regret : side.regret) sum += regret;
    for (std::size_t i = 0; i < side.current.size(); ++i)
      side.current[i] = sum > 0 ? side.regret[i] / sum : 1.0 / static_cast<double>(side.current.size());
  }

  std::array<Side, 2> sides_;
  std::vector<Pair> pairs_;
  std::vector<double> values_;  // working memory
  double mean_ = 0;             // of all results
  std::uint32_t visits_ = 0, learnt_ = 0;
};

}  // namespace sandtable::search
