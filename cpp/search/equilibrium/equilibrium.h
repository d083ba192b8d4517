// Solves one turn of a simultaneous game among candidate moves that improve during the search: a double oracle
// (McMahan, Gordon and Blum, 2003) whose best responses are found by evolution.
//
// Both players have candidates. Every pair of candidates is resolved and evaluated by a network, and the matrix of
// these values is solved for the mixed strategy of each player. A round then makes new moves for both: children of
// candidates, moves that a policy proposes, and random moves. Each new move is tried only against the moves in the
// other side's current strategy, which are few. The moves that do well against it join the candidates and get a full
// row or column, and the matrix is solved again.
//
// After the rounds, pairs of likely moves may be searched one turn deeper: at the position after the pair, a smaller
// matrix of moves that the policy proposes is solved, and its value replaces the network's value of that position. The
// whole matrix is then solved again.
//
// If chance decides who goes first, a pair is worth the mean of both cases, so that no candidate benefits from luck; if
// both cases lead to the same position, it is evaluated once.
//
// Where a network is certain of the winner, all moves have the same value, even those that never end the game. The
// matrix that is solved therefore holds values discounted by the distance of the leading side from its win
// (`progress`); the values that are reported are the network's own.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "core/settings.h"
#include "search/budget.h"
#include "search/equilibrium/matrix_game.h"
#include "search/turn_evaluator.h"

namespace sandtable::search {

struct EquilibriumSettings {
  std::optional<std::uint64_t> rounds = 20;  // with 0 rounds the first candidates are solved
  int candidates = 16;
  int fresh = 24;
  int joining = 4;
  int most = 24;
  int opponents = 6;
  double random = 0.2;
  double uniform = 0.1;  // read by the function that makes the proposals
  double slack = 0.02;
  double least = 0.05;
  int deepened = 0;
  int below = 6;
  double progress = 0;
  bool mixed = true;
  int iterations = 200;

  static constexpr auto fields() {
    using S = EquilibriumSettings;
    return std::tuple(
        count("rounds", &S::rounds, "rounds in which new candidates are tried", 0),
        field("candidates", &S::candidates, 1, 1000, "candidates of each player before the first round"),
        field("fresh", &S::fresh, 1, 1000, "new moves of each player that a round tries"),
        field("joining", &S::joining, 1, "fresh", "new moves that a round adds to the candidates, at most"),
        field("most", &S::most, "candidates", 1000, "candidates of each player at the end, at most"),
        field("opponents", &S::opponents, 1, 1000, "moves of the other side that new ones are tried against, at most"),
        field("random", &S::random, 0, 1,
              "share of random moves among the first candidates; half of it among the new moves of a round"),
        field("uniform", &S::uniform, 0, 1, "share of the choices within a proposed move that are random"),
        field("slack", &S::slack, 0, 2, "accept moves within `slack` of the game value"),
        field("least", &S::least, 0, 1, "moves with a smaller probability are left out of the strategy"),
        field("deepened", &S::deepened, 0, 100, "likeliest moves of each player whose pairs are searched a turn deeper"),
        field("below", &S::below, 1, 100, "moves of each player in that turn"),
        field("progress", &S::progress, 0, 1, "share of its value that the side ahead loses while it is far from its win"),
        field("mixed", &S::mixed, "draw the move from the strategy instead of playing the most likely one"),
        field("iterations", &S::iterations, 1, 1e6, "iterations of regret matching"));
  }

