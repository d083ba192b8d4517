// A network as the searches see it: Evaluator collects questions about positions into batches, hands each batch to a
// function, `forward`, and remembers the answers. Its one important method is evaluate().
//
// The evaluator knows neither a game nor Python. An encoder defines what a question is and how it becomes arrays; its
// contract is the concept EncodesQuestion below. There are four encoders:
//
//   tubstap::ValueEncoder             a position                        -> its value
//   tubstap::PolicyEncoder            a position and its moves          -> its value, a prior for each move
//   conquest::TerritoryGraphEncoder   a position, a perspective player, -> its value, a logit for each candidate move
//                                     candidate moves
//   conquest::TerritoryFeatures       a position, a perspective player  -> its value
//                                     a position                        -> logits of both players' deploys and marches
//
// Layers: core < tubstap, conquest < evaluation < search < bindings. This folder includes the games' encoders and nothing
// of cpp/search. The searches take evaluators as functions over their own leaves and questions; tubstap.h and conquest.h in
// this folder make such functions from an evaluator, as templates over any type that has the members that they use. The
// search algorithms use one file of this folder, lanes.h, the scheduler that advances many games together.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/batch.h"
#include "evaluation/answer_cache.h"
#include "evaluation/exclusive_use.h"

namespace sandtable::evaluation {

// An encoder's part of the contract, for one type of question.
//
//   Batch    the arrays of the questions of a batch
//   Answer   the answer to one question; it may point into the batch and is valid only while it is handed over
//   Cached   the part of an answer that the cache keeps, for at most kMostCached answers
//
//   begin    empties the batch; it is called with the batch's first question, whose map, for instance, all questions share
//   key      equal for two questions only if the network is shown the same for both, on any map and under any rules; none
//            if the answer must not be cached. It may already write the question behind those that were added
//   add      puts the question into the batch; the last call was key() with the same question
//   finish   completes the arrays after the last question
//   outputs  the shapes of the arrays that the network must answer the batch with
//   read     the answer to the i-th question that was added
//   size     the size of the batch for the counters
template <class Encoder, class Question>
concept EncodesQuestion =
    std::constructible_from<typename Encoder::Cached, const typename Encoder::Answer&> &&
    std::constructible_from<typename Encoder::Answer, const typename Encoder::Cached&> &&
    requires(const Encoder& encoder, const Question& question, typename Encoder::Batch& batch, std::size_t i, Outputs outputs) {
      encoder.begin(question, batch);
      { encoder.key(question, batch) } -> std::same_as<std::optional<std::uint64_t>>;
      encoder.add(question, batch);
      encoder.finish(batch);
      { encoder.outputs(batch) } -> std::same_as<Shapes>;
      { encoder.read(batch, i, outputs) } -> std::same_as<typename Encoder::Answer>;
      { encoder.size(batch) } -> std::same_as<BatchSize>;
    };

// Encodes all questions into one batch, as an evaluator without a cache would hand it to its network. `question_at` is as
// in Evaluator::evaluate(). Without questions the batch stays as it was constructed.
template <class Encoder, class QuestionAt>
void encode(const Encoder& encoder, std::size_t n, QuestionAt&& question_at, typename Encoder::Batch& batch) {
  for (std::size_t i = 0; i < n; ++i) {
    question_at(i, [&](const auto& question) {
      if (i == 0) encoder.begin(question, batch);
      encoder.key(question, batch);
      encoder.add(question, batch);
    });
  }
  encoder.finish(batch);
}

// What an evaluator has done so far; it may be read while another thread uses the evaluator.
struct Counters {
  std::atomic<std::uint64_t> evaluated = 0, rows = 0, moves = 0;  // what the network was shown; see BatchSize
  std::atomic<std::uint64_t> hits = 0;                            // questions that the cache could answer
  std::atomic<std::uint64_t> batches = 0;                         // calls of `forward`
  std::atomic<double> forward_seconds = 0;                        // inside them
};

template <class Encoder>
class Evaluator {
 public:
  using Batch = typename Encoder::Batch;
  using Answer = typename Encoder::Answer;

  struct Output {
    const Shape& shape;
    std::span<float> values;  // to be filled
  };
  // The network: fills the outputs of a batch with finite numbers. It may keep the batch, which then does not change any
  // more: the evaluator makes a new one.
  using Forward = std::function<void(const std::shared_ptr<Batch>& batch, std::span<const Output> outputs)>;

