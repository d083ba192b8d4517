// The searches on TUBSTAP and self-play with networks, for Python. The public faces are sandtable.players and sandtable.learn.
#include "bindings/search.h"
#include "bindings/settings.h"
#include "bindings/tubstap_objects.h"
#include "evaluation/tubstap.h"
#include "search/minimax/minimax.h"
#include "search/minimax/pruned.h"
#include "search/pmc/pmc.h"
#include "search/puct/kept_tree.h"
#include "search/puct/self_play.h"
#include "search/uct/uct.h"

namespace sandtable {
namespace {

using namespace tubstap;
using evaluation::TubstapPolicies;

using UctSettings = search::UctSettings<PlayoutKind>;

SearchResult uct(const PyTubstapState& self, UctSettings settings, double seconds, std::uint64_t seed) {
  settings.playout.lead_wins_at_threshold = settings.opponent == search::Opponent::kOriginal;
  return run_search(self, [&]<class State>(const State& state) {
    search::Uct<TubstapGame<State>> search(settings, &TubstapGame<State>::attacks_first);
    Rng rng(seed, stream_number("uct"));
    return search.search(state, budget_of(settings.simulations, seconds), rng);
  });
}

using PmcSettings = search::PmcSettings<PlayoutKind>;

SearchResult pmc(const PyTubstapState& self, const PmcSettings& settings, double seconds, std::uint64_t seed) {
  return run_search(self, [&]<class State>(const State& state) {
    check_limited(settings.playouts, seconds);
    Rng rng(seed, stream_number("pmc"));
    return search::pmc<TubstapGame<State>>(state, settings, search::Budget(0, seconds, ctrl_c), rng);
  });
}

SearchResult minimax(const PyTubstapState& self, const search::MinimaxSettings& settings, std::uint64_t seed,
                     evaluation::TubstapValues* evaluator) {
  if (evaluator) self.state.visit([&](const auto& state) { evaluator->encoder().check(state.board()); });
  return run_search(self, [&]<class State>(const State& state) {
    const auto by_hp = [](std::span<const State> states, int side, std::span<double> values) {
      for (std::size_t i = 0; i < states.size(); ++i) values[i] = hp_value(states[i], side);
    };
    const auto by_network = [&](std::span<const State> states, int side, std::span<double> values) {
      evaluation::evaluate_for_side(*evaluator, states, side, values);
    };
    using Minimax = search::Minimax<TubstapGame<State>>;
    Rng rng(seed, stream_number("minimax"));
    return (evaluator ? Minimax(settings, by_network) : Minimax(settings, by_hp, 256)).search(state, rng, ctrl_c);
  });
}

// The tree of a player, kept from one decision to the next.
template <class Size>
using TreeOf = search::PolicyTree<Game<Size>>;
struct PyTubstapTree {
  search::KeptTree<AnyState, TreeOf<Small>, TreeOf<Compact>, TreeOf<Medium>, TreeOf<Large>> kept;
  evaluation::ExclusiveUse use;
};

template <class Game>
search::PolicyEvaluator<Game> leaf_evaluator(TubstapPolicies& policy) {
  return [&](search::Leaves<Game>& leaves, std::size_t n) {
    evaluation::evaluate_leaves(policy, n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
  };
}

// The board of a position that a network is to be asked about, which it must be made for.
void check_board(const PyTubstapState& position, const TubstapPolicies& policy) {
  position.state.visit([&](const auto& state) { policy.encoder().check(state.board()); });
}

SearchResult search_position(PyTubstapTree& self, const PyTubstapState& position, TubstapPolicies& policy,
                             const search::PuctSettings& settings, double seconds, std::uint64_t seed) {
  check_board(position, policy);
  const AnyState any = position.state;  // owns the board that the tree's states refer to
  return run_search(position, [&]<class State>(const State& state) {
    const evaluation::ExclusiveUse::Guard guard(self.use);
    auto& tree = self.kept.template at<TreeOf<typename State::Size>>(state, any, settings.max_nodes, settings.keeps_tree());
    Rng rng(seed, stream_number("puct"));
    const search::Budget budget = budget_of(settings.simulations, seconds);
    return search::search_tree(tree, settings, budget, rng, leaf_evaluator<TubstapGame<State>>(policy));
  });
}

SearchResult pruned_minimax(const PyTubstapState& position, TubstapPolicies& policy, const search::PrunedMinimaxSettings& settings) {
  check_board(position, policy);
  return run_search(position, [&]<class State>(const State& state) {
    return search::PrunedMinimax<TubstapGame<State>>(settings, leaf_evaluator<TubstapGame<State>>(policy)).search(state, ctrl_c);
  });
}

// moves [T] as places in the lists of moves, full [T], values [T], counts [T] of moves, and the policies of all decisions one
// after the other.
using PlayedGame = std::tuple<Integers, Floats, Floats, Integers, Floats>;

PlayedGame played(const std::vector<search::Decision>& decisions) {
  std::vector<std::int64_t> moves, counts;
  std::vector<float> full, values, policy;
  for (const search::Decision& made : decisions) {
    moves.push_back(made.move);
    full.push_back(made.full ? 1.0f : 0.0f);
    values.push_back(made.value);
    counts.push_back(static_cast<std::int64_t>(made.policy.size()));
    policy.insert(policy.end(), made.policy.begin(), made.policy.end());
  }
  return {owned(std::move(moves)), owned(std::move(full)), owned(std::move(values)), owned(std::move(counts)), owned(std::move(policy))};
}

std::vector<PlayedGame> self_play(TubstapPolicies& policy, TubstapStates starts, const std::vector<std::uint64_t>& seeds,
                                  const search::SelfPlaySettings& settings) {
  const auto states = read_unfinished(starts, policy.encoder());
  const auto games = [&] {
    const nb::gil_scoped_release release;
    return search::self_play<Game<Small>, Game<Compact>, Game<Medium>, Game<Large>>(
        std::span(states), seeds, settings,
        [&](std::size_t n, auto&& leaf_at) { evaluation::evaluate_leaves(policy, n, leaf_at); }, ctrl_c);
  }();
  if (PyErr_Occurred()) throw nb::python_error();
  std::vector<PlayedGame> out;
  for (const auto& game : games) out.push_back(played(game));
  return out;
}

}  // namespace

void bind_tubstap_search(nb::module_& m) {
  bind_settings<UctSettings>(m, "UctSettings", "Settings of uct().");
  m.def("uct", &uct, "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "Monte-Carlo tree search over operations; 0 seconds are no limit.");
  bind_settings<PmcSettings>(m, "PmcSettings", "Settings of pmc().");
  m.def("pmc", &pmc, "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
        "Pure Monte Carlo: as many playouts after each move as the settings and the seconds allow.");
  bind_settings<search::MinimaxSettings>(m, "MinimaxSettings", "Settings of minimax().");
  m.def("minimax", &minimax, "state"_a, "settings"_a, nb::kw_only(), "seed"_a, "evaluator"_a = nb::none(),
        "Minimax over operations; `simulations` are the leaves that were evaluated, by their HP if there is no evaluator.");
  bind_settings<search::PuctSettings>(m, "PuctSettings", "Settings of PolicyTree.search().");
  bind_settings<search::PrunedMinimaxSettings>(m, "PrunedMinimaxSettings", "Settings of pruned_minimax().");
  nb::class_<PyTubstapTree>(m, "PolicyTree", "The tree of a search that a network guides, kept from one decision to the next.")
      .def(nb::init<>())
      .def("search", &search_position, "state"_a, "policy"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
           "PUCT with a network's priors and values; 0 seconds are no limit.");
  m.def("pruned_minimax", &pruned_minimax, "state"_a, "policy"_a, "settings"_a,
        "As minimax(), but below the root only the `width` likeliest moves of every position are followed.");
  m.def("self_play", &self_play, "policy"_a, "starts"_a, "seeds"_a, "settings"_a,
        "A game from each start: (moves by their places, searched in full, values, numbers of moves, policies).");
}

}  // namespace sandtable
