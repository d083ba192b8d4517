// Games of self-play. Each game pauses whenever it needs the network, so that many games together fill a batch.
//
// A decision is a search with `simulations` simulations. With a PUCT root, as in the paper (kimura2020, section 3.2),
// the subtree is kept and the move is drawn by visits at a falling temperature; the alternative is a Gumbel root.
// Playout cap randomization (KataGo, Wu 2019, section 3.1): only a share of the decisions is searched in full, and the
// policy learns from these only; the others are quick.
#pragma once

#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/exponential.h"
#include "evaluation/lanes.h"
#include "search/puct/search.h"

namespace sandtable::search {

struct SelfPlaySettings {
  RootRule root = RootRule::kPuct;
  std::uint32_t simulations = 500;
  std::uint32_t quick_simulations = 1;
  double full_share = 1;
  SelectionSettings selection{.noise_share = 0.25};
  GumbelSettings gumbel{};
  double temperature = 1, last_temperature = 0.1;
  std::uint32_t falling = 10;
  std::uint32_t lanes = 32;

  static constexpr auto fields() {
    using S = SelfPlaySettings;
    return std::tuple_cat(
        PuctSettings::root_field<S>(),
        std::tuple(field("simulations", &S::simulations, 1, 1e6, "simulations of a decision"),
                   field("quick_simulations", &S::quick_simulations, 1, 1e6,
                         "simulations of a decision that is not searched in full"),
                   field("full_share", &S::full_share, 0.01, 1,
                         "share of decisions that are searched in full; the policy learns from these only")),
        within(&S::selection, std::tuple_cat(SelectionSettings::fields(), SelectionSettings::noise_fields())),
        within(&S::gumbel, GumbelSettings::fields()),
        std::tuple(field("temperature", &S::temperature, 0.001, 100, "temperature of the choice of a move at a PUCT root"),
                   field("last_temperature", &S::last_temperature, 0.001, 100, "final temperature"),
                   field("falling", &S::falling, 0, 1e6, "decisions over which the temperature falls"),
                   field("lanes", &S::lanes, 1, 4096, "games played at the same time, evaluated in one batch")));
  }
};

// A decision of a game. The moves before it determine the position.
struct Decision {
  std::uint16_t move = 0;           // its place among the moves
  bool full = true;                 // whether it was searched in full
  float value = 0;                  // of the search, for the side to move
  std::vector<float> policy;        // a share for each move
};

// A game's decisions as arrays; the policies are concatenated. `counts` are the numbers of moves.
struct PlayedGame {
  std::vector<std::int64_t> moves, counts;
  std::vector<float> full, values, policies;

  explicit PlayedGame(std::span<const Decision> decisions) {
    for (const Decision& made : decisions) {
      moves.push_back(made.move);
      full.push_back(made.full ? 1.0f : 0.0f);
      values.push_back(made.value);
      counts.push_back(static_cast<std::int64_t>(made.policy.size()));
      policies.insert(policies.end(), made.policy.begin(), made.policy.end());
    }
  }
};

template <PolicyGame Game>
class SelfPlay {
 public:
  using State = typename Game::State;
  using Tree = PolicyTree<Game>;
  using Leaf = typename Tree::Leaf;

  SelfPlay(const State& start, const SelfPlaySettings& settings, Rng rng)
      : settings_(settings), rng_(rng), tree_(start), puct_(settings.selection), gumbel_(settings.gumbel), leaf_(start) {
    begin();
  }

  // Runs until a leaf waits for the network and returns true; resume() must be called when the leaf has been evaluated.
  // Returns false at the end of the game.
  bool advance() {
    while (!Game::over(tree_.root())) {
      if (tree_.expanded(Tree::kRoot) && done_ >= simulations_) {
        decide();
        continue;
      }
      const auto choose = [&](std::uint32_t node) {
        return by_gumbel() ? gumbel_.choose(tree_, node, rng_) : puct_.choose(tree_, node, rng_);
      };
      const bool counts = tree_.expanded(Tree::kRoot);
      const auto ended = tree_.descend(choose, leaf_);
      done_ += counts;
      if (ended == Tree::Ended::kWaiting) return true;
    }
    return false;
  }
  Leaf& leaf() { return leaf_; }
  void resume() { tree_.expand(leaf_); }

  const State& state() const { return tree_.root(); }
  const std::vector<Decision>& decisions() const& { return decisions_; }
  std::vector<Decision> decisions() && { return std::move(decisions_); }

 private:
  bool by_gumbel() const { return settings_.root == RootRule::kGumbel; }

  void begin() {
    done_ = 0;
    full_ = settings_.full_share >= 1 || rng_.uniform() < settings_.full_share;
    simulations_ = full_ ? settings_.simulations : settings_.quick_simulations;
    puct_.begin();
    gumbel_.begin(simulations_);
  }

