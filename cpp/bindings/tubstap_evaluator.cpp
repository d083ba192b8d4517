// Encoders and evaluators of TUBSTAP, for Python. The public face is sandtable.nets.
#include "bindings/native_network.h"
#include "bindings/settings.h"
#include "bindings/tubstap_objects.h"
#include "evaluation/tubstap.h"
#include "nets/token_net.h"

namespace sandtable {

using evaluation::TubstapPolicies, evaluation::TubstapValues, tubstap::PolicyEncoder, tubstap::ValueEncoder;

template <>
struct PythonArrays<ValueEncoder> {
  static constexpr const char* kAnswer = "an evaluator must return an array of float32, a value for each state";
  static constexpr bool kShapes = true;
  static nb::tuple inputs(ValueEncoder::Batch& batch, nb::handle owner) {
    return nb::make_tuple(view(batch.values, {batch.states, batch.floats}, owner));
  }
};

template <>
struct PythonArrays<PolicyEncoder> {
  static constexpr const char* kAnswer = "a policy network must return two arrays of float32: values and logits";
  static constexpr bool kShapes = false;
  static nb::tuple inputs(PolicyEncoder::Batch& batch, nb::handle owner) {
    return std::visit([&](auto& arrays) { return arrays_of(arrays, owner); }, batch.arrays);
  }

 private:
  static nb::tuple arrays_of(tubstap::UnitQuestionBatch& batch, nb::handle owner) {
    using B = tubstap::UnitQuestionBatch;
    return nb::make_tuple(view(batch.planes(), {batch.rows(), B::kPlanes, B::kSide, B::kSide}, owner));
  }
  static nb::tuple arrays_of(tubstap::TokenBatch& batch, nb::handle owner) {
    using B = tubstap::TokenBatch;
    batch.assemble();
    const std::size_t b = batch.states(), n = batch.widest(), m = batch.moves();
    return nb::make_tuple(view(batch.units_array(), {b, n, B::kUnit}, owner),
                          view(batch.pairs_array(), {b, B::kPair, n, n}, owner),
                          view(batch.globals_array(), {b, B::kGlobal}, owner), view(batch.moves_array(), {m, B::kMove}, owner),
                          view(batch.actor_array(), {m}, owner), view(batch.target_array(), {m}, owner));
  }
};

namespace {

using TokenForward = std::variant<std::shared_ptr<nets::TokenNet>, nb::typed<nb::callable, std::tuple<Floats, Floats>(...)>>;

template <class Encoder>
Floats encode(const Encoder& one, TubstapStates sequence) {
  const auto states = read_states(sequence);
  const auto batch = std::make_shared<ValueEncoder::Batch>();
  evaluation::encode(ValueEncoder(one), states, *batch);
  Lengths shape{states.size()};
  for (const int length : one.shape()) shape.push_back(static_cast<std::size_t>(length));
  return view(batch->values, shape, keep(batch));
}

template <class Encoder>
void bind_encoder(nb::module_& m, const char* name, const char* about) {
  nb::class_<Encoder> bound(m, name, about);
  bind_fields_init(bound, any_struct<Encoder>());
  bound.def("encode", &encode<Encoder>, "states"_a, "float32[states, ...].");
}

Floats evaluate(TubstapValues& self, TubstapStates sequence) {
  const auto states = read_states(sequence);
  return owned(unlocked([&] { return evaluation::evaluate(self, states); }));
}

// The network's inputs for states, the place of the logit of every move of every state, and the number of moves of each state.
std::tuple<Arrays, Integers, Integers> encode_policy(const std::string& name, TubstapStates sequence) {
  const PolicyEncoder encoder(name);
  const auto batch = std::make_shared<PolicyEncoder::Batch>(encoder.batch());
  auto places = evaluation::encode(encoder, read_states(sequence), *batch);
  return {inputs_of<PolicyEncoder>(batch), owned(std::move(places.logits)), owned(std::move(places.counts))};
}

std::tuple<Floats, Floats> evaluate_policies(TubstapPolicies& self, TubstapStates sequence) {
  const auto states = read_states(sequence);
  auto answers = unlocked([&] { return evaluation::evaluate(self, states); });
  return {owned(std::move(answers.values)), owned(std::move(answers.priors))};
}

}  // namespace

void bind_tubstap_evaluator(nb::module_& m) {
  using namespace tubstap;
  constexpr std::size_t kAllAtOnce = 1 << 20;  // all positions that a search asks for at once are one batch
  bind_native_network<nets::TokenNet>(m, "TokenNet", "The network of sandtable.nets.tokens, run by the core.");
  bind_encoder<AttackGraphEncoder>(
      m, "AttackGraphEncoder",
      "li2022's graph of who can attack whom, [6, N, N]: adjacency, HP, type, mobility, ready, distance.");
  bind_encoder<UnitImageEncoder>(m, "UnitImageEncoder",
                                 "li2022's image of the board, [5, height, width]: HP, type, side, mobility, ready; with "
                                 "planes=\"text\": position, HP, attack, side, type.");
  bind_encoder<DamageGraphEncoder>(m, "DamageGraphEncoder",
                                   "takahashi's graph of the damage that units can do to each other, flat:\n"
                                   "nodes [N, 13], edges [N, N, 4].");
  bind_encoder<TerrainImageEncoder>(m, "TerrainImageEncoder",
                                    "takahashi's image of the board, [20, height, width]: units, terrain, can act.");
  bind_encoder<CombinedEncoder>(m, "CombinedEncoder",
                                "takahashi's graph, image, and the cell of each of the graph's rows, flat.");
  bind_evaluator<TubstapValues>(m, "Evaluator", "An encoder and a function from encoded states to values, with a cache.")
      .def(
          "__init__",
          [](TubstapValues* self, const ValueEncoder::Any& encoder, nb::typed<nb::callable, Floats(Floats)> forward,
             std::size_t batch, std::size_t cache) {
            make_evaluator(self, ValueEncoder(encoder), std::move(forward), batch, cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "batch"_a, "cache"_a,
          "`forward` maps encoded states, float32[n, size], to their values, float32[n].")
      .def("evaluate", &evaluate, "states"_a, "float32[n]: the value of each state for its side to move.");
  m.def("encode_policy", &encode_policy, "encoder"_a, "states"_a,
        "(the network's inputs, the index of the logit of every move of every state, the number of moves of each state).");
  bind_evaluator<TubstapPolicies>(m, "PolicyEvaluator", "A policy/value network with a cache.")
      .def(
          "__init__",
          [](TubstapPolicies* self, const std::string& name, const TokenForward& forward, std::size_t cache) {
            new (self) TubstapPolicies(PolicyEncoder(name), network_of<PolicyEncoder>(forward), kAllAtOnce, cache);
          },
          "encoder"_a, "forward"_a, nb::kw_only(), "cache"_a,
          "`forward` is a network of the core, or maps the encoder's arrays to values and logits.")
      .def("evaluate", &evaluate_policies, "states"_a,
           "(the value of each state for its side to move, the priors of all moves of all states).")
      .def_prop_ro("rows", counter<TubstapPolicies>(&evaluation::Counters::rows), "Input rows that the network has evaluated.");
}

}  // namespace sandtable
