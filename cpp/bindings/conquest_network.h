// A network as the searches on Conquest see it: positions, and what is asked about them, are encoded in batches and handed
// to a Python function in arrays that are not copied.
//
// It is a template over the encoder: soares2025's, whose networks weigh candidate moves, or ours, whose networks propose
// moves. What differs between them stands first: their arrays, their answers, how a position is known again.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/one_user.h"
#include "conquest/encoders/territory_features.h"
#include "conquest/encoders/territory_graph.h"
#include "search/evaluation_cache.h"
#include "search/turn_evaluator.h"

namespace sandtable {

using Shapes = std::vector<std::vector<std::size_t>>;

template <class Encoder>
struct Seen;

template <>
struct Seen<conquest::TerritoryGraphEncoder> {
  using Encoder = conquest::TerritoryGraphEncoder;
  using Map = conquest::MapArrays;
  using States = conquest::StateArrays;
  static constexpr const char* kAnswers =
      "an evaluator must return two arrays of float32: a value for each state, a logit for each move";

  static nanobind::tuple inputs(const Encoder& encoder, Map& map, States& states, nanobind::handle owner) {
    const std::size_t t = map.territories, m = map.members.size(), n = states.states, orders = states.order_count();
    return nanobind::make_tuple(
        view(map.edges.data(), {t, t}, owner), view(map.members.data(), {m}, owner), view(map.cliques.data(), {m, t}, owner),
        view(map.shares.data(), {t, m}, owner), view(states.nodes.data(), {n, t, encoder.node_size()}, owner),
        view(states.totals.data(), {n, Encoder::kTotals}, owner), view(states.asked.data(), {states.asked.size()}, owner),
        view(states.sources.data(), {orders}, owner), view(states.targets.data(), {orders}, owner),
        view(states.orders.data(), {orders, Encoder::kOrder}, owner),
        view(states.moves.data(), {states.move_count(), states.longest}, owner));
  }
  static Shapes answers(const Map&, const States& states) { return {{states.states}, {states.move_count()}}; }
  static std::uint64_t key(const Map& map) {
    std::uint64_t key = hash_of(map.territories, std::span<const float>(map.edges));
    key = hash_of(key, std::span<const std::int64_t>(map.members));
    key = hash_of(key, std::span<const float>(map.cliques));
    return hash_of(key, std::span<const float>(map.shares));
  }
};

template <>
struct Seen<conquest::TerritoryFeatures> {
  using Encoder = conquest::TerritoryFeatures;
  using Map = conquest::FeatureMap;
  using States = conquest::FeatureArrays;
  static constexpr const char* kAnswers =
      "an evaluator must return three arrays of float32: a value for each state, and of each that is asked about the "
      "logits of deploys and of marches";

  static nanobind::tuple inputs(const Encoder&, Map& map, States& states, nanobind::handle owner) {
    const std::size_t t = map.territories, n = states.states;
    return nanobind::make_tuple(view(map.edges.data(), {t, t}, owner), view(map.kin.data(), {t, t}, owner),
                                view(states.nodes.data(), {n, t, Encoder::kNode}, owner),
                                view(states.totals.data(), {n, Encoder::kTotals}, owner),
                                view(states.asked.data(), {states.asked.size()}, owner));
  }
  static Shapes answers(const Map& map, const States& states) {
    const std::size_t t = map.territories, asked = states.asked.size();
    return {{states.states}, {asked, t}, {asked, t, t}};
  }
  static std::uint64_t key(const Map& map) {
    return hash_of(hash_of(map.territories, std::span<const float>(map.edges)), std::span<const float>(map.kin));
  }
};

template <class Encoder>
class ConquestNetwork {
 public:
  using Map = typename Seen<Encoder>::Map;
  using States = typename Seen<Encoder>::States;

  ConquestNetwork(Encoder encoder, nanobind::callable forward, std::size_t batch, std::size_t cache)
      : encoder_(encoder), forward_(std::move(forward)), batch_(batch), cache_(cache) {}

  const Encoder& encoder() const { return encoder_; }

