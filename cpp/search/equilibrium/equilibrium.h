// One turn of a simultaneous game, solved among candidate moves that get better while it is searched: a double oracle
// (McMahan, Gordon and Blum, 2003) whose best answers are found by evolution.
//
// Both players have candidates; every pair is resolved and judged by a network, and the matrix of these values is solved
// for the strategy that each should mix. A round then makes new moves for both: children of those that are played, others
// that a policy proposes, some at random. Each meets only what the other side now plays, which is a few moves; those that do
// well against it join the candidates, get a full row or column, and the matrix is solved again.
//
// Where chance decides who goes first a pair is worth the mean of both cases, so that no candidate is lucky; cases that come
// to the same are judged once.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>

#include "search/budget.h"
#include "search/equilibrium/matrix_game.h"
#include "search/turn_evaluator.h"

namespace sandtable::search {

struct EquilibriumSettings {
  int candidates = 16;    // of each player, before the first round
  int fresh = 24;         // new moves of each player in a round
  int joining = 4;        // of these, at most
  int most = 24;          // candidates of each player in the end
  int met = 6;            // moves of the other side, at most, that new ones are tried against
  double random = 0.2;    // the share of first and new moves that are random ones, which the policy has no say in
  double slack = 0.02;    // how much less than the game's value a move may promise that joins
  double least = 0.03;    // probabilities below it are not played
  bool mixed = true;      // the move is drawn from the strategy; else its most likely one is played
  int iterations = 200;   // of regret matching
};

// What one player should do.
template <class Move>
struct Mixture {
  std::vector<Move> moves;
  std::vector<double> shares;  // how likely each is
  std::vector<double> values;  // of each for the player, against the other's mixture
  std::size_t best = 0;        // the one to play
};

template <class Move>
struct TurnResult {
  std::array<Mixture<Move>, 2> players;
  double value = 0;  // for player 0
  double exploitability = 0;
  std::uint64_t states = 0;  // that were judged
  std::uint64_t rounds = 0;
};

// A game whose turns begin with one player or the other, and proposals of moves for a player at a position; see
// conquest/game.h, conquest/proposals.h.
template <class G>
concept FirstGame = SimultaneousGame<G> && requires(typename G::State s, typename G::Orders& orders, Rng& rng) {
  { G::hash(s) } -> std::convertible_to<std::uint64_t>;
  G::resolve(s, orders, orders, 0, rng);
};
template <class P, class Orders>
concept Proposing = requires(const P p, typename P::Plan& plan, Orders& orders, Rng& rng) {
  { p.drawn(rng) } -> std::same_as<typename P::Plan>;
  { p.random(rng) } -> std::same_as<typename P::Plan>;
  { p.read(orders) } -> std::same_as<typename P::Plan>;
  { p.crossed(plan, plan, rng) } -> std::same_as<typename P::Plan>;
  p.mutate(plan, rng);
  p.write(plan, orders);
};

template <FirstGame Game, Proposing<typename Game::Orders> Proposals>
class EquilibriumSearch {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Plan = typename Proposals::Plan;
  using Given = std::array<std::vector<Orders>, 2>;

  EquilibriumSearch(const EquilibriumSettings& settings, PairEvaluator<Game> evaluate)
      : settings_(settings), evaluate_(std::move(evaluate)) {}

  // The game must not be over. `given` moves are among the first candidates. The budget counts these as one, and every
  // round after them.
  TurnResult<Orders> search(const State& root, const std::array<Proposals, 2>& proposals, Budget budget, Rng& rng,
                            const Given& given = {}) {
    root_ = &root;
    judged_ = 0;
    for (int player = 0; player < 2; ++player) begin_candidates(proposals[player], given[player], candidates_[player], rng);
    game_ = {0, 0, {}};
    fill_matrix(rng);
    Equilibrium found = solve(game_, settings_.iterations, settings_.least);
    std::uint64_t done = 0;
    while (!budget.spent(done + 1)) {
      improve(proposals, found, rng);
      found = solve(game_, settings_.iterations, settings_.least);
      ++done;
    }
    return result(found, done, rng);
  }

 private:
  struct Candidate {
    Plan plan;
    Orders orders;
  };
  using Candidates = std::vector<Candidate>;
  using Pairs = std::vector<std::pair<const Orders*, const Orders*>>;