  // The steps of the budget: one for the first candidates, and one for each round.
  std::uint64_t steps() const { return rounds ? *rounds + 1 : 0; }
};

// The mixed strategy of one player.
template <class Move>
struct Mixture {
  std::vector<Move> moves;
  std::vector<double> shares;  // how likely each is
  std::vector<double> values;  // of each move for the player, against the other's mixed strategy
  std::size_t best = 0;        // the one to play
};

template <class Move>
struct TurnResult {
  std::array<Mixture<Move>, 2> players;
  double value = 0;  // for player 0
  double exploitability = 0;
  std::uint64_t states = 0;  // that were evaluated
  std::uint64_t rounds = 0;
};

// A game in whose turns one player or the other goes first (conquest/game.h), and proposals of moves for a player at a
// position (conquest/proposals.h).
template <class G>
concept FirstMoverGame = SimultaneousGame<G> && requires(typename G::State s, typename G::Orders& orders, Rng& rng) {
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

template <FirstMoverGame Game, Proposing<typename Game::Orders> Proposals>
class EquilibriumSearch {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Plan = typename Proposals::Plan;
  using Given = std::array<std::vector<Orders>, 2>;
  // Returns the proposals for both players at each position. They may refer to the positions, which stay where they are.
  using Propose = std::function<std::vector<std::array<Proposals, 2>>(std::span<const State> states)>;

  EquilibriumSearch(const EquilibriumSettings& settings, PairEvaluator<Game> evaluate, Propose propose)
      : settings_(settings), evaluate_(std::move(evaluate)), propose_(std::move(propose)) {}

  // The game must not be over. `given` moves are among the first candidates. The budget counts the first candidates as
  // one step and every round as another. With a clock, a third of the time left is kept for the deeper search, if there
  // is one; time that it does not use is divided in the same way.
  TurnResult<Orders> search(const State& root, Budget budget, Rng& rng, const Given& given = {}) {
    root_ = &root;
    evaluated_ = 0;
    const std::array<Proposals, 2> proposals = std::move(propose_(std::span(&root, 1))[0]);
    begin(proposals, given, budget, rng);
    Equilibrium found = solve(game_, settings_.iterations, settings_.least);
    std::uint64_t done = 0;
    bool spent = false;
    do {
      const double kept = settings_.deepened > 0 && budget.seconds_left() < kForever ? budget.seconds_left() / 3 : 0;
      while (budget.seconds_left() > kept && !(spent = budget.spent(done + 1))) {
        add_best_responses(proposals, found, rng);
        found = solve(game_, settings_.iterations, settings_.least);
        ++done;
      }
      look_further(found, budget, rng);
      budget.skip();
    } while (!spent && budget.seconds_left() > 0);
    return result(found, done, rng);
  }

 private:
  struct Candidate {
    Plan plan;
    Orders orders;
  };
  using Candidates = std::vector<Candidate>;
  // The worth of a pair of moves, or of a position, for player 0: its value, and the discounted value by which the
  // players choose.
  struct Worth {
    double value = 0, discounted = 0;
    bool deepened = false;  // a pair that was searched a turn deeper

    void add(double weight, const Worth& other) {
      value += weight * other.value;
      discounted += weight * other.discounted;
    }
  };
  using Pairs = std::vector<std::pair<const Orders*, const Orders*>>;
  static constexpr double kForever = 1e9;       // seconds
  static constexpr std::size_t kAtATime = 4;    // first candidates of a player between two looks at the clock
  static constexpr int kPasses = 3;             // of deeper search: each changes which pairs are likely

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
    // Where there are few different moves, most tries give duplicates: after a number of tries there are fewer candidates.
    const auto size = std::max(static_cast<std::size_t>(settings_.candidates), given.size());
    for (std::size_t tries = 0; own.size() < size && (tries < 3 * size || own.empty()); ++tries)
      add_new(own, {}, written(proposals, rng.uniform() < settings_.random ? proposals.random(rng) : proposals.drawn(rng)));
  }

  // Makes the first candidates and their matrix. With a clock they are added a few at a time: on large maps a network is slow.
  void begin(const std::array<Proposals, 2>& proposals, const Given& given, const Budget& budget, Rng& rng) {
    std::array<Candidates, 2> all;
    for (int player = 0; player < 2; ++player) begin_candidates(proposals[player], given[player], all[player], rng);
    const bool timed = budget.seconds_left() < kForever;
    for (auto& own : candidates_) own.clear();
    game_ = {0, 0, {}};
    pairs_.clear();
    const std::size_t most = std::max(all[0].size(), all[1].size());
    double step = 0;
    for (std::size_t size = timed ? kAtATime : most; game_.rows == 0 || budget.seconds_left() > 3 * step; size += kAtATime) {
      const double start = budget.passed();
      for (int player = 0; player < 2; ++player)
        while (candidates_[player].size() < std::min(size, all[player].size()))
          candidates_[player].push_back(std::move(all[player][candidates_[player].size()]));
      fill_matrix(rng);
      step = budget.passed() - start;
      if (size >= most) break;
    }
  }

  // The pair that a position in states_ comes from, and the probability of that position.
  struct Outcome {
    std::size_t pair;
    double weight;
  };

  // Resolves the pairs. Decided positions are added to `worths`; the others are in states_, with one outcome for each.
  std::vector<Outcome> resolve(const Pairs& pairs, std::vector<Worth>& worths, Rng& rng) {
    states_.clear();
    std::vector<Outcome> outcomes;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      State after[2] = {*root_, *root_};
      for (int first = 0; first < 2; ++first) Game::resolve(after[first], *pairs[k].first, *pairs[k].second, first, rng);
      const bool same = Game::hash(after[0]) == Game::hash(after[1]);
      for (int first = 0; first < (same ? 1 : 2); ++first) {
        const double weight = same ? 1 : 0.5;
        if (Game::over(after[first])) {
          worths[k].add(weight, decided(after[first]));
        } else {
          states_.push_back(after[first]);
          outcomes.push_back({k, weight});
        }
      }
    }
    return outcomes;
  }

  static Worth decided(const State& state) { return {Game::value(state, 0), Game::value(state, 0)}; }

