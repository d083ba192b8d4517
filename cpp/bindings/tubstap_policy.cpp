// Policy/value networks of TUBSTAP, the searches that they guide and self-play, for Python. The public faces are
// sandtable.nets, sandtable.players and sandtable.learn.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/tubstap_evaluator.h"
#include "search/minimax/pruned.h"
#include "search/puct/kept_tree.h"
#include "search/puct/self_play.h"
#include "tubstap/game.h"

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
using GameOf = tubstap::Game<typename State::Size>;

template <class State>
std::vector<tubstap::Operation> moves_of(const State& state) {
  std::vector<tubstap::Operation> moves;
  GameOf<State>::moves(state, moves);
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

using PolicyFound = std::tuple<std::size_t, std::vector<std::tuple<nb::object, std::uint64_t, double, float>>, double,
                               std::uint64_t, std::uint64_t>;

template <class State>
PolicyFound to_python(const State& state, const search::PolicyResult<tubstap::Operation>& found) {
  if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C: the budget ended the search
  PolicyFound out{found.best, {}, found.value, found.nodes, found.simulations};
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    const auto& one = found.candidates[i];
    std::get<1>(out).emplace_back(nb::steal(tubstap_move(state.board(), one.move)), one.visits, one.value, found.priors[i]);
  }
  return out;
}

template <class Game>
search::PolicyEvaluator<Game> leaf_evaluator(PyTubstapPolicy& policy) {
  return [&](search::Leaves<Game>& leaves, std::size_t n) {
    evaluation::evaluate_leaves(policy, n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
  };
}

// What search(copy of the state, copy with its board) finds, without the interpreter's lock.
template <class Search>
PolicyFound search_copy(const PyTubstapState& position, const PyTubstapPolicy& policy, Search&& search) {
  return position.state.visit([&](const auto& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    policy.encoder().check(shared.board());
    const tubstap::AnyState any = position.state;  // Another thread may play on while this one computes.
    const auto state = shared;
    search::PolicyResult<tubstap::Operation> found;
    try {
      const nb::gil_scoped_release release;
      found = search(state, any);
    } catch (const search::Interrupted&) {
      throw nb::python_error();  // Ctrl-C
    }
    return to_python(state, found);
  });
}

PolicyFound search_position(PyTubstapTree& self, const PyTubstapState& position, PyTubstapPolicy& policy,
                            std::uint64_t simulations, double seconds, std::uint64_t seed, std::size_t batch, bool gumbel,
                            double c, double attack_bonus, bool from_parent, std::uint32_t considered, std::uint32_t max_nodes,
                            bool keep) {
  require(batch >= 1 && batch <= 4096, "batch must be within 1..4096");
  require(!gumbel || simulations > 0, "a Gumbel root needs a number of simulations");
  const search::PolicySearchSettings settings{.batch = batch,
                                              .gumbel = gumbel,
                                              .puct = {.c = c, .attack_bonus = attack_bonus, .from_parent = from_parent},
                                              .root = {.considered = considered, .drawn = false}};
  return search_copy(position, policy, [&]<class State>(const State& state, const tubstap::AnyState& any) {
    const evaluation::ExclusiveUse::Guard guard(self.use);
    auto& tree = self.kept.template at<TreeOf<typename State::Size>>(state, any, max_nodes, keep && !gumbel);
    Rng rng(seed, stream_number("puct"));
    const search::Budget budget(simulations, seconds, ctrl_c);
    return search::search_tree(tree, settings, simulations, budget, rng, leaf_evaluator<GameOf<State>>(policy));
  });
}

PolicyFound pruned_minimax(const PyTubstapState& position, PyTubstapPolicy& policy, int depth, std::size_t width,
                           std::size_t max_nodes) {
  require(depth >= 1 && depth <= 16, "depth must be within 1..16");
  require(width >= 1, "width must be at least 1");
  return search_copy(position, policy, [&]<class State>(const State& state, const tubstap::AnyState&) {
    search::PrunedMinimax<GameOf<State>> search(depth, width, max_nodes, leaf_evaluator<GameOf<State>>(policy));
    return search.search(state, ctrl_c);
  });
}

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

nb::list self_play(PyTubstapPolicy& policy, nb::handle starts, const std::vector<std::uint64_t>& seeds, std::size_t lanes,
                   bool gumbel, std::uint32_t simulations, std::uint32_t quick_simulations, double full_share, double c,
                   double attack_bonus, double noise_alpha, double noise_share, std::uint32_t considered, double temperature,
                   double last_temperature, std::uint32_t falling) {
  using namespace tubstap;
  const auto states = read_playable(starts, policy.encoder());
  const search::SelfPlaySettings settings{gumbel,
                                          {c, attack_bonus, noise_alpha, noise_share, false},
                                          {.considered = considered},
                                          simulations,
                                          quick_simulations,
                                          full_share,
                                          temperature,
                                          last_temperature,
                                          falling};
  const auto games = [&] {
    const nb::gil_scoped_release release;
    return search::self_play<Game<Small>, Game<Compact>, Game<Medium>, Game<Large>>(
        std::span(states), seeds, lanes, settings,
        [&](std::size_t n, auto&& leaf_at) { evaluation::evaluate_leaves(policy, n, leaf_at); }, ctrl_c);
  }();
  if (PyErr_Occurred()) throw nb::python_error();
  nb::list out;
  for (const auto& game : games) out.append(game_of(game));
  return out;
}

}  // namespace