  static bool add_new(Candidates& all, std::span<const Candidate> known, Candidate one) {
    const auto same = [&](const Candidate& other) { return other.orders == one.orders; };
    if (std::any_of(all.begin(), all.end(), same) || std::any_of(known.begin(), known.end(), same)) return false;
    all.push_back(std::move(one));
    return true;
  }
  static Candidate written(const Proposals& proposals, Plan plan) {
    Candidate one{std::move(plan), {}};
    proposals.write(one.plan, one.orders);
    return one;
  }

  void begin_candidates(const Proposals& proposals, const std::vector<Orders>& given, Candidates& own, Rng& rng) const {
    own.clear();
    for (const Orders& orders : given) add_new(own, {}, {proposals.read(orders), orders});
    // Where there is little choice most are the same: after some tries there are fewer.
    const auto size = std::max(static_cast<std::size_t>(settings_.candidates), given.size());
    for (std::size_t tries = 0; own.size() < size && (tries < 3 * size || own.empty()); ++tries)
      add_new(own, {}, written(proposals, rng.uniform() < settings_.random ? proposals.random(rng) : proposals.drawn(rng)));
  }

  // The value of each pair for player 0.
  std::vector<double> worth(const Pairs& pairs, Rng& rng) {
    states_.clear();
    struct Part {
      std::size_t pair;
      double weight;
    };
    std::vector<Part> parts;
    std::vector<double> out(pairs.size(), 0.0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      State after[2] = {*root_, *root_};
      for (int first = 0; first < 2; ++first) Game::resolve(after[first], *pairs[k].first, *pairs[k].second, first, rng);
      const bool same = Game::hash(after[0]) == Game::hash(after[1]);
      for (int first = 0; first < (same ? 1 : 2); ++first) {
        const double weight = same ? 1 : 0.5;
        if (Game::over(after[first])) {
          out[k] += weight * Game::value(after[first], 0);
        } else {
          states_.push_back(after[first]);
          parts.push_back({k, weight});
        }
      }
    }
    values_.resize(states_.size());
    if (!states_.empty()) evaluate_(states_, values_);
    for (std::size_t i = 0; i < parts.size(); ++i) out[parts[i].pair] += parts[i].weight * values_[i];
    judged_ += states_.size();
    return out;
  }

  // Brings the matrix to the size of the candidates; those that it knows come first.
  void fill_matrix(Rng& rng) {
    MatrixGame next{candidates_[0].size(), candidates_[1].size(), {}};
    next.values.resize(next.rows * next.columns);
    Pairs pairs;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < next.rows; ++i) {
      for (std::size_t j = 0; j < next.columns; ++j) {
        if (i < game_.rows && j < game_.columns) {
          next.values[i * next.columns + j] = game_.at(i, j);
        } else {
          pairs.emplace_back(&candidates_[0][i].orders, &candidates_[1][j].orders);
          places.push_back(i * next.columns + j);
        }
      }
    }
    const std::vector<double> values = worth(pairs, rng);
    for (std::size_t k = 0; k < places.size(); ++k) next.values[places[k]] = values[k];
    game_ = std::move(next);
  }

