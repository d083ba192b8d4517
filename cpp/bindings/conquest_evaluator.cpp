// Encoders and evaluators of Conquest, and the search with evaluators that propose moves, for Python. The public faces
// are sandtable.nets, sandtable.players and sandtable.learn.
#include "bindings/conquest_objects.h"
#include "bindings/native_network.h"
#include "nets/territory_net.h"

namespace sandtable {

using conquest::TerritoryGraphBatch, conquest::TerritoryGraphEncoder;

template <>
struct PythonArrays<TerritoryGraphEncoder> {
  static constexpr const char* kAnswer =
      "an evaluator must return two arrays of float32: a value for each state, a logit for each move";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(TerritoryGraphBatch& batch, nb::handle owner) {
    auto& map = batch.map;
    const std::size_t t = map.territories, m = map.members.size(), n = batch.states, orders = batch.order_count();
    return nb::make_tuple(
        view(map.edges, {t, t}, owner), view(map.members, {m}, owner), view(map.cliques, {m, t}, owner),
        view(map.shares, {t, m}, owner), view(batch.nodes, {n, t, batch.node_size}, owner),
        view(batch.totals, {n, TerritoryGraphEncoder::kTotals}, owner), view(batch.asked, {batch.asked.size()}, owner),
        view(batch.sources, {orders}, owner), view(batch.targets, {orders}, owner),
        view(batch.order_values(), {orders, batch.kOrder}, owner), view(batch.moves, {batch.move_count(), batch.longest}, owner));
  }
};

template <>
struct PythonArrays<conquest::TerritoryFeatures> {
  static constexpr const char* kAnswer =
      "an evaluator must return three arrays of float32: a value for each state, and for each state in `asked` the "
      "logits of deploys and of marches";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(conquest::FeatureBatch& batch, nb::handle owner) {
    using Encoder = conquest::TerritoryFeatures;
    batch.map.lay_out();
    const std::size_t t = batch.map.territories, n = batch.states;
    return nb::make_tuple(view(batch.map.edges, {t, t}, owner), view(batch.map.kin, {t, t}, owner),
                          view(batch.nodes, {n, t, Encoder::kNode}, owner), view(batch.totals, {n, Encoder::kTotals}, owner),
                          view(batch.asked, {batch.asked.size()}, owner));
  }
};

namespace {

using namespace conquest;
using evaluation::TurnPolicies, evaluation::TurnWeights;

using ConquestTurn = search::TurnResult<Orders>;
using ConquestMixture = search::Mixture<Orders>;
using TerritoryForward =
    std::variant<std::shared_ptr<nets::TerritoryNet>, nb::typed<nb::callable, std::tuple<Floats, Floats, Floats>(...)>>;
using TwoArrays = std::tuple<Floats, Floats>;

TerritoryGraphEncoder encoder_of(bool scaled, const PyConquestState* text_inputs_of) {
  if (!text_inputs_of) return {scaled};
  const auto name = nb::cast<std::string>(text_inputs_of->origin.attr("name"));
  return text_inputs_of->state.visit(
      [&](const auto& state) { return TerritoryGraphEncoder::with_text_inputs(state.land(), name, scaled); });
}

Arrays encode_graph(const TerritoryGraphEncoder& encoder, ConquestStates states, Players players,
                    SequenceOf<std::optional<GivenMoves>> moves) {
  const auto batch = std::make_shared<TerritoryGraphBatch>();
  evaluation::encode(encoder, read_questions(states, players, moves), *batch);
  return inputs_of<TerritoryGraphEncoder>(batch);
}

Annotated<"numpy.typing.NDArray[numpy.float64]"> priors(TurnWeights& self, const PyConquestState& state, int player,
                                                        GivenMoves moves) {
  const AnyQuestion question{state.state, player, read_moves(state, player, moves)};
  return owned(unlocked([&] { return evaluation::priors(self, question); }));
}

std::tuple<Floats, Floats, Floats, Floats> encode_territories(ConquestStates states, Players players) {
  const auto all = read_questions(states, players);
  auto padded = evaluation::padded_features(all);
  const std::size_t n = all.size(), t = padded.widest;
  return {owned(std::move(padded.edges), {n, t, t}), owned(std::move(padded.kin), {n, t, t}),
          owned(std::move(padded.nodes), {n, t, TerritoryFeatures::kNode}),
          owned(std::move(padded.totals), {n, TerritoryFeatures::kTotals})};
}

TwoArrays shares(const PyConquestState& self, int player, GivenMoves list, const std::vector<double>& weights) {
  auto sum = evaluation::shares({self.state, player, read_moves(self, player, list)}, weights);
  const std::size_t n = sum.deploys.size();
  return {owned(std::move(sum.deploys)), owned(std::move(sum.marches), {n, n})};
}

TwoArrays policies(TurnPolicies& self, const PyConquestState& position) {
  auto found = unlocked(position, [&](const AnyState& state) { return evaluation::policies(self, state); });
  const std::size_t n = found.deploys.size() / 2;
  return {owned(std::move(found.deploys), {2, n}), owned(std::move(found.marches), {2, n, n})};
}

// Moves that the policy proposes, as the search draws, crosses and mutates them.
nb::typed<nb::list, OrderList> proposed(TurnPolicies& self, const PyConquestState& position, int player, int count,
                                        std::uint64_t seed, double uniform) {
  return order_lists(unlocked(position, [&](const AnyState& state) {
    return evaluation::proposed(self, state, player, count, uniform, seed);
  }));
}

ConquestTurn equilibrium(TurnPolicies& self, const PyConquestState& position, int player,
                         const search::EquilibriumSettings& settings, double seconds, std::uint64_t seed, GivenMovesOfBoth given) {
  return search_turn(position, player, seconds, seed, given,
                     [&](const search::Turn& turn) { return search::equilibrium(turn, settings, self); });
}

// Binds an evaluator of Conquest with the part that all of them have in common.
template <class Encoder>
auto bind_turn_evaluator(nb::module_& m, const char* name, const char* about) {
  using Evaluator = evaluation::Evaluator<Encoder>;
  return bind_evaluator<Evaluator>(m, name, about)
      .def(
          "evaluate",
          [](Evaluator& self, ConquestStates states, Players players) -> Floats {
            const auto all = read_questions(states, players);
            return owned(unlocked([&] { return evaluation::evaluate(self, all); }));
          },
          "states"_a, "players"_a, "float32[n]: the value of each state for its player. All states must be on the same map.");
}

}  // namespace

void bind_conquest_evaluator(nb::module_& m) {
  nb::class_<TerritoryGraphEncoder>(m, "TerritoryGraphEncoder",
                                    "soares2025's graph of territories, with candidate moves; armies as log(1 + n) if `scaled`, else raw.\n"
                                    "With `text_inputs_of`, a state, the inputs are the text's, and other maps are refused.")
      .def(
          "__init__",
          [](TerritoryGraphEncoder* self, bool scaled, const PyConquestState* text_inputs_of) {
            new (self) TerritoryGraphEncoder(encoder_of(scaled, text_inputs_of));
          },
          nb::kw_only(), "scaled"_a = true, "text_inputs_of"_a = nb::none())
      .def("encode", &encode_graph, "states"_a, "players"_a, "moves"_a = nb::none(),
           "The network's inputs: edges, members, cliques, shares, nodes, totals, asked, sources, targets, orders, moves.\n"
           "All states must be on the same map; each is encoded for its player, with that player's candidate `moves`.");

  bind_turn_evaluator<TerritoryGraphEncoder>(m, "Evaluator",
                                             "An encoder and a network that maps its arrays to values and logits, with a cache.")
      .def(
          "__init__",
          [](TurnWeights* self, const TerritoryGraphEncoder& encoder,
             nb::typed<nb::callable, std::tuple<Floats, Floats>(...)> forward, std::size_t batch, std::size_t cache) {
            make_evaluator(self, encoder, std::move(forward), batch, cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          "`forward` maps the encoder's arrays to the values of the states and the logits of the moves.")
      .def("priors", &priors, "state"_a, "player"_a, "moves"_a, "float64[n]: the probabilities of the player's candidate moves.")
      .def_prop_ro("weighed", counter<TurnWeights>(&evaluation::Counters::moves), "Moves that the network has weighed.");

  m.def("encode_territories", &encode_territories, "states"_a, "players"_a,
        "The inputs (edges, kin, nodes, totals) of states on any maps, each for its player; padded to the largest map.");
  m.def("shares", &shares, "state"_a, "player"_a, "moves"_a, "weights"_a,
        "The policy target of a mixture of moves: (deploys [T], the share of the income that each territory gets; marches [T, T],\n"
        "the share of each territory's armies that goes to each other territory, with the share that stays on the diagonal).");

  nb::class_<ConquestMixture>(m, "Mixture", "The mixed strategy of one player.")
      .def_ro("best", &ConquestMixture::best, "The index of the move to play.")
      .def_prop_ro("moves", [](const ConquestMixture& self) { return order_lists(self.moves); }, "The candidate moves.")
      .def_ro("shares", &ConquestMixture::shares, "The probability of each move.")
      .def_ro("values", &ConquestMixture::values, "The value of each move for the player against the other player's strategy.");
  nb::class_<ConquestTurn>(m, "Equilibrium", "The solution of a turn.")
      .def_prop_ro("players", [](const ConquestTurn& self) { return std::pair(self.players[0], self.players[1]); },
                   "The strategy of each player.")
      .def_ro("value", &ConquestTurn::value, "The value of the position for player 0.")
      .def_ro("exploitability", &ConquestTurn::exploitability,
              "The sum of both players' gains from a best response among the candidates.")
      .def_ro("states", &ConquestTurn::states, "The number of positions evaluated.")
      .def_ro("rounds", &ConquestTurn::rounds, "The number of rounds.");

  bind_native_network<nets::TerritoryNet>(m, "TerritoryNet", "The network of sandtable.nets.territories, run by the core.");
  bind_turn_evaluator<TerritoryFeatures>(m, "TerritoryEvaluator", "A network that evaluates positions and proposes moves, with a cache.")
      .def(
          "__init__",
          [](TurnPolicies* self, const TerritoryForward& forward, std::size_t batch, std::size_t cache) {
            new (self) TurnPolicies(TerritoryFeatures(), network_of<TerritoryFeatures>(forward), batch, cache);
          },
          "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          "`forward` is a network of the core, or a function from (edges, kin, nodes, totals, asked) to the values of all states\n"
          "and the logits of deploys and of marches of the states in `asked`.")
      .def("policies", &policies, "state"_a,
           "The logits of both players: deploys [2, T], and marches [2, T, T] with staying on the diagonal.")
      .def("proposed", &proposed, "state"_a, "player"_a, "count"_a, nb::kw_only(), "seed"_a, "uniform"_a,
           "Moves from the policy, of three kinds in turn: drawn; crossed with the previous move; crossed and mutated.")
      .def("equilibrium", &equilibrium, "state"_a, "player"_a, "settings"_a, nb::kw_only(), "seconds"_a = 0.0, "seed"_a,
           "moves"_a = nb::none(),
           "Solve the turn; positions are evaluated from the player's perspective. 0 seconds means no limit. `moves` of both\n"
           "players are among the first candidates.");
}

}  // namespace sandtable