#define SANDTABLE_FLOATS "numpy.typing.NDArray[numpy.float32]"
#define SANDTABLE_INTS "numpy.typing.NDArray[numpy.int64]"

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
  nb::class_<PyTubstapTree>(m, "PolicyTree", "The tree of a search that a network guides, kept from one decision to the next.")
      .def(nb::init<>())
      .def("search", &search_position, "state"_a, "policy"_a, nb::kw_only(), "simulations"_a, "seconds"_a, "seed"_a, "batch"_a,
           "gumbel"_a, "c"_a, "attack_bonus"_a, "from_parent"_a, "considered"_a, "max_nodes"_a, "keep"_a,
           nb::sig("def search(self, state: State, policy: PolicyEvaluator, *, simulations: int, seconds: float, seed: int, "
                   "batch: int, gumbel: bool, c: float, attack_bonus: float, from_parent: bool, considered: int, "
                   "max_nodes: int, keep: bool) -> "
                   "tuple[int, list[tuple[sandtable.tubstap.types.Move, int, float, float]], float, int, int]"),
           "As uct(), each candidate with its prior. `keep`: what the tree knows of the position already counts.");
  m.def("pruned_minimax", &pruned_minimax, "state"_a, "policy"_a, nb::kw_only(), "depth"_a, "width"_a, "max_nodes"_a,
        nb::sig("def pruned_minimax(state: State, policy: PolicyEvaluator, *, depth: int, width: int, max_nodes: int) -> "
                "tuple[int, list[tuple[sandtable.tubstap.types.Move, int, float, float]], float, int, int]"),
        "As minimax(), but below the root only the `width` likeliest moves of every position are followed.");
  m.def("self_play", &self_play, "policy"_a, "starts"_a, "seeds"_a, nb::kw_only(), "lanes"_a, "gumbel"_a, "simulations"_a,
        "quick_simulations"_a, "full_share"_a, "c"_a, "attack_bonus"_a, "noise_alpha"_a, "noise_share"_a, "considered"_a,
        "temperature"_a, "last_temperature"_a, "falling"_a,
        nb::sig("def self_play(policy: PolicyEvaluator, starts: collections.abc.Sequence[State], "
                "seeds: collections.abc.Sequence[int], *, lanes: int, gumbel: bool, simulations: int, quick_simulations: int, "
                "full_share: float, c: float, attack_bonus: float, noise_alpha: float, noise_share: float, considered: int, "
                "temperature: float, last_temperature: float, falling: int) -> list[tuple[" SANDTABLE_INTS ", " SANDTABLE_FLOATS
                ", " SANDTABLE_FLOATS ", " SANDTABLE_INTS ", " SANDTABLE_FLOATS "]]"),
        "Games from the starts, `lanes` at a time: (moves by their places, searched in full, values, numbers of moves, policies).");
}

}  // namespace sandtable
