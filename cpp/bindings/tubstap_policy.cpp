// Policy/value networks of TUBSTAP and the searches that they guide, for Python. The public faces are sandtable.nets and
// sandtable.players.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/settings.h"
#include "bindings/tubstap_evaluator.h"
#include "search/minimax/pruned.h"
#include "search/puct/kept_tree.h"
#include "search/puct/search.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {

template <>
struct PythonArrays<tubstap::PolicyEncoder> {
  static constexpr const char* kAnswer = "a policy network must return two arrays of float32: values and logits";
  static constexpr bool kShapes = false;
  static nb::tuple inputs(tubstap::PolicyEncoder::Batch& batch, nb::handle owner) {
    return std::visit([&](auto& arrays) { return arrays_of(arrays, owner); }, batch.arrays);
  }

 private:
  static nb::tuple arrays_of(tubstap::UnitQuestionBatch& batch, nb::handle owner) {
    using B = tubstap::UnitQuestionBatch;
    return nb::make_tuple(view(batch.planes(), {batch.rows(), B::kPlanes, B::kSide, B::kSide}, owner));
  }
  static nb::tuple arrays_of(tubstap::TokenBatch& batch, nb::handle owner) {
    using B = tubstap::TokenBatch;
    const std::size_t b = batch.states(), n = batch.widest(), m = batch.moves();
    return nb::make_tuple(view(batch.units_array(), {b, n, B::kUnit}, owner),
                          view(batch.pairs_array(), {b, B::kPair, n, n}, owner),
                          view(batch.globals_array(), {b, B::kGlobal}, owner), view(batch.moves_array(), {m, B::kMove}, owner),
                          view(batch.actor_array(), {m}, owner), view(batch.target_array(), {m}, owner));
  }
};

