// Tree search in which both players choose at once, as they do in the game (unlike soares2025's search, in which the
// opponent replies to orders that it could not know).
//
// A node is a position in which each player has candidate moves. A rule (decoupled_uct.h, regret_matching.h) chooses one for
// each player; neither choice depends on the other. A simulation resolves pairs until it reaches a new position, which is
// evaluated from the perspectives of both players, or by a random playout. Pairs are resolved again each time, so that chance
// (who marches first) is sampled. Positions are identified by their hash, so that pairs which lead to the same position share
// a node. A position gets candidates when it is reached for the second time: most never are.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/logarithm.h"
#include "core/settings.h"
#include "search/budget.h"
#include "search/turn_evaluator.h"

namespace sandtable::search {

// A simultaneous game whose positions have a hash.
template <class G>
concept HashedGame = SimultaneousGame<G> && requires(const typename G::State c) {
  { G::hash(c) } -> std::convertible_to<std::uint64_t>;
};

// The rule's settings include `mixed`: rules differ in whether a move should be drawn from their strategy.
template <class RuleSettings>
struct SimultaneousSettings {
  int candidates = 20;
  std::uint64_t simulations = 6000;
  int sampled = 0;
  int depth = 0;
  int rollout_turns = 10;
  int batch = 32;
  std::uint32_t max_nodes = 1u << 14;
  RuleSettings rule{};

  static constexpr auto fields() {
    using S = SimultaneousSettings;
    return std::tuple_cat(
        std::tuple(field("candidates", &S::candidates, 1, 100, "candidate moves of each player in a position, with duplicates"),
                   count("simulations", &S::simulations, "simulations for a move"),
                   field("sampled", &S::sampled, 0, 100'000,
                         "random moves from which the network's policy draws the candidates; 0: the candidates are random"),
                   field("depth", &S::depth, 0, 1e6, "turns after which a simulation stops and evaluates its position; 0: no limit"),
                   field("rollout_turns", &S::rollout_turns, 0, 1e6, "turns after which an undecided playout counts 0"),
                   field("batch", &S::batch, 1, 10'000, "positions that the network evaluates together"),
                   field("max_nodes", &S::max_nodes, 1, 1u << 24, "positions beyond which the tree stops growing")),
        within(&S::rule, RuleSettings::fields()));
  }

  void check() const {
    if (sampled != 0 && sampled < candidates)
      throw std::invalid_argument("sampled must be within " + std::to_string(candidates) + "..100000, not " + std::to_string(sampled));
  }
};

template <HashedGame Game, class Rule>
class Simultaneous {
 public:
  using State = typename Game::State;
  using Orders = typename Game::Orders;
  using Candidates = MovesOfBoth<Orders>;

  // Without an evaluator, positions are evaluated by playouts.
  using Settings = SimultaneousSettings<typename Rule::Settings>;
  explicit Simultaneous(const Settings& settings, TurnEvaluator<Game> evaluate = {})
      : settings_(settings), evaluate_(std::move(evaluate)) {}

  // The game must not be over. `given` are the root's candidates; if there are none, they are sampled.
  Result<Orders> search(const State& root, int player, Budget budget, Rng& rng, const Candidates* given = nullptr) {
    nodes_.clear();
    known_.clear();
    add_node(given ? *given : candidates_of(root, rng));
    std::uint64_t done = 0;
    while (!budget.spent(done)) {
      paths_.clear();
      // Batches are small at first: the simulations of a batch are chosen without knowing the results of the others.
      const std::uint64_t batch = evaluate_ ? std::min<std::uint64_t>(settings_.batch, 1 + done / 16) : 1;
      const std::uint64_t size = std::min(batch, budget.left(done));
      for (std::uint64_t i = 0; i < size; ++i) paths_.push_back(descend(root, rng));
      evaluate_paths(rng);
      for (const Path& path : paths_)
        for (const Step& step : path.steps) nodes_[step.node].rule.learn(settings_.rule, step.choice, path.value);
      done += size;
    }
    return result(player, done, rng);
  }

  // The strategy of a player at the root of the last search, as probabilities of its candidates.
  std::vector<double> strategy(int player) const { return nodes_[0].rule.strategy(player); }

 private:
  static constexpr std::uint32_t kOnce = 0;  // reached once, not yet a node. (The root's number is free: nothing leads to it.)
  static constexpr std::size_t kKnownPerNode = 64;  // remembered positions per node; most are reached only once

  struct Node {
    Candidates candidates;
    Rule rule;
  };
  struct Step {
    std::uint32_t node;
    typename Rule::Choice choice;
  };
  struct Path {
    State end;
    std::vector<Step> steps;
    bool evaluated = false;
    double value = 0;  // for player 0
  };

