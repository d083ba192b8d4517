// A search in one position: descents in batches until the budget is spent, by either rule.
#pragma once

#include <functional>

#include "search/budget.h"
#include "search/puct/gumbel.h"
#include "search/puct/puct.h"

namespace sandtable::search {

template <PolicyGame Game>
using Leaves = std::vector<typename PolicyTree<Game>::Leaf>;

// Gives the first n leaves their priors and values.
template <PolicyGame Game>
using PolicyEvaluator = std::function<void(Leaves<Game>& leaves, std::size_t n)>;

// Candidates of the root with their priors beside them.
template <class Move>
struct PolicyResult : Result<Move> {
  std::vector<float> priors;
};

// Searches from the tree's root, which must not be over; what the tree knows already is kept and counts.
// `rule` is a Puct or a Gumbel; best(tree) names the child that is played.
template <PolicyGame Game, class Rule, class Best>
PolicyResult<typename Game::Move> search_tree(PolicyTree<Game>& tree, Rule& rule, std::size_t batch, Budget budget, Rng& rng,
                                              const PolicyEvaluator<Game>& evaluate, Best&& best) {
  using Tree = PolicyTree<Game>;
  Leaves<Game> leaves(batch, typename Tree::Leaf(tree.root()));
  const auto choose = [&](std::uint32_t node) { return rule.choose(tree, node, rng); };
  std::uint64_t done = 0;
  const auto round = [&](std::size_t most) {
    std::size_t n = 0;
    for (std::size_t tries = 0; tries < most && n < most; ++tries) {
      const auto ended = tree.descend(choose, leaves[n]);
      if (ended == Tree::Ended::kTaken) break;  // judge what there is, then another way will look better
      ended == Tree::Ended::kWaiting ? ++n : ++done;
    }
    if (n == 0) return;
    try {
      evaluate(leaves, n);
    } catch (...) {  // the tree may be searched again
      for (std::size_t i = 0; i < n; ++i) tree.give_up(leaves[i]);
      throw;
    }
    for (std::size_t i = 0; i < n; ++i) tree.judge(leaves[i]);
    done += n;
  };
  if (!tree.expanded(Tree::kRoot)) {
    round(1);  // of the root itself, which is not a simulation
    done = 0;
  }
  while (!budget.spent(done)) round(std::min<std::uint64_t>(batch, budget.left(done)));

  PolicyResult<typename Game::Move> out;
  const auto& root = tree.stat(Tree::kRoot);
  for (std::uint32_t i = 0; i < root.children; ++i) {
    const std::uint32_t child = root.first_child + i;
    const std::uint32_t visits = tree.stat(child).visits;
    out.candidates.push_back({tree.edge(child).move, visits, visits ? tree.mean(child) : 0});
    out.priors.push_back(tree.edge(child).prior);
  }
  out.best = best() - root.first_child;
  out.value = root.sum / root.visits;
  out.nodes = tree.size();
  out.simulations = done;
  return out;
}

// The child with most visits; of several the one with the greatest value.
template <PolicyGame Game>
std::uint32_t most_visited(const PolicyTree<Game>& tree) {
  const auto& root = tree.stat(PolicyTree<Game>::kRoot);
  std::uint32_t best = root.first_child;
  const auto key = [&](std::uint32_t child) {
    return std::pair(tree.stat(child).visits, tree.stat(child).visits ? tree.mean(child) : -2.0);
  };
  for (std::uint32_t i = 1; i < root.children; ++i)
    if (key(root.first_child + i) > key(best)) best = root.first_child + i;
  return best;
}

struct PolicySearchSettings {
  std::size_t batch = 1;  // descents that are evaluated together
  bool gumbel = false;    // the rule: Gumbel, which needs a number of simulations and a new tree, or PUCT
  PuctSettings puct{};
  GumbelSettings root{};
};

// A search by the rule of the settings.
template <PolicyGame Game>
PolicyResult<typename Game::Move> search_tree(PolicyTree<Game>& tree, const PolicySearchSettings& settings,
                                              std::uint64_t simulations, const Budget& budget, Rng& rng,
                                              const PolicyEvaluator<Game>& evaluate) {
  if (!settings.gumbel) {
    Puct<Game> rule(settings.puct);
    return search_tree<Game>(tree, rule, settings.batch, budget, rng, evaluate, [&] { return most_visited(tree); });
  }
  Gumbel<Game> rule(settings.root);
  rule.begin(static_cast<std::uint32_t>(simulations));
  return search_tree<Game>(tree, rule, settings.batch, budget, rng, evaluate, [&] { return rule.best(tree, rng); });
}

}  // namespace sandtable::search