  std::vector<Worth> evaluate(std::span<const State> states) {
    std::vector<double> values(states.size());
    if (!states.empty()) evaluate_(states, values);
    evaluated_ += states.size();
    std::vector<Worth> out;
    for (std::size_t i = 0; i < states.size(); ++i) out.push_back({values[i], discounted(states[i], values[i])});
    return out;
  }

  // The value, scaled towards 0 the more, the farther the leading side is from its win: a win now is worth more than a
  // later one.
  double discounted(const State& state, double value) const {
    if constexpr (ProgressGame<Game>)
      if (settings_.progress > 0) return value * (1 - settings_.progress * (1 - Game::progress(state, value > 0 ? 0 : 1)));
    return value;
  }

  // The worth of each pair.
  std::vector<Worth> worth(const Pairs& pairs, Rng& rng) {
    std::vector<Worth> out(pairs.size());
    const auto outcomes = resolve(pairs, out, rng);
    const auto evaluated = evaluate(states_);
    for (std::size_t i = 0; i < outcomes.size(); ++i) out[outcomes[i].pair].add(outcomes[i].weight, evaluated[i]);
    return out;
  }

  // Searches pairs of the likeliest moves a turn deeper: they get the values of their next turns.
  void look_further(Equilibrium& found, const Budget& budget, Rng& rng) {
    for (int pass = 0; pass < kPasses; ++pass) {
      Pairs pairs;
      std::vector<std::size_t> places;
      const auto likeliest = [&](int player) { return played(found.mixed[player], settings_.deepened); };
      for (const std::size_t i : likeliest(0)) {
        for (const std::size_t j : likeliest(1)) {
          const std::size_t place = i * game_.columns + j;
          if (pairs_[place].deepened) continue;
          places.push_back(place);
          pairs.emplace_back(&candidates_[0][i].orders, &candidates_[1][j].orders);
        }
      }
      const double start = budget.passed();
      const auto count = static_cast<double>(pairs.size());
      if (pairs.empty() || budget.seconds_left() < 1.5 * count * seconds_a_pair_) return;
      std::vector<Worth> worths(pairs.size());
      const auto outcomes = resolve(pairs, worths, rng);
      const std::vector<State> states = states_;
      const auto solved = next_turns(states, rng);
      for (std::size_t i = 0; i < outcomes.size(); ++i) worths[outcomes[i].pair].add(outcomes[i].weight, solved[i]);
      for (std::size_t k = 0; k < places.size(); ++k) {
        worths[k].deepened = true;
        set_pair(places[k], worths[k]);
      }
      found = solve(game_, settings_.iterations, settings_.least);
      seconds_a_pair_ = (budget.passed() - start) / count;
    }
  }

  // The worth of positions for player 0, by solving a turn among few moves at each. Who goes first there is drawn at random.
  std::vector<Worth> next_turns(std::span<const State> states, Rng& rng) {
    struct Turn {
      MatrixGame discounted, plain;
    };
    std::vector<Turn> turns;
    std::vector<State> after;
    std::vector<std::pair<std::size_t, std::size_t>> open;  // turn and place of each undecided position
    if (states.empty()) return {};
    const auto put = [&](std::size_t turn, std::size_t place, const Worth& worth) {
      turns[turn].discounted.values[place] = worth.discounted;
      turns[turn].plain.values[place] = worth.value;
    };
    const auto all = propose_(states);
    for (std::size_t k = 0; k < states.size(); ++k) {
      std::array<Candidates, 2> moves;
      for (int player = 0; player < 2; ++player)
        for (int tries = 0; tries < settings_.below; ++tries)
          add_new(moves[player], {}, written(all[k][player], all[k][player].drawn(rng)));
      const std::size_t rows = moves[0].size(), columns = moves[1].size();
      const MatrixGame empty{rows, columns, std::vector<double>(rows * columns)};
      turns.push_back({empty, empty});
      for (std::size_t place = 0; place < rows * columns; ++place) {
        State next = states[k];
        Game::resolve(next, moves[0][place / columns].orders, moves[1][place % columns].orders,
                      static_cast<int>(rng.below(2)), rng);
        if (Game::over(next)) {
          put(k, place, decided(next));
        } else {
          open.emplace_back(k, place);
          after.push_back(std::move(next));
        }
      }
    }
    const auto evaluated = evaluate(after);
    for (std::size_t i = 0; i < open.size(); ++i) put(open[i].first, open[i].second, evaluated[i]);
    std::vector<Worth> out;
    for (const Turn& turn : turns) {
      const Equilibrium found = solve(turn.discounted, settings_.iterations);
      out.push_back({found.expected(turn.plain), found.value});
    }
    return out;
  }

  void set_pair(std::size_t place, const Worth& worth) {
    pairs_[place] = worth;
    game_.values[place] = worth.discounted;
  }

