// The searches on TUBSTAP and self-play with networks, for Python. The public faces are sandtable.players and sandtable.learn.
#include "bindings/search.h"
#include "bindings/settings.h"
#include "bindings/tubstap_objects.h"
#include "search/tubstap.h"

namespace sandtable {
namespace {

using namespace search;
using evaluation::TubstapPolicies, evaluation::TubstapValues;

// The result of search(state, run) for Python.
template <class Search>
SearchResult found_by(const PyTubstapState& self, double seconds, std::uint64_t seed, Search&& search) {
  const Run run{seconds, seed, ctrl_c};
  const TubstapResult found = run_search(self, [&](const tubstap::AnyState& state) { return search(state, run); });
  return self.state.visit([&](const auto& state) { return result_of(found, move_maker(state.board())); });
}

// moves, full, values, counts and policies
using GameArrays = std::tuple<Integers, Floats, Floats, Integers, Floats>;

std::vector<GameArrays> play_games(TubstapPolicies& policy, TubstapStates starts, const std::vector<std::uint64_t>& seeds,
                                   const SelfPlaySettings& settings) {
  const auto states = read_states(starts);
  const auto games =
      unless_interrupted([&] { return unlocked([&] { return self_play(states, seeds, settings, policy, ctrl_c); }); });
  std::vector<GameArrays> out;
  for (const auto& decisions : games) {
    PlayedGame game(decisions);
    out.emplace_back(owned(std::move(game.moves)), owned(std::move(game.full)), owned(std::move(game.values)),
                     owned(std::move(game.counts)), owned(std::move(game.policies)));
  }
  return out;
}

}  // namespace

void bind_tubstap_search(nb::module_& m) {
  using State = PyTubstapState;
  m.def(
      "uct",
      [](const State& self, const TubstapUct& settings, double seconds, std::uint64_t seed) {
        return found_by(self, seconds, seed, [&](const auto& state, const Run& run) { return uct(state, settings, run); });
      },
      "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
      "Monte-Carlo tree search over operations; 0 seconds means no limit.");
  m.def(
      "pmc",
      [](const State& self, const TubstapPmc& settings, double seconds, std::uint64_t seed) {
        return found_by(self, seconds, seed, [&](const auto& state, const Run& run) { return pmc(state, settings, run); });
      },
      "state"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
      "Pure Monte Carlo: as many playouts after each move as the settings and the seconds allow.");
  m.def(
      "minimax",
      [](const State& self, const MinimaxSettings& settings, std::uint64_t seed, TubstapValues* evaluator) {
        return found_by(self, 0, seed, [&](const auto& state, const Run& run) { return minimax(state, settings, run, evaluator); });
      },
      "state"_a, "settings"_a, nb::kw_only(), "seed"_a, "evaluator"_a = nb::none(),
      "Minimax over operations; `simulations` counts the evaluated leaves. Without an evaluator, leaves are evaluated by HP.");
  bind_settings<PuctSettings>(m, "PuctSettings", "Settings of PolicyTree.search().");
  nb::class_<TubstapTree>(m, "PolicyTree", "The tree of a search that a network guides, kept from one decision to the next.")
      .def(nb::init<>())
      .def(
          "search",
          [](TubstapTree& self, const State& position, TubstapPolicies& policy, const PuctSettings& settings, double seconds,
             std::uint64_t seed) {
            return found_by(position, seconds, seed,
                            [&](const auto& state, const Run& run) { return self.search(state, settings, run, policy); });
          },
          "state"_a, "policy"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
          "PUCT with a network's priors and values; 0 seconds means no limit.");
  m.def(
      "pruned_minimax",
      [](const State& self, TubstapPolicies& policy, const PrunedMinimaxSettings& settings) {
        return found_by(self, 0, 0, [&](const auto& state, const Run& run) { return pruned_minimax(state, settings, run, policy); });
      },
      "state"_a, "policy"_a, "settings"_a,
      "As minimax(), but below the root only the `width` likeliest moves of every position are searched.");
  m.def("self_play", &play_games, "policy"_a, "starts"_a, "seeds"_a, "settings"_a,
        "Play a game from each start. Returns for each game, by decision: (the index of the move played, whether the search was\n"
        "full, the value, the number of moves, the policy); the policies are concatenated.");
}

}  // namespace sandtable
