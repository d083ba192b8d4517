// Policy/value networks of TUBSTAP and the searches that they guide, for Python: the public faces are sandtable.nets,
// sandtable.players and sandtable.learn.
#include "bindings/tubstap_policy.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/arrays.h"
#include "bindings/games.h"
#include "bindings/search.h"
#include "bindings/tubstap_objects.h"
#include "search/minimax/pruned.h"
#include "search/puct/self_play.h"
#include "tubstap/game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

TubstapPolicyBatch batch_of(const std::string& encoder) {
  if (encoder == "unit-question") return tubstap::UnitQuestionBatch();
  if (encoder == "tokens") return tubstap::TokenBatch();
  throw std::invalid_argument("no policy encoder is called '" + encoder + "': unit-question or tokens");
}

template <class State>
using GameOf = tubstap::Game<typename State::Size>;

template <class State>
std::vector<tubstap::Operation> moves_of(const State& state) {
  std::vector<tubstap::Operation> moves;
  GameOf<State>::moves(state, moves);
  return moves;
}

std::vector<tubstap::AnyState> copies_of(nb::handle sequence) {
  const Items items(sequence, "states must be a sequence");
  std::vector<tubstap::AnyState> states;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const PyTubstapState* state = nullptr;
    if (!nb::try_cast(nb::handle(items[i]), state) || !state) throw nb::value_error("states must be states of TUBSTAP");
    state->state.visit([](const auto& one) {
      if (one.over()) throw nb::value_error("the game is over");
    });
    states.push_back(state->state);
  }
  return states;
}

// The arrays of states as a network is shown them, and for every move of every state where its logit will be.
nb::tuple encode(const std::string& encoder, nb::handle sequence) {
  const auto states = copies_of(sequence);
  auto* kept = new TubstapPolicyBatch(batch_of(encoder));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<TubstapPolicyBatch*>(p); });
  return std::visit(
      [&](auto& batch) {
        std::vector<std::int64_t> logits, counts;
        for (const auto& any : states) {
          any.visit([&](const auto& state) {
            batch.check(state.board());
            const auto moves = moves_of(state);
            counts.push_back(static_cast<std::int64_t>(moves.size()));
            batch.add(state, std::span(moves));
            batch.places(state, moves, logits);
          });
        }
        const std::size_t all = logits.size(), n = counts.size();
        return nb::make_tuple(policy_arrays(batch, owner), owned(std::move(logits), {all}), owned(std::move(counts), {n}));
      },
      *kept);
}

// A position with its moves, as evaluators want them.
template <class State>
struct Question {
  State state;
  std::vector<tubstap::Operation> moves;
  std::vector<float> priors;
  float value = 0;
};

nb::tuple evaluate(PyTubstapPolicy& self, nb::handle sequence) {
  const auto states = copies_of(sequence);
  for (const auto& any : states) any.visit([&](const auto& state) { self.check(state.board()); });
  std::vector<float> values(states.size()), priors;
  std::vector<std::vector<float>> found(states.size());
  {
    const nb::gil_scoped_release release;
    self.judge(states.size(), [&](std::size_t i, auto&& f) {
      states[i].visit([&](const auto& state) {
        Question<std::decay_t<decltype(state)>> question{state, moves_of(state), {}, 0};
        f(question);
        if (question.priors.empty()) return;
        values[i] = question.value;
        found[i] = std::move(question.priors);
      });
    });
  }
  for (const auto& one : found) priors.insert(priors.end(), one.begin(), one.end());
  const std::size_t n = values.size(), all = priors.size();
  return nb::make_tuple(owned(std::move(values), {n}), owned(std::move(priors), {all}));
}

// The tree of a player, kept from one decision to the next.
class PyTubstapTree {
 public:
  PyTubstapTree() = default;

  template <class State>
  search::PolicyTree<GameOf<State>>& at(const State& state, const tubstap::AnyState& any, std::uint32_t max_nodes, bool keep) {
    using Tree = search::PolicyTree<GameOf<State>>;
    if (Tree* tree = std::get_if<Tree>(&tree_); keep && tree && &tree->root().board() == &state.board())
      if (tree->size() < max_nodes / 2 && tree->seek(state)) return *tree;
    tree_.template emplace<std::monostate>();
    board_.emplace(any);
    return tree_.template emplace<Tree>(state, max_nodes);
  }

  OneUser one_user;

 private:
  template <class Size>
  using TreeOf = search::PolicyTree<tubstap::Game<Size>>;