  // One round: new moves are tried, the best of them join, and who is not needed leaves.
  void improve(const std::array<Proposals, 2>& proposals, const Equilibrium& now, Rng& rng) {
    std::array<Candidates, 2> fresh;
    std::array<std::vector<std::size_t>, 2> met;  // of the other side, by each player
    Pairs pairs;
    for (int player = 0; player < 2; ++player) {
      fresh[player] = varied(proposals[player], player, now, rng);
      met[player] = played(now.mixed[1 - player]);
      for (const Candidate& one : fresh[player])
        for (const std::size_t j : met[player]) {
          const Orders* other = &candidates_[1 - player][j].orders;
          pairs.emplace_back(player == 0 ? &one.orders : other, player == 0 ? other : &one.orders);
        }
    }
    const std::vector<double> values = worth(pairs, rng);
    auto value = values.begin();
    std::array<Candidates, 2> joining;
    for (int player = 0; player < 2; ++player) {
      const double sign = player == 0 ? 1 : -1;
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < fresh[player].size(); ++i) {
        double sum = 0, weights = 0;
        for (const std::size_t j : met[player]) {
          sum += sign * now.mixed[1 - player][j] * *value++;
          weights += now.mixed[1 - player][j];
        }
        if (sum / weights >= sign * now.value - settings_.slack) order.emplace_back(-sum / weights, i);
      }
      std::sort(order.begin(), order.end());
      order.resize(std::min(order.size(), static_cast<std::size_t>(settings_.joining)));
      for (const auto& [promise, i] : order) joining[player].push_back(std::move(fresh[player][i]));
    }
    make_room(now, joining);
    for (int player = 0; player < 2; ++player)
      std::move(joining[player].begin(), joining[player].end(), std::back_inserter(candidates_[player]));
    fill_matrix(rng);
  }

  Candidates varied(const Proposals& proposals, int player, const Equilibrium& now, Rng& rng) const {
    const Candidates& own = candidates_[player];
    // Parents are those that are played, or the better of two.
    const auto parent = [&]() -> const Plan& {
      double rest = rng.uniform();
      if (rng.below(2) == 0)
        for (std::size_t i = 0; i < own.size(); ++i)
          if ((rest -= now.mixed[player][i]) < 0) return own[i].plan;
      const auto n = static_cast<std::uint32_t>(own.size());
      const std::size_t a = rng.below(n), b = rng.below(n);
      return own[now.values[player][a] >= now.values[player][b] ? a : b].plan;
    };
    Candidates fresh;
    const auto size = static_cast<std::size_t>(settings_.fresh);
    for (std::size_t tries = 0; fresh.size() < size && tries < 3 * size; ++tries) {
      const double kind = rng.uniform();
      Plan plan;
      if (kind < settings_.random / 2) {
        plan = proposals.random(rng);
      } else if (kind < 0.3) {
        plan = proposals.drawn(rng);
      } else {
        plan = parent();
        const bool crossed = rng.below(2) == 0;
        if (crossed) plan = proposals.crossed(plan, parent(), rng);
        if (!crossed || rng.below(2) == 0) proposals.mutate(plan, rng);
      }
      add_new(fresh, own, written(proposals, std::move(plan)));
    }
    return fresh;
  }

  // The likeliest moves of a mixture.
  std::vector<std::size_t> played(const std::vector<double>& mixed) const {
    std::vector<std::size_t> order(mixed.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mixed[a] > mixed[b]; });
    std::size_t n = 0;
    while (n < order.size() && n < static_cast<std::size_t>(settings_.met) && mixed[order[n]] > 0) ++n;
    order.resize(n);
    return order;
  }

  // The worst of those that are not played leave, as many as would be too many.
  void make_room(const Equilibrium& now, const std::array<Candidates, 2>& joining) {
    std::array<std::vector<std::size_t>, 2> kept;
    for (int player = 0; player < 2; ++player) {
      auto& order = kept[player];
      order.resize(candidates_[player].size());
      std::iota(order.begin(), order.end(), 0);
      const auto& mixed = now.mixed[player];
      const auto& values = now.values[player];
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return mixed[a] != mixed[b] ? mixed[a] > mixed[b] : values[a] > values[b];
      });
      const auto most = static_cast<std::size_t>(settings_.most);
      const auto room = most - std::min(joining[player].size(), most - 1);
      order.resize(std::min(order.size(), room));
      std::sort(order.begin(), order.end());
      Candidates left;
      for (const std::size_t i : order) left.push_back(std::move(candidates_[player][i]));
      candidates_[player] = std::move(left);
    }
    MatrixGame next{kept[0].size(), kept[1].size(), {}};
    for (const std::size_t i : kept[0])
      for (const std::size_t j : kept[1]) next.values.push_back(game_.at(i, j));
    game_ = std::move(next);
  }

  TurnResult<Orders> result(const Equilibrium& found, std::uint64_t done, Rng& rng) const {
    TurnResult<Orders> out;
    for (int player = 0; player < 2; ++player) {
      auto& own = out.players[player];
      for (const Candidate& one : candidates_[player]) own.moves.push_back(one.orders);
      own.shares = found.mixed[player];
      own.values = found.values[player];
      own.best = static_cast<std::size_t>(std::max_element(own.shares.begin(), own.shares.end()) - own.shares.begin());
      double rest = rng.uniform();
      for (std::size_t i = 0; settings_.mixed && i < own.shares.size(); ++i) {
        if ((rest -= own.shares[i]) >= 0) continue;
        own.best = i;
        break;
      }
    }
    out.value = found.value;
    out.exploitability = found.exploitability;
    out.states = judged_;
    out.rounds = done;
    return out;
  }

  EquilibriumSettings settings_;
  PairEvaluator<Game> evaluate_;
  const State* root_ = nullptr;
  std::array<Candidates, 2> candidates_;
  MatrixGame game_;
  std::uint64_t judged_ = 0;
  std::vector<State> states_;
  std::vector<double> values_;
};

}  // namespace sandtable::search