  std::uint32_t add_node(Candidates candidates) {
    Rule rule(candidates[0].size(), candidates[1].size());
    nodes_.push_back({std::move(candidates), std::move(rule)});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  Path descend(const State& root, Rng& rng) {
    Path path{root, {}};
    State& state = path.end;
    for (std::uint32_t node = 0;;) {
      path.steps.push_back({node, nodes_[node].rule.choose(settings_.rule, rng)});
      const auto& [i, j] = path.steps.back().choice;
      Game::resolve(state, nodes_[node].candidates[0][i], nodes_[node].candidates[1][j], rng);
      if (Game::over(state)) {
        path.evaluated = true;
        path.value = Game::value(state, 0);
        return path;
      }
      if (static_cast<int>(path.steps.size()) == settings_.depth) return path;
      std::uint32_t* place = place_of(state);
      if (!place) return path;
      if (*place == kOnce) *place = add_node(candidates_of(state, rng));
      node = *place;
    }
  }

  // The place of a position's node in known_; nullptr if the position is new, or if there is no room for its node.
  std::uint32_t* place_of(const State& state) {
    const std::uint64_t hash = Game::hash(state);
    const auto found = known_.find(hash);
    if (found == known_.end()) {
      if (known_.size() < kKnownPerNode * settings_.max_nodes) known_.emplace(hash, kOnce);
      return nullptr;
    }
    return found->second == kOnce && nodes_.size() >= settings_.max_nodes ? nullptr : &found->second;
  }

  void evaluate_paths(Rng& rng) {
    std::vector<Question<Game>> questions;
    for (Path& path : paths_) {
      if (path.evaluated) continue;
      if (!evaluate_) path.value = playout(path.end, rng);
      for (int player = 0; evaluate_ && player < 2; ++player) questions.push_back({&path.end, player});
    }
    if (questions.empty()) return;
    std::vector<double> values(questions.size());
    evaluate_(questions, values, {});
    auto value = values.begin();
    for (Path& path : paths_) {
      if (path.evaluated) continue;
      path.value = 0.5 * (value[0] - value[1]);
      value += 2;
    }
  }

  double playout(State& state, Rng& rng) const {
    Orders orders[2];
    for (int turn = 0; turn < settings_.rollout_turns && !Game::over(state); ++turn) {
      for (int player = 0; player < 2; ++player) Game::sample(state, player, rng, orders[player]);
      Game::resolve(state, orders[0], orders[1], rng);
    }
    return Game::over(state) ? Game::value(state, 0) : 0;
  }

  Candidates candidates_of(const State& state, Rng& rng) const {
    Candidates all;
    for (int player = 0; player < 2; ++player) {
      auto& own = all[player];
      for (int i = 0; i < std::max(settings_.candidates, settings_.sampled); ++i) {
        Orders orders;
        Game::sample(state, player, rng, orders);
        if (std::find(own.begin(), own.end(), orders) == own.end()) own.push_back(orders);
      }
    }
    if (settings_.sampled > 0) draw(state, all, rng);
    return all;
  }

  // Reduces the moves of each player to `candidates` moves, drawn without replacement by the evaluator's probabilities:
  // those with the greatest sum of logit and Gumbel noise (Kool, van Hoof and Welling, 2019).
  void draw(const State& state, Candidates& all, Rng& rng) const {
    double values[2];
    std::vector<double> logits(all[0].size() + all[1].size());
    const Question<Game> questions[2] = {{&state, 0, all[0]}, {&state, 1, all[1]}};
    evaluate_(questions, values, logits);
    auto logit = logits.begin();
    for (auto& own : all) {
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < own.size(); ++i)
        order.emplace_back(*logit++ - logarithm(-logarithm(rng.uniform() * 0.999999 + 5e-7)), i);
      std::sort(order.begin(), order.end(), std::greater<>());
      order.resize(std::min(order.size(), static_cast<std::size_t>(settings_.candidates)));
      std::vector<Orders> chosen;
      for (const auto& [key, i] : order) chosen.push_back(std::move(own[i]));
      own = std::move(chosen);
    }
  }

  Result<Orders> result(int player, std::uint64_t done, Rng& rng) const {
    Result<Orders> out;
    const Node& root = nodes_[0];
    const std::vector<double> shares = root.rule.strategy(player);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      out.candidates.push_back({root.candidates[player][i], root.rule.visits(player, i), root.rule.value(player, i)});
      out.value += shares[i] * out.candidates[i].value;
      if (shares[i] > shares[out.best]) out.best = i;
    }
    double rest = rng.uniform();
    for (std::size_t i = 0; settings_.rule.mixed && i < shares.size(); ++i) {
      if ((rest -= shares[i]) >= 0) continue;
      out.best = i;
      break;
    }
    out.nodes = nodes_.size();
    out.simulations = done;
    return out;
  }

  Settings settings_;
  TurnEvaluator<Game> evaluate_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // nodes by the hash of their positions
  std::vector<Path> paths_;
};

// The result of a search, and the strategies of both players at the root.
template <class Orders>
struct StrategyResult {
  Result<Orders> found;
  std::array<std::vector<double>, 2> strategies;
};

// A player's search with the seed and the limits of a run. The candidates at the root may be given.
template <SimultaneousGame Game, class Rule>
StrategyResult<typename Game::Orders> simultaneous(const typename Game::State& root, int player,
                                                   const SimultaneousSettings<typename Rule::Settings>& settings, const Run& run,
                                                   TurnEvaluator<Game> evaluate = {},
                                                   const MovesOfBoth<typename Game::Orders>* given = nullptr) {
  if (settings.sampled > 0 && !evaluate) throw std::invalid_argument("sampled moves need an evaluator that weighs them");
  Simultaneous<Game, Rule> search(settings, std::move(evaluate));
  Rng rng(run.seed, stream_number("simultaneous"), player);
  auto found = search.search(root, player, run.budget(settings.simulations), rng, given);
  return {std::move(found), {search.strategy(0), search.strategy(1)}};
}

}  // namespace sandtable::search