  void decide() {
    const auto& root = tree_.stat(Tree::kRoot);
    Decision made;
    made.full = full_;
    made.value = static_cast<float>(root.sum / root.visits);
    std::uint32_t chosen;
    if (by_gumbel()) {
      gumbel_.improved_policy(tree_, Tree::kRoot, policy_);
      chosen = gumbel_.best(tree_, rng_);
    } else {
      policy_.assign(root.children, 0);
      double total = 0;
      for (std::uint32_t i = 0; i < root.children; ++i) total += policy_[i] = tree_.stat(root.first_child + i).visits;
      for (double& share : policy_) share /= total;
      chosen = root.first_child + drawn();
    }
    made.policy.assign(policy_.begin(), policy_.end());
    made.move = static_cast<std::uint16_t>(chosen - root.first_child);
    decisions_.push_back(std::move(made));
    if (by_gumbel()) {  // the schedule needs a root without visits; the evaluator's cache still has the values
      State next = tree_.root();
      Game::play(next, tree_.edge(chosen).move);
      tree_.plant(next);
    } else {
      tree_.advance(chosen);
    }
    begin();
  }

  // Draws the place of a move, with probabilities proportional to share ^ (1 / temperature).
  std::uint32_t drawn() {
    const double passed = settings_.falling ? std::min(1.0, static_cast<double>(decisions_.size()) / settings_.falling) : 1.0;
    const double temperature = settings_.temperature + passed * (settings_.last_temperature - settings_.temperature);
    const double most = *std::max_element(policy_.begin(), policy_.end());
    std::vector<double> weights;
    for (const double share : policy_) weights.push_back(power(share / most, 1 / temperature));
    double at = rng_.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint32_t i = 0; i < weights.size(); ++i)
      if ((at -= weights[i]) < 0) return i;
    return static_cast<std::uint32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  }

  SelfPlaySettings settings_;
  Rng rng_;
  Tree tree_;
  Puct<Game> puct_;
  Gumbel<Game> gumbel_;
  Leaf leaf_;
  std::vector<double> policy_;
  std::vector<Decision> decisions_;
  std::uint32_t done_ = 0, simulations_ = 0;
  bool full_ = true;
};

// A game of self-play on a board of any size.
template <PolicyGame... Games>
class AnySelfPlay {
 public:
  template <class State>
  AnySelfPlay(const State& start, const SelfPlaySettings& settings, Rng rng)
      : game_(std::in_place_type<typename GameWith<State, Games...>::type>, start, settings, rng) {}

  bool advance() {
    return std::visit([](auto& game) { return game.advance(); }, game_);
  }
  void resume() {
    std::visit([](auto& game) { game.resume(); }, game_);
  }
  template <class F>
  void leaf(F&& f) {
    std::visit([&](auto& game) { f(game.leaf()); }, game_);
  }
  std::vector<Decision> decisions() && {
    return std::visit([](auto& game) { return std::move(game).decisions(); }, game_);
  }

 private:
  // The self-play game whose states are of this type.
  template <class State, class First, class... Rest>
  struct GameWith : GameWith<State, Rest...> {};
  template <class State, class First, class... Rest>
    requires std::same_as<State, typename First::State>
  struct GameWith<State, First, Rest...> : std::type_identity<SelfPlay<First>> {};

  std::variant<SelfPlay<Games>...> game_;
};

// Plays a game from every start, settings.lanes at a time, and returns its decisions. evaluate(n, leaf_at) gives n
// leaves their values and priors; leaf_at(i, f) calls f(leaf i). Every game draws from the stream of its own seed, so
// the number of lanes does not change the games. If `interrupted` stops the games, unfinished games have no decisions.
template <PolicyGame... Games, class AnyState, class Evaluate>
std::vector<std::vector<Decision>> self_play(std::span<const AnyState> starts, std::span<const std::uint64_t> seeds,
                                             const SelfPlaySettings& settings, Evaluate&& evaluate,
                                             const std::function<bool()>& interrupted = {}) {
  using Lane = AnySelfPlay<Games...>;
  if (seeds.size() != starts.size()) throw std::invalid_argument("self-play needs a seed for every start");
  std::vector<std::vector<Decision>> games(starts.size());
  evaluation::play_in_lanes(
      starts.size(), settings.lanes,
      [&](std::size_t i) {
        return starts[i].visit([&](const auto& start) { return Lane(start, settings, Rng(seeds[i], stream_number("self-play"))); });
      },
      [&](std::span<Lane* const> waiting) {
        evaluate(waiting.size(), [&](std::size_t i, auto&& f) { waiting[i]->leaf(f); });
      },
      [&](std::size_t i, Lane&& game) { games[i] = std::move(game).decisions(); }, interrupted);
  return games;
}

}  // namespace sandtable::search