  // Answers n questions about states of one map: visit(i, f) calls f(state, player, moves); put(i, value) gets the value
  // for the player, and `logits` those of all moves, if the network weighs any. Values of states that are not asked about
  // moves may come from the cache. The interpreter's lock must not be held: it is taken once a batch, after ours.
  template <class Visit, class Put>
  void judge(const Map& map, std::size_t n, Visit&& visit, Put&& put, std::span<double> logits) {
    const OneUser::Inside inside(one_user_);
    begin_batch(map);
    std::optional<std::uint64_t> map_key;
    std::vector<std::size_t> waiting;
    std::vector<std::optional<std::uint64_t>> keys;  // of those that the cache may know
    std::size_t first_logit = 0;
    const auto flush = [&] {
      if (waiting.empty()) return;
      const auto answers = forward();
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (keys[i]) cache_.insert(*keys[i], answers[0][i]);
        put(waiting[i], answers[0][i]);
      }
      if (!logits.empty())
        for (const float logit : answers[1]) logits[first_logit++] = logit;
      waiting.clear();
      keys.clear();
      begin_batch(map);
    };
    for (std::size_t i = 0; i < n; ++i) {
      visit(i, [&](const auto& state, int player, std::span<const conquest::Orders> moves) {
        States& filled = arrays_->states;
        encoder_.add(state, player, filled);
        std::optional<std::uint64_t> key;
        if (moves.empty()) {
          if (!map_key) map_key = Seen<Encoder>::key(map);
          key = hash_of(*map_key, std::span<const float>(filled.nodes).last(map.territories * encoder_.node_size()));
          key = hash_of(*key, std::span<const float>(filled.totals).last(Encoder::kTotals));
          if (const float* known = cache_.find(*key)) {
            ++hits;
            put(i, *known);
            encoder_.drop(map.territories, filled);
            return;
          }
        }
        if constexpr (requires { encoder_.add_move(state, player, moves[0], filled); })
          for (const conquest::Orders& orders : moves) encoder_.add_move(state, player, orders, filled);
        waiting.push_back(i);
        keys.push_back(key);
      });
      if (waiting.size() == batch_) flush();
    }
    flush();
  }

  // As a search asks (search/turn_evaluator.h).
  template <class Game>
  void judge(std::span<const search::Question<Game>> questions, std::span<double> values, std::span<double> logits) {
    if (questions.empty()) return;
    judge(
        encoder_.map(questions[0].state->land()), questions.size(),
        [&](std::size_t i, auto&& f) { f(*questions[i].state, questions[i].player, questions[i].moves); },
        [&](std::size_t i, float value) { values[i] = value; }, logits);
  }

  // What the network answers when it is asked for the policies at states of one map: player 0's, then player 1's, of each.
  template <class State>
  std::vector<std::vector<float>> policies(std::span<const State> states) {
    const OneUser::Inside inside(one_user_);
    std::vector<std::vector<float>> all;
    for (std::size_t first = 0; first < states.size(); first += batch_) {
      begin_batch(encoder_.map(states[first].land()));
      for (const State& state : states.subspan(first, std::min(batch_, states.size() - first))) {
        for (int player = 0; player < 2; ++player) {
          arrays_->states.asked.push_back(static_cast<std::int64_t>(arrays_->states.states));
          encoder_.add(state, player, arrays_->states);
        }
      }
      auto answers = forward();
      all.resize(answers.size());
      for (std::size_t i = 0; i < answers.size(); ++i) all[i].insert(all[i].end(), answers[i].begin(), answers[i].end());
    }
    return all;
  }

  // Positions and moves that the network judged, positions that the cache knew, calls of the network, the time inside it.
  std::atomic<std::uint64_t> evaluated = 0, weighed = 0, hits = 0, batches = 0;
  std::atomic<double> forward_seconds = 0;

 private:
  struct Arrays {
    Map map;
    States states;
  };

  void begin_batch(const Map& map) {
    // What Python was shown it may keep: then it is left as it was.
    if (!arrays_ || arrays_.use_count() > 1) arrays_ = std::make_shared<Arrays>();
    arrays_->map = map;
    arrays_->states.clear();
  }

  std::vector<std::vector<float>> forward() {
    namespace nb = nanobind;
    const nb::gil_scoped_acquire acquire;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    Map& map = arrays_->map;
    States& states = arrays_->states;
    if constexpr (requires { encoder_.finish(map.territories, states); }) encoder_.finish(map.territories, states);
    const nb::capsule owner(new std::shared_ptr<Arrays>(arrays_),
                            [](void* p) noexcept { delete static_cast<std::shared_ptr<Arrays>*>(p); });
    const nb::object out = forward_(*Seen<Encoder>::inputs(encoder_, map, states, owner));
    const Shapes wanted = Seen<Encoder>::answers(map, states);
    if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != wanted.size()) throw nb::value_error(Seen<Encoder>::kAnswers);
    std::vector<std::vector<float>> answers;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      nb::ndarray<const float, nb::c_contig, nb::device::cpu> answer;
      const auto& shape = wanted[i];
      bool fits = nb::try_cast(nb::object(out[i]), answer, false) && answer.ndim() == shape.size();
      for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) fits = answer.shape(axis) == shape[axis];
      if (!fits) throw nb::value_error(Seen<Encoder>::kAnswers);
      answers.emplace_back(answer.data(), answer.data() + answer.size());
    }
    forward_seconds = forward_seconds + std::chrono::duration<double>(Clock::now() - begin).count();
    evaluated += states.states;
    if constexpr (requires { states.move_count(); }) weighed += states.move_count();
    ++batches;
    return answers;
  }

  Encoder encoder_;
  nanobind::callable forward_;
  std::size_t batch_;
  search::EvaluationCache cache_;
  std::shared_ptr<Arrays> arrays_;
  OneUser one_user_;
};

using PyConquestEvaluator = ConquestNetwork<conquest::TerritoryGraphEncoder>;
using PyTerritoryEvaluator = ConquestNetwork<conquest::TerritoryFeatures>;

}  // namespace sandtable
