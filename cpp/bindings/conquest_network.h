// A network as the searches on Conquest see it: positions and candidate moves are encoded, in batches, and handed to a
// Python function in arrays that are not copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bindings/one_user.h"
#include "conquest/encoders/territory_graph.h"
#include "search/evaluation_cache.h"
#include "search/turn_evaluator.h"

namespace sandtable {

class PyConquestEvaluator {
 public:
  PyConquestEvaluator(conquest::TerritoryGraphEncoder encoder, nanobind::callable forward, std::size_t batch, std::size_t cache)
      : encoder_(encoder), forward_(std::move(forward)), batch_(batch), cache_(cache) {}

  const conquest::TerritoryGraphEncoder& encoder() const { return encoder_; }

  // Answers n questions about states of one map: visit(i, f) calls f(state, player, moves); put(i, value) gets the value
  // for the player, and `logits` those of all moves. Values of states that are not asked about moves may come from the
  // cache. The interpreter's lock must not be held: it is taken once a batch, after ours.
  template <class Visit, class Put>
  void judge(const conquest::MapArrays& map, std::size_t n, Visit&& visit, Put&& put, std::span<double> logits) {
    const OneUser::Inside inside(one_user_);
    begin_batch(map);
    std::optional<std::uint64_t> map_key;
    std::vector<std::size_t> waiting;
    std::vector<std::optional<std::uint64_t>> keys;  // of those that the cache may know
    std::size_t weighed = 0;
    const auto flush = [&] {
      if (waiting.empty()) return;
      const auto [values, of_moves] = forward();
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (keys[i]) cache_.insert(*keys[i], values[i]);
        put(waiting[i], values[i]);
      }
      for (const float logit : of_moves) logits[weighed++] = logit;
      waiting.clear();
      keys.clear();
      begin_batch(map);
    };
    for (std::size_t i = 0; i < n; ++i) {
      visit(i, [&](const auto& state, int player, std::span<const conquest::Orders> moves) {
        conquest::StateArrays& filled = arrays_->states;
        encoder_.add(state, player, filled);
        std::optional<std::uint64_t> key;
        if (moves.empty()) {
          if (!map_key) map_key = hash_of(map);
          key = hash_of_last(*map_key, map.territories, filled);
          if (const float* known = cache_.find(*key)) {
            ++hits;
            put(i, *known);
            encoder_.drop(map.territories, filled);
            return;
          }
        }
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

  // Positions and moves that the network judged, positions that the cache knew, and the time inside the network.
  std::atomic<std::uint64_t> evaluated = 0, weighed = 0, hits = 0;
  std::atomic<double> forward_seconds = 0;

 private:
  struct Arrays {
    conquest::MapArrays map;
    conquest::StateArrays states;
  };

  void begin_batch(const conquest::MapArrays& map) {
    // What Python was shown it may keep: then it is left as it was.
    if (!arrays_ || arrays_.use_count() > 1) arrays_ = std::make_shared<Arrays>();
    arrays_->map = map;
    arrays_->states.clear();
  }

  std::pair<std::vector<float>, std::vector<float>> forward() {
    namespace nb = nanobind;
    const nb::gil_scoped_acquire acquire;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    conquest::MapArrays& map = arrays_->map;
    conquest::StateArrays& states = arrays_->states;
    encoder_.finish(map.territories, states);
    const nb::capsule owner(new std::shared_ptr<Arrays>(arrays_),
                            [](void* p) noexcept { delete static_cast<std::shared_ptr<Arrays>*>(p); });
    const auto shown = [&]<class T>(std::vector<T>& values, std::initializer_list<std::size_t> shape) {
      return nb::cast(nb::ndarray<nb::numpy, T>(values.data(), shape, owner), nb::rv_policy::reference);
    };
    using Encoder = conquest::TerritoryGraphEncoder;
    const std::size_t t = map.territories, m = map.members.size(), n = states.states, orders = states.order_count();
    const nb::object out =
        forward_(shown(map.edges, {t, t}), shown(map.members, {m}), shown(map.cliques, {m, t}), shown(map.shares, {t, m}),
                 shown(states.nodes, {n, t, Encoder::kNode}), shown(states.totals, {n, Encoder::kTotals}),
                 shown(states.asked, {states.asked.size()}), shown(states.sources, {orders}),
                 shown(states.targets, {orders}), shown(states.orders, {orders, Encoder::kOrder}),
                 shown(states.moves, {states.move_count(), states.longest}));
    using Answer = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    Answer values, logits;
    const bool pair = nb::isinstance<nb::tuple>(out) && nb::len(out) == 2;
    if (!pair || !nb::try_cast(nb::object(out[0]), values, false) || !nb::try_cast(nb::object(out[1]), logits, false) ||
        values.shape(0) != n || logits.shape(0) != states.move_count())
      throw nb::value_error("an evaluator must return two arrays of float32: a value for each state, a logit for each move");
    forward_seconds = forward_seconds + std::chrono::duration<double>(Clock::now() - begin).count();
    evaluated += n;
    weighed += states.move_count();
    return {{values.data(), values.data() + n}, {logits.data(), logits.data() + logits.shape(0)}};
  }

  // The cache knows a position by what the network sees of it.
  static std::uint64_t hash_of_last(std::uint64_t key, std::size_t territories, const conquest::StateArrays& filled) {
    using Encoder = conquest::TerritoryGraphEncoder;
    key = hash_of(key, std::span(filled.nodes).last(territories * Encoder::kNode));
    return hash_of(key, std::span(filled.totals).last(Encoder::kTotals));
  }
  static std::uint64_t hash_of(const conquest::MapArrays& map) {
    std::uint64_t key = hash_of(map.territories, std::span(map.edges));
    key = hash_of(key, std::span(map.members));
    return hash_of(key, std::span(map.shares));
  }
  template <class T>
  static std::uint64_t hash_of(std::uint64_t key, std::span<const T> values) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    for (std::size_t at = 0; at < values.size_bytes(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof(word), values.size_bytes() - at));
      key = mix(key ^ word);
    }
    return key;
  }

  conquest::TerritoryGraphEncoder encoder_;
  nanobind::callable forward_;
  std::size_t batch_;
  search::EvaluationCache cache_;
  std::shared_ptr<Arrays> arrays_;
  OneUser one_user_;
};

}  // namespace sandtable