  // Extends the matrix to all candidates. Those that it already has come first.
  void fill_matrix(Rng& rng) {
    const std::size_t rows = candidates_[0].size(), columns = candidates_[1].size();
    const MatrixGame known = std::exchange(game_, {rows, columns, std::vector<double>(rows * columns)});
    const std::vector<Worth> known_pairs = std::exchange(pairs_, std::vector<Worth>(rows * columns));
    Pairs pairs;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (i < known.rows && j < known.columns) {
          set_pair(i * columns + j, known_pairs[i * known.columns + j]);
        } else {
          pairs.emplace_back(&candidates_[0][i].orders, &candidates_[1][j].orders);
          places.push_back(i * columns + j);
        }
      }
    }
    const std::vector<Worth> worths = worth(pairs, rng);
    for (std::size_t k = 0; k < places.size(); ++k) set_pair(places[k], worths[k]);
  }

  // One round: new moves are tried, the best of them join the candidates, and surplus candidates are removed.
  void add_best_responses(const std::array<Proposals, 2>& proposals, const Equilibrium& now, Rng& rng) {
    std::array<Candidates, 2> fresh;
    std::array<std::vector<std::size_t>, 2> opponents;  // moves of the other side against which a player's new ones are tried
    Pairs pairs;
    for (int player = 0; player < 2; ++player) {
      fresh[player] = varied(proposals[player], player, now, rng);
      opponents[player] = played(now.mixed[1 - player], settings_.opponents);
      for (const Candidate& one : fresh[player])
        for (const std::size_t j : opponents[player]) {
          const Orders* other = &candidates_[1 - player][j].orders;
          pairs.emplace_back(player == 0 ? &one.orders : other, player == 0 ? other : &one.orders);
        }
    }
    const std::vector<Worth> worths = worth(pairs, rng);
    auto next = worths.begin();
    std::array<Candidates, 2> joining;
    for (int player = 0; player < 2; ++player) {
      const double sign = player == 0 ? 1 : -1;
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < fresh[player].size(); ++i) {
        double sum = 0, weights = 0;
        for (const std::size_t j : opponents[player]) {
          sum += sign * now.mixed[1 - player][j] * (next++)->discounted;
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
    // A parent is drawn from the strategy or, with probability 1/2, is the better of two random candidates.
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

  // The likeliest moves of a mixed strategy, at most `most`, without those of probability 0.
  static std::vector<std::size_t> played(const std::vector<double>& mixed, int most) {
    std::vector<std::size_t> order(mixed.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mixed[a] > mixed[b]; });
    std::size_t n = 0;
    while (n < order.size() && n < static_cast<std::size_t>(most) && mixed[order[n]] > 0) ++n;
    order.resize(n);
    return order;
  }

  // Removes candidates to make room for the joining ones: the least likely first and, of equally likely ones, the worst.
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
    std::vector<Worth> next_pairs;
    for (const std::size_t i : kept[0]) {
      for (const std::size_t j : kept[1]) {
        next.values.push_back(game_.at(i, j));
        next_pairs.push_back(pairs_[i * game_.columns + j]);
      }
    }
    game_ = std::move(next);
    pairs_ = std::move(next_pairs);
  }

  TurnResult<Orders> result(const Equilibrium& found, std::uint64_t done, Rng& rng) const {
    MatrixGame plain = game_;
    for (std::size_t place = 0; place < pairs_.size(); ++place) plain.values[place] = pairs_[place].value;
    TurnResult<Orders> out;
    for (int player = 0; player < 2; ++player) {
      auto& own = out.players[player];
      for (const Candidate& one : candidates_[player]) own.moves.push_back(one.orders);
      own.shares = found.mixed[player];
      own.values = plain.against(player, found.mixed[1 - player]);
      out.exploitability += *std::max_element(own.values.begin(), own.values.end());
      own.best = static_cast<std::size_t>(std::max_element(own.shares.begin(), own.shares.end()) - own.shares.begin());
      double rest = rng.uniform();
      for (std::size_t i = 0; settings_.mixed && i < own.shares.size(); ++i) {
        if ((rest -= own.shares[i]) >= 0) continue;
        own.best = i;
        break;
      }
    }
    out.value = found.expected(plain);
    out.states = evaluated_;
    out.rounds = done;
    return out;
  }

  EquilibriumSettings settings_;
  PairEvaluator<Game> evaluate_;
  Propose propose_;
  const State* root_ = nullptr;
  std::array<Candidates, 2> candidates_;
  MatrixGame game_;           // of the values by which the players choose
  std::vector<Worth> pairs_;  // the worth of the same pairs
  double seconds_a_pair_ = 0;  // that look_further() took
  std::uint64_t evaluated_ = 0;
  std::vector<State> states_;
};

}  // namespace sandtable::search
