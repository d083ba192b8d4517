#include "search/tubstap.h"

#include "search/puct/kept_tree.h"

namespace sandtable::search {
namespace {

using namespace tubstap;
using evaluation::TubstapPolicies, evaluation::TubstapValues;

template <class State>
using GameOf = Game<typename State::Size>;
template <class Size>
using TreeOf = PolicyTree<Game<Size>>;

template <class Game>
PolicyEvaluator<Game> leaf_evaluator(TubstapPolicies& network) {
  return [&](Leaves<Game>& leaves, std::size_t n) {
    evaluation::evaluate_leaves(network, n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
  };
}

void check_board(const AnyState& any, const auto& network) {
  any.visit([&](const auto& state) { network.encoder().check(state.board()); });
}

}  // namespace

TubstapResult uct(const AnyState& any, TubstapUct settings, const Run& run) {
  settings.playout.lead_wins_at_threshold = settings.opponent == Opponent::kOriginal;
  return any.visit([&]<class State>(const State& root) {
    return uct<GameOf<State>>(root, settings, run, &GameOf<State>::attacks_first);
  });
}

TubstapResult pmc(const AnyState& any, const TubstapPmc& settings, const Run& run) {
  return any.visit([&]<class State>(const State& root) { return pmc<GameOf<State>>(root, settings, run); });
}

TubstapResult minimax(const AnyState& any, const MinimaxSettings& settings, const Run& run, TubstapValues* network) {
  if (network) check_board(any, *network);
  return any.visit([&]<class State>(const State& root) {
    const auto by_hp = [](std::span<const State> states, int side, std::span<double> values) {
      for (std::size_t i = 0; i < states.size(); ++i) values[i] = hp_value(states[i], side);
    };
    const auto by_network = [&](std::span<const State> states, int side, std::span<double> values) {
      evaluation::evaluate_for_side(*network, states, side, values);
    };
    return network ? minimax<GameOf<State>>(root, settings, run, by_network)
                   : minimax<GameOf<State>>(root, settings, run, by_hp, 256);
  });
}

TubstapResult pruned_minimax(const AnyState& any, const PrunedMinimaxSettings& settings, const Run& run, TubstapPolicies& network) {
  check_board(any, network);
  return any.visit([&]<class State>(const State& root) {
    return PrunedMinimax<GameOf<State>>(settings, leaf_evaluator<GameOf<State>>(network)).search(root, run.interrupted);
  });
}

struct TubstapTree::Kept {
  KeptTree<AnyState, TreeOf<Small>, TreeOf<Compact>, TreeOf<Medium>, TreeOf<Wide>, TreeOf<Large>> tree;
  evaluation::ExclusiveUse use;
};

TubstapTree::TubstapTree() : kept_(std::make_unique<Kept>()) {}
TubstapTree::~TubstapTree() = default;

TubstapResult TubstapTree::search(const AnyState& any, const PuctSettings& settings, const Run& run, TubstapPolicies& network) {
  check_board(any, network);
  return any.visit([&]<class State>(const State& root) {
    const evaluation::ExclusiveUse::Guard guard(kept_->use);
    auto& tree = kept_->tree.at<TreeOf<typename State::Size>>(root, any, settings.max_nodes, settings.keeps_tree());
    Rng rng(run.seed, stream_number("puct"));
    const Budget budget = run.budget(settings.simulations);
    return search_tree(tree, settings, budget, rng, leaf_evaluator<GameOf<State>>(network));
  });
}

std::vector<std::vector<Decision>> self_play(std::span<const AnyState> starts, std::span<const std::uint64_t> seeds,
                                             const SelfPlaySettings& settings, TubstapPolicies& network,
                                             const std::function<bool()>& interrupted) {
  evaluation::check_unfinished(network.encoder(), starts);
  return self_play<Game<Small>, Game<Compact>, Game<Medium>, Game<Wide>, Game<Large>>(
      starts, seeds, settings, [&](std::size_t n, auto&& leaf_at) { evaluation::evaluate_leaves(network, n, leaf_at); },
      interrupted);
}

}  // namespace sandtable::search