  std::optional<tubstap::AnyState> board_;  // which the tree's states refer to
  std::variant<std::monostate, TreeOf<tubstap::Small>, TreeOf<tubstap::Compact>, TreeOf<tubstap::Medium>, TreeOf<tubstap::Large>> tree_;
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

PolicyFound search_position(PyTubstapTree& self, const PyTubstapState& position, PyTubstapPolicy& policy,
                            std::uint64_t simulations, double seconds, std::uint64_t seed, std::size_t batch, bool gumbel,
                            double c, double attack_bonus, bool from_parent, std::uint32_t considered, std::uint32_t max_nodes,
                            bool keep) {
  if (batch < 1 || batch > 4096) throw std::invalid_argument("batch must be within 1..4096");
  if (gumbel && simulations == 0) throw std::invalid_argument("a Gumbel root needs a number of simulations");
  return position.state.visit([&]<class State>(const State& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    policy.check(shared.board());
    using Game = GameOf<State>;
    const tubstap::AnyState any = position.state;  // Another thread may play on while this one computes.
    const State state = shared;
    search::PolicyResult<tubstap::Operation> found;
    {
      const nb::gil_scoped_release release;
      const OneUser::Inside inside(self.one_user);
      auto& tree = self.at(state, any, max_nodes, keep && !gumbel);
      Rng rng(seed, stream_number("puct"));
      const search::PolicyEvaluator<Game> judge = [&](search::Leaves<Game>& leaves, std::size_t n) {
        policy.judge(n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
      };
      const search::Budget budget(simulations, seconds, ctrl_c);
      if (gumbel) {
        search::Gumbel<Game> rule({.considered = considered, .drawn = false});
        rule.begin(static_cast<std::uint32_t>(simulations));
        found = search::search_tree<Game>(tree, rule, batch, budget, rng, judge, [&] { return rule.best(tree, rng); });
      } else {
        search::Puct<Game> rule({.c = c, .attack_bonus = attack_bonus, .from_parent = from_parent});
        found = search::search_tree<Game>(tree, rule, batch, budget, rng, judge, [&] { return search::most_visited(tree); });
      }
    }
    return to_python(state, found);
  });
}

PolicyFound pruned_minimax(const PyTubstapState& position, PyTubstapPolicy& policy, int depth, std::size_t width,
                           std::size_t max_nodes) {
  if (depth < 1 || depth > 16) throw std::invalid_argument("depth must be within 1..16");
  if (width < 1) throw std::invalid_argument("width must be at least 1");
  return position.state.visit([&]<class State>(const State& shared) {
    if (shared.over()) throw nb::value_error("the game is over");
    policy.check(shared.board());
    using Game = GameOf<State>;
    const tubstap::AnyState any = position.state;
    const State state = shared;
    search::PolicyResult<tubstap::Operation> found;
    try {
      const nb::gil_scoped_release release;
      search::PrunedMinimax<Game> search(depth, width, max_nodes, [&](search::Leaves<Game>& leaves, std::size_t n) {
        policy.judge(n, [&](std::size_t i, auto&& f) { f(leaves[i]); });
      });
      found = search.search(state, ctrl_c);
    } catch (const search::Interrupted&) {
      throw nb::python_error();  // Ctrl-C
    }
    return to_python(state, found);
  });
}

template <class Size>
using LaneOf = search::SelfPlay<tubstap::Game<Size>>;
using Lane = std::variant<LaneOf<tubstap::Small>, LaneOf<tubstap::Compact>, LaneOf<tubstap::Medium>, LaneOf<tubstap::Large>>;

// A game as Python gets it: moves [T] as places in the lists of moves, full [T], values [T], counts [T] of moves, and the
// policies of all decisions one after the other.
nb::tuple game_of(const Lane& lane) {
  return std::visit(
      [](const auto& game) {
        std::vector<std::int64_t> moves, counts;
        std::vector<float> full, values, policy;
        for (const search::Decision& made : game.decisions()) {
          moves.push_back(made.move);
          full.push_back(made.full ? 1.0f : 0.0f);
          values.push_back(made.value);
          counts.push_back(static_cast<std::int64_t>(made.policy.size()));
          policy.insert(policy.end(), made.policy.begin(), made.policy.end());
        }
        const std::size_t n = moves.size(), all = policy.size();
        return nb::make_tuple(owned(std::move(moves), {n}), owned(std::move(full), {n}), owned(std::move(values), {n}),
                              owned(std::move(counts), {n}), owned(std::move(policy), {all}));
      },
      lane);
}

nb::list self_play(PyTubstapPolicy& policy, nb::handle starts, const std::vector<std::uint64_t>& seeds, std::size_t lanes,
                   bool gumbel, std::uint32_t simulations, std::uint32_t quick_simulations, double full_share, double c,
                   double attack_bonus, double noise_alpha, double noise_share, std::uint32_t considered, double temperature,
                   double last_temperature, std::uint32_t falling) {
  const auto states = copies_of(starts);
  if (seeds.size() != states.size()) throw std::invalid_argument("self-play needs a seed for every start");
  if (lanes < 1 || simulations < 1 || (full_share < 1 && quick_simulations < 1))
    throw std::invalid_argument("self-play needs at least one game at a time and one simulation");
  for (const auto& any : states) any.visit([&](const auto& state) { policy.check(state.board()); });
  const search::SelfPlaySettings settings{gumbel,
                                          {c, attack_bonus, noise_alpha, noise_share, false},
                                          {.considered = considered},
                                          simulations,
                                          quick_simulations,
                                          full_share,
                                          temperature,
                                          last_temperature,
                                          falling};
  std::vector<std::optional<Lane>> games(states.size());
  {
    const nb::gil_scoped_release release;
    std::vector<std::size_t> playing;
    std::size_t next = 0;
    while (true) {
      while (playing.size() < lanes && next < states.size()) {
        states[next].visit([&]<class State>(const State& state) {
          games[next].emplace(std::in_place_type<LaneOf<typename State::Size>>, state, settings,
                              Rng(seeds[next], stream_number("self-play")));
        });
        playing.push_back(next++);
      }
      std::erase_if(playing, [&](std::size_t i) { return !std::visit([](auto& game) { return game.advance(); }, *games[i]); });
      if (playing.empty() && next == states.size()) break;
      policy.judge(playing.size(), [&](std::size_t i, auto&& f) {
        std::visit([&](auto& game) { f(game.leaf()); }, *games[playing[i]]);
      });
      for (const std::size_t i : playing) std::visit([](auto& game) { game.judged(); }, *games[i]);
      if (ctrl_c()) break;
    }
  }
  if (PyErr_Occurred()) throw nb::python_error();
  nb::list out;
  for (const auto& game : games) out.append(game_of(*game));
  return out;
}

}  // namespace

nb::tuple policy_arrays(tubstap::UnitQuestionBatch& batch, nb::handle owner) {
  using B = tubstap::UnitQuestionBatch;
  return nb::make_tuple(view(batch.planes(), {batch.rows(), B::kPlanes, B::kSide, B::kSide}, owner));
}

nb::tuple policy_arrays(tubstap::TokenBatch& batch, nb::handle owner) {
  using B = tubstap::TokenBatch;
  batch.assemble();
  const std::size_t b = batch.states(), n = batch.widest(), m = batch.moves();
  return nb::make_tuple(view(batch.units_array(), {b, n, B::kUnit}, owner),
                        view(batch.pairs_array(), {b, B::kPair, n, n}, owner),
                        view(batch.globals_array(), {b, B::kGlobal}, owner), view(batch.moves_array(), {m, B::kMove}, owner),
                        view(batch.actor_array(), {m}, owner), view(batch.target_array(), {m}, owner));
}

#define SANDTABLE_FLOATS "numpy.typing.NDArray[numpy.float32]"
#define SANDTABLE_INTS "numpy.typing.NDArray[numpy.int64]"

void bind_tubstap_policy(nb::module_& m) {
  m.def("encode_policy", &encode, "encoder"_a, "states"_a,
        nb::sig("def encode_policy(encoder: str, states: collections.abc.Sequence[State]) -> "
                "tuple[tuple[numpy.typing.NDArray[typing.Any], ...], " SANDTABLE_INTS ", " SANDTABLE_INTS "]"),
        "(the network's inputs, for every move of every state the place of its logit, the number of moves of each state).");
  nb::class_<PyTubstapPolicy>(m, "PolicyEvaluator", "A policy/value network with a cache.")
      .def(
          "__init__",
          [](PyTubstapPolicy* self, const std::string& encoder, nb::callable forward, std::size_t cache) {
            if (cache > 1 << 24) throw std::invalid_argument("cache must be within 0..16777216");
            new (self) PyTubstapPolicy(batch_of(encoder), std::move(forward), cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "cache"_a,
          nb::sig("def __init__(self, encoder: str, forward: collections.abc.Callable[..., tuple[" SANDTABLE_FLOATS
                  ", " SANDTABLE_FLOATS "]], *, cache: int) -> None"),
          "`forward` maps the encoder's arrays, valid during the call only, to values and logits.")
      .def("evaluate", &evaluate, "states"_a,
           nb::sig("def evaluate(self, states: collections.abc.Sequence[State]) -> tuple[" SANDTABLE_FLOATS ", " SANDTABLE_FLOATS "]"),
           "(the value of each state for its side to move, the priors of all moves of all states).")
      .def_prop_ro("evaluated", [](const PyTubstapPolicy& p) { return p.evaluated.load(); }, "Positions that the network has judged.")
      .def_prop_ro("hits", [](const PyTubstapPolicy& p) { return p.hits.load(); }, "Positions that the cache knew.")
      .def_prop_ro("rows", [](const PyTubstapPolicy& p) { return p.rows.load(); }, "Rows that the network was shown.")
      .def_prop_ro("batches", [](const PyTubstapPolicy& p) { return p.batches.load(); }, "Calls of `forward`.")
      .def_prop_ro("forward_seconds", [](const PyTubstapPolicy& p) { return p.forward_seconds.load(); }, "Time inside `forward`.");
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