  // `batch`: the greatest number of questions in a batch; `cache`: the number of places for answers. Throws
  // std::invalid_argument if one of them is out of range.
  Evaluator(Encoder encoder, Forward forward, std::size_t batch, std::size_t cache)
      : encoder_(std::move(encoder)), forward_(std::move(forward)), most_(batch), cache_(checked(batch, cache)) {}

  const Encoder& encoder() const { return encoder_; }
  const Counters& counters() const { return counters_; }

  // Replaces the cache by an empty one of at least `places` places. Waits for a thread that uses the evaluator.
  void renew_cache(std::size_t places) {
    const ExclusiveUse::Guard guard(use_);
    cache_ = AnswerCache<typename Encoder::Cached>(checked(most_, places));
  }

  // Answers n questions: question_at(i, ask) calls ask(question i), and put(i, answer) is called once for each, though not
  // in their order. One thread at a time is admitted; see ExclusiveUse about locks that `forward` takes.
  template <class QuestionAt, class Put>
  void evaluate(std::size_t n, QuestionAt&& question_at, Put&& put) {
    const ExclusiveUse::Guard guard(use_);
    waiting_.clear();
    bool begun = false;
    for (std::size_t i = 0; i < n; ++i) {
      question_at(i, [&]<class Question>(const Question& question)
                       requires EncodesQuestion<Encoder, Question>
      {
        if (!begun) begin(question);
        begun = true;
        const std::optional<std::uint64_t> key = encoder_.key(question, *batch_);
        if (const auto* known = key ? cache_.find(*key) : nullptr) {
          ++counters_.hits;
          put(i, Answer(*known));
          return;
        }
        encoder_.add(question, *batch_);
        waiting_.push_back({i, key});
      });
      if (waiting_.size() < most_) continue;
      flush(put);
      begun = false;
    }
    flush(put);
  }

 private:
  // Returns the places of the cache after checking both sizes.
  static std::size_t checked(std::size_t batch, std::size_t cache) {
    if (batch < 1 || batch > 1 << 20) throw std::invalid_argument("batch must be within 1..1048576");
    if (cache > Encoder::kMostCached)
      throw std::invalid_argument("cache must be within 0.." + std::to_string(Encoder::kMostCached));
    return cache;
  }

  struct Waiting {
    std::size_t question;
    std::optional<std::uint64_t> key;
  };

  template <class Question>
  void begin(const Question& question) {
    if (!batch_ || batch_.use_count() > 1) batch_ = std::make_shared<Batch>();
    std::atomic_thread_fence(std::memory_order_acquire);  // after the last use by a thread that kept the batch
    encoder_.begin(question, *batch_);
  }

  template <class Put>
  void flush(Put&& put) {
    if (waiting_.empty()) return;
    run_network();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const Answer answer = encoder_.read(*batch_, i, outputs_);
      if (waiting_[i].key) cache_.insert(*waiting_[i].key, typename Encoder::Cached(answer));
      put(waiting_[i].question, answer);
    }
    waiting_.clear();
  }

  // Hands the batch to the network and leaves its answers in outputs_.
  void run_network() {
    encoder_.finish(*batch_);
    const Shapes shapes = encoder_.outputs(*batch_);
    memory_.resize(shapes.size());
    outputs_.clear();
    std::vector<Output> wanted;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      memory_[k].resize(std::accumulate(shapes[k].begin(), shapes[k].end(), std::size_t{1}, std::multiplies<>()));
      wanted.push_back({shapes[k], memory_[k]});
      outputs_.push_back(memory_[k]);
    }
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    forward_(batch_, wanted);
    counters_.forward_seconds = counters_.forward_seconds + std::chrono::duration<double>(Clock::now() - start).count();
    check_answers();
    const BatchSize size = encoder_.size(*batch_);
    counters_.evaluated += size.states;
    counters_.rows += size.rows;
    counters_.moves += size.moves;
    ++counters_.batches;
  }

  // Weights that are finite but too large can give answers that are not finite.
  void check_answers() const {
    const auto finite = [](float value) { return std::isfinite(value); };
    for (const std::vector<float>& answer : memory_)
      if (!std::all_of(answer.begin(), answer.end(), finite))
        throw std::invalid_argument("the network answered with NaN or infinity instead of finite numbers");
  }

  Encoder encoder_;
  Forward forward_;
  std::size_t most_;
  AnswerCache<typename Encoder::Cached> cache_;
  std::shared_ptr<Batch> batch_;
  std::vector<Waiting> waiting_;
  std::vector<std::vector<float>> memory_;
  std::vector<std::span<const float>> outputs_;
  Counters counters_;
  ExclusiveUse use_;
};

}  // namespace sandtable::evaluation