namespace {

template <class State>
std::vector<tubstap::Operation> moves_of(const State& state) {
  std::vector<tubstap::Operation> moves;
  TubstapGame<State>::moves(state, moves);
  return moves;
}

// The arrays of states as a network is shown them, and for every move of every state where its logit will be.
nb::tuple encode(const std::string& name, nb::handle sequence) {
  const tubstap::PolicyEncoder encoder(name);
  const auto states = read_playable(sequence, encoder);
  const auto batch = std::make_shared<tubstap::PolicyEncoder::Batch>(encoder.batch());
  std::vector<std::int64_t> logits, counts;
  for (const auto& any : states) {
    any.visit([&](const auto& state) {
      const auto moves = moves_of(state);
      counts.push_back(static_cast<std::int64_t>(moves.size()));
      encoder.add(tubstap::PolicyQuestion{state, std::span(moves)}, *batch);
      std::visit([&](const auto& arrays) { arrays.places(state, moves, logits); }, batch->arrays);
    });
  }
  encoder.finish(*batch);
  const std::size_t all = logits.size(), n = counts.size();
  return nb::make_tuple(inputs_of<tubstap::PolicyEncoder>(batch), owned(std::move(logits), {all}), owned(std::move(counts), {n}));
}

nb::tuple evaluate(PyTubstapPolicy& self, nb::handle sequence) {
  const auto states = read_playable(sequence, self.encoder());
  std::vector<float> values(states.size()), priors;
  std::vector<std::vector<float>> found(states.size());
  {
    const nb::gil_scoped_release release;
    self.evaluate(
        states.size(),
        [&](std::size_t i, auto&& ask) {
          states[i].visit([&](const auto& state) {
            const auto moves = moves_of(state);
            ask(tubstap::PolicyQuestion{state, std::span(moves)});
          });
        },
        [&](std::size_t i, const tubstap::PolicyEncoder::Answer& answer) {
          values[i] = answer.value;
          found[i].assign(answer.priors.begin(), answer.priors.end());
        });
  }
  for (const auto& one : found) priors.insert(priors.end(), one.begin(), one.end());
  const std::size_t n = values.size(), all = priors.size();
  return nb::make_tuple(owned(std::move(values), {n}), owned(std::move(priors), {all}));
}

// The tree of a player, kept from one decision to the next.
template <class Size>
using TreeOf = search::PolicyTree<tubstap::Game<Size>>;
struct PyTubstapTree {
  search::KeptTree<tubstap::AnyState, TreeOf<tubstap::Small>, TreeOf<tubstap::Compact>, TreeOf<tubstap::Medium>, TreeOf<tubstap::Large>>
      kept;
  evaluation::ExclusiveUse use;
};

template <class Game>
search::PolicyEvaluator<Game> leaf_evaluator(PyTubstapPolicy& policy) {
  return [&](search::Leaves<Game>& leaves, std::size_t n) {
    evaluation::evaluate_leaves(policy, n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
  };
}

// The board of a position that a network is to be asked about, which it must be made for.
void check_board(const PyTubstapState& position, const PyTubstapPolicy& policy) {
  position.state.visit([&](const auto& state) { policy.encoder().check(state.board()); });
}

SearchResult search_position(PyTubstapTree& self, const PyTubstapState& position, PyTubstapPolicy& policy,
                             const search::PuctSettings& settings, double seconds, std::uint64_t seed) {
  check_board(position, policy);
  const tubstap::AnyState any = position.state;  // owns the board that the tree's states refer to
  return run_search(
      any,
      [&]<class State>(const State& state) {
        const evaluation::ExclusiveUse::Guard guard(self.use);
        auto& tree = self.kept.template at<TreeOf<typename State::Size>>(state, any, settings.max_nodes, settings.keeps_tree());
        Rng rng(seed, stream_number("puct"));
        const search::Budget budget(settings.simulations, seconds, ctrl_c);
        return search::search_tree(tree, settings, budget, rng, leaf_evaluator<TubstapGame<State>>(policy));
      },
      kTubstapMove);
}

SearchResult pruned_minimax(const PyTubstapState& position, PyTubstapPolicy& policy, const search::PrunedMinimaxSettings& settings) {
  check_board(position, policy);
  return run_search(
      position.state,
      [&]<class State>(const State& state) {
        return search::PrunedMinimax<TubstapGame<State>>(settings, leaf_evaluator<TubstapGame<State>>(policy)).search(state, ctrl_c);
      },
      kTubstapMove);
}

}  // namespace

void bind_tubstap_policy(nb::module_& m) {
  m.def("encode_policy", &encode, "encoder"_a, "states"_a,
        nb::sig("def encode_policy(encoder: str, states: collections.abc.Sequence[State]) -> "
                "tuple[tuple[numpy.typing.NDArray[typing.Any], ...], " SANDTABLE_INTS ", " SANDTABLE_INTS "]"),
        "(the network's inputs, for every move of every state the place of its logit, the number of moves of each state).");
  auto evaluator =
      nb::class_<PyTubstapPolicy>(m, "PolicyEvaluator", "A policy/value network with a cache.")
          .def(
              "__init__",
              [](PyTubstapPolicy* self, const std::string& name, nb::callable forward, std::size_t cache) {
                constexpr std::size_t kAll = 1 << 20;  // what a search asks for at once is one batch
                check_sizes(kAll, cache, 1 << 24);
                const tubstap::PolicyEncoder encoder(name);
                new (self) PyTubstapPolicy(encoder, python_network<tubstap::PolicyEncoder>(std::move(forward)), kAll, cache);
              },
              "encoder"_a, "forward"_a, nb::kw_only(), "cache"_a,
              nb::sig("def __init__(self, encoder: str, forward: collections.abc.Callable[..., tuple[" SANDTABLE_FLOATS
                      ", " SANDTABLE_FLOATS "]], *, cache: int) -> None"),
              "`forward` maps the encoder's arrays to values and logits.")
          .def("evaluate", &evaluate, "states"_a,
               nb::sig("def evaluate(self, states: collections.abc.Sequence[State]) -> tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]"),
               "(the value of each state for its side to move, the priors of all moves of all states).")
          .def_prop_ro("rows", [](const PyTubstapPolicy& p) { return p.counters().rows.load(); }, "Rows that the network was shown.");
  bind_counters(evaluator);
  bind_settings<search::PuctSettings>(m, "PuctSettings", "Settings of PolicyTree.search().");
  bind_settings<search::PrunedMinimaxSettings>(m, "PrunedMinimaxSettings", "Settings of pruned_minimax().");
  nb::class_<PyTubstapTree>(m, "PolicyTree", "The tree of a search that a network guides, kept from one decision to the next.")
      .def(nb::init<>())
      .def("search", &search_position, "state"_a, "policy"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
           "PUCT with a network's priors and values; 0 seconds are no limit.");
  m.def("pruned_minimax", &pruned_minimax, "state"_a, "policy"_a, "settings"_a,
        "As minimax(), but below the root only the `width` likeliest moves of every position are followed.");
}

}  // namespace sandtable
