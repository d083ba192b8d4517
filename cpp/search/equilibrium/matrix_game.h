// A zero-sum game of one turn in which both players choose at once, as the matrix of the values of all pairs, and its
// equilibrium.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace sandtable::search {

// The payoff of player 0 for row i against column j; player 1 gets the negative.
struct MatrixGame {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows, columns]

  double at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }

  // The payoff of each row, or column, for its player against the mixed strategy of the other.
  std::vector<double> against(int player, const std::vector<double>& other) const {
    std::vector<double> out(player == 0 ? rows : columns, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (player == 0) out[i] += other[j] * at(i, j);
        else out[j] -= other[i] * at(i, j);
      }
    }
    return out;
  }
};

struct Equilibrium {
  std::array<std::vector<double>, 2> mixed;   // a probability for each row, and for each column
  std::array<std::vector<double>, 2> values;  // of each for its player, against the other's mixed strategy
  double value = 0;                           // of the game for player 0
  double exploitability = 0;                  // the sum of what each player could gain by a best response

  // The payoff of player 0 in another game of the same size if both play these strategies.
  double expected(const MatrixGame& other) const {
    const std::vector<double> against = other.against(0, mixed[1]);
    double sum = 0;
    for (std::size_t i = 0; i < against.size(); ++i) sum += mixed[0][i] * against[i];
    return sum;
  }
};

// Regret matching plus (Tammelin, 2014): the players are updated in turn, negative regrets are set to 0, and later
// strategies weigh more. Probabilities below `least` are regarded as noise and set to 0.
inline Equilibrium solve(const MatrixGame& game, int iterations, double least = 0) {
  const std::size_t sizes[2] = {game.rows, game.columns};
  std::array<std::vector<double>, 2> regret, current, average;
  for (int player = 0; player < 2; ++player) {
    regret[player].assign(sizes[player], 0.0);
    average[player].assign(sizes[player], 0.0);
    current[player].assign(sizes[player], 1.0 / static_cast<double>(sizes[player]));
  }
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    for (int player = 0; player < 2; ++player) {
      const std::vector<double> values = game.against(player, current[1 - player]);
      double mean = 0, sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) mean += current[player][i] * values[i];
      for (std::size_t i = 0; i < values.size(); ++i)
        sum += regret[player][i] = std::max(regret[player][i] + values[i] - mean, 0.0);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (sum > 0) current[player][i] = regret[player][i] / sum;
        average[player][i] += iteration * current[player][i];
      }
    }
  }
  Equilibrium out;
  for (int player = 0; player < 2; ++player) {
    const double all = 0.5 * iterations * (iterations + 1.0);
    const double most = *std::max_element(average[player].begin(), average[player].end());
    double sum = 0;
    for (double& share : average[player]) sum += share = share < most && share < least * all ? 0 : share;
    for (double& share : average[player]) share /= sum;
    out.mixed[player] = average[player];
  }
  for (int player = 0; player < 2; ++player) {
    out.values[player] = game.against(player, out.mixed[1 - player]);
    out.exploitability += *std::max_element(out.values[player].begin(), out.values[player].end());
  }
  for (std::size_t i = 0; i < game.rows; ++i) out.value += out.mixed[0][i] * out.values[0][i];
  return out;
}

}  // namespace sandtable::search
