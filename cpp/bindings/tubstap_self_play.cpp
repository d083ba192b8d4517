// Self-play of TUBSTAP with a policy/value network, for Python. The public face is sandtable.learn.
#include <nanobind/stl/vector.h>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/tubstap_evaluator.h"
#include "search/puct/self_play.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

// A game as Python gets it: moves [T] as places in the lists of moves, full [T], values [T], counts [T] of moves, and the
// policies of all decisions one after the other.
nb::tuple game_of(const std::vector<search::Decision>& decisions) {
  std::vector<std::int64_t> moves, counts;
  std::vector<float> full, values, policy;
  for (const search::Decision& made : decisions) {
    moves.push_back(made.move);
    full.push_back(made.full ? 1.0f : 0.0f);
    values.push_back(made.value);
    counts.push_back(static_cast<std::int64_t>(made.policy.size()));
    policy.insert(policy.end(), made.policy.begin(), made.policy.end());
  }
  const std::size_t n = moves.size(), all = policy.size();
  return nb::make_tuple(owned(std::move(moves), {n}), owned(std::move(full), {n}), owned(std::move(values), {n}),
                        owned(std::move(counts), {n}), owned(std::move(policy), {all}));
}

nb::list self_play(PyTubstapPolicy& policy, nb::handle starts, const std::vector<std::uint64_t>& seeds,
                   const search::SelfPlaySettings& settings) {
  using namespace tubstap;
  const auto states = read_playable(starts, policy.encoder());
  const auto games = [&] {
    const nb::gil_scoped_release release;
    return search::self_play<Game<Small>, Game<Compact>, Game<Medium>, Game<Large>>(
        std::span(states), seeds, settings,
        [&](std::size_t n, auto&& leaf_at) { evaluation::evaluate_leaves(policy, n, leaf_at); }, ctrl_c);
  }();
  if (PyErr_Occurred()) throw nb::python_error();
  nb::list out;
  for (const auto& game : games) out.append(game_of(game));
  return out;
}

}  // namespace

void bind_tubstap_self_play(nb::module_& m) {
  m.def("self_play", &self_play, "policy"_a, "starts"_a, "seeds"_a, "settings"_a,
        nb::sig("def self_play(policy: PolicyEvaluator, starts: collections.abc.Sequence[State], "
                "seeds: collections.abc.Sequence[int], settings: sandtable._core.SelfPlaySettings) -> list[tuple[" SANDTABLE_INTS ", " SANDTABLE_FLOATS
                ", " SANDTABLE_FLOATS ", " SANDTABLE_INTS ", " SANDTABLE_FLOATS "]]"),
        "A game from each start: (moves by their places, searched in full, values, numbers of moves, policies).");
}

}  // namespace sandtable
