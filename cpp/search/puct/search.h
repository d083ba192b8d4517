// A search in one position: descents in batches, by the PUCT or the Gumbel rule, until the budget is spent.
#pragma once

#include <functional>
#include <stdexcept>

#include "search/budget.h"
#include "search/puct/final_choice.h"
#include "search/puct/gumbel.h"
#include "search/puct/puct.h"

namespace sandtable::search {

template <PolicyGame Game>
using Leaves = std::vector<typename PolicyTree<Game>::Leaf>;

// Gives the first n leaves their priors and values.
template <PolicyGame Game>
using PolicyEvaluator = std::function<void(Leaves<Game>& leaves, std::size_t n)>;

// Searches from the tree's root, where the game must not be over; earlier results in the tree are kept and count.
// `rule` is a Puct or a Gumbel; best() returns the child that is played.
template <PolicyGame Game, class Rule, class Best>
Result<typename Game::Move> search_tree(PolicyTree<Game>& tree, Rule& rule, std::size_t batch, Budget budget, Rng& rng,
                                        const PolicyEvaluator<Game>& evaluate, Best&& best) {
  using Tree = PolicyTree<Game>;
  Leaves<Game> leaves(batch, typename Tree::Leaf(tree.root()));
  const auto choose = [&](std::uint32_t node) { return rule.choose(tree, node, rng); };
  std::uint64_t done = 0;
  const auto round = [&](std::size_t most) {
    std::size_t n = 0;
    for (std::size_t tries = 0; tries < most && n < most; ++tries) {
      const auto ended = tree.descend(choose, leaves[n]);
      if (ended == Tree::Ended::kTaken) break;  // evaluate the leaves at hand first: their values redirect descents
      ended == Tree::Ended::kWaiting ? ++n : ++done;
    }
    if (n == 0) return;
    try {
      evaluate(leaves, n);
    } catch (...) {  // leave no pending descents: the tree may be searched again
      for (std::size_t i = 0; i < n; ++i) tree.give_up(leaves[i]);
      throw;
    }
    for (std::size_t i = 0; i < n; ++i) tree.expand(leaves[i]);
    done += n;
  };
  if (!tree.expanded(Tree::kRoot)) {
    round(1);  // evaluates the root, which does not count as a simulation
    done = 0;
  }
  while (!budget.spent(done)) round(std::min<std::uint64_t>(batch, budget.left(done)));

  Result<typename Game::Move> out;
  const auto& root = tree.stat(Tree::kRoot);
  for (std::uint32_t i = 0; i < root.children; ++i) {
    const std::uint32_t child = root.first_child + i;
    const std::uint32_t visits = tree.stat(child).visits;
    out.candidates.push_back(
        {tree.edge(child).move, visits, visits ? tree.mean(child) : 0, principal_variation(tree, child), tree.edge(child).prior});
  }
  out.best = best() - root.first_child;
  out.value = root.sum / root.visits;
  out.nodes = tree.size();
  out.simulations = done;
  return out;
}

// The selection rule at the root: PUCT, or Gumbel, which needs a fixed number of simulations and a new tree.
enum class RootRule { kPuct, kGumbel };

struct PuctSettings {
  std::uint64_t simulations = 500;
  SelectionSettings selection{};
  RootRule root = RootRule::kPuct;
  Choice choice = Choice::kVisits;
  GumbelSettings gumbel{.drawn = false};
  std::uint32_t batch = 8;
  bool keep = true;
  std::uint32_t max_nodes = 1u << 22;  // about 180 MB

  template <class S>
  static constexpr auto root_field() {
    return std::tuple(field("root", &S::root, "puct gumbel", "selection at the root; gumbel suits few simulations"));
  }
  static constexpr auto fields() {
    using S = PuctSettings;
    return std::tuple_cat(
        std::tuple(count("simulations", &S::simulations, "simulations for a move")),
        within(&S::selection, std::tuple_cat(SelectionSettings::fields(), SelectionSettings::unvisited_field())), root_field<S>(),
        std::tuple(field("choice", &S::choice, "visits bound",
                         "how a puct root chooses its move: visits, as in the paper; "
                         "bound, by a lower bound of the value, then by progress")),
        within(&S::gumbel, GumbelSettings::fields()),
        std::tuple(field("batch", &S::batch, 1, 4096, "simulations whose leaves the network evaluates together"),
                   field("keep", &S::keep, "keep the subtree of the move played for the next decision"),
                   field("max_nodes", &S::max_nodes, 1, 1u << 31, "nodes beyond which the tree stops growing")));
  }

  void check() const {
    if (root == RootRule::kGumbel && simulations == 0)
      throw std::invalid_argument("a gumbel root needs a number of simulations, even with a clock");
  }
  // A Gumbel root plans its visits for a new tree: visits from an earlier search would upset the schedule.
  bool keeps_tree() const { return keep && root == RootRule::kPuct; }
};

// A search by the rule that the settings name.
template <PolicyGame Game>
Result<typename Game::Move> search_tree(PolicyTree<Game>& tree, const PuctSettings& settings, const Budget& budget, Rng& rng,
                                        const PolicyEvaluator<Game>& evaluate) {
  if (settings.root == RootRule::kPuct) {
    Puct<Game> rule(settings.selection);
    return search_tree<Game>(tree, rule, settings.batch, budget, rng, evaluate,
                             [&] { return settings.choice == Choice::kBound ? HighestBound(tree).choose() : most_visited(tree); });
  }
  Gumbel<Game> rule(settings.gumbel);
  rule.begin(static_cast<std::uint32_t>(settings.simulations));
  return search_tree<Game>(tree, rule, settings.batch, budget, rng, evaluate, [&] { return rule.best(tree, rng); });
}

}  // namespace sandtable::search
