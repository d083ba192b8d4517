#include "nets/token_net.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "nets/workspace.h"

namespace sandtable::nets {
namespace {

using tubstap::TokenBatch;

constexpr std::size_t kUnit = TokenBatch::kUnit, kPair = TokenBatch::kPair, kGlobal = TokenBatch::kGlobal, kMove = TokenBatch::kMove;
constexpr std::size_t kSaid = kPair * kPanel;  // a panel of channels for each kind of pair
constexpr std::size_t kFriendsAndEnemies = 2;  // kinds of pairs whose messages are averaged; others are summed
constexpr std::size_t kRowsAtOnce = 192, kMovesAtOnce = 48;  // computed together, to fit into the processor's cache

std::size_t row_of(const TokenBatch::Part& part) { return part.token / kUnit; }

std::size_t rows_of(std::span<const TokenBatch::Part> parts) {
  return row_of(parts.back()) + parts.back().units - row_of(parts.front());
}

}  // namespace

TokenNet::TokenNet(std::span<const unsigned char> file, std::size_t hidden, std::size_t rounds, const Kernels& kernels)
    : kernels_(&kernels), hidden_(hidden) {
  if (hidden == 0 || hidden % (2 * kPanel) != 0 || hidden > 1024 || rounds > 64)
    throw std::invalid_argument("a network of tokens needs a multiple of 32 channels, at most 1024, and at most 64 rounds");
  Weights weights("a network of tokens with " + std::to_string(hidden) + " channels and " + std::to_string(rounds) + " rounds", file);
  enter_ = weights.affine("enter", hidden, kUnit);
  about_ = weights.affine("about", hidden, kGlobal);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string round = "rounds." + std::to_string(i) + ".";
    rounds_.push_back({weights.affine(round + "say", kSaid, hidden), weights.joined(round + "own", hidden, round + "hear", kSaid, hidden)});
  }
  balance_ = weights.affine("balance", hidden, 4 * hidden + kGlobal);
  result_ = weights.affine("result", 3, hidden);
  weights.affine("fate", 2, hidden);  // an auxiliary target, only for training
  actor_ = weights.affine("actor", hidden, hidden);
  target_ = weights.affine("target", hidden, hidden, false);
  effect_ = weights.affine("effect", hidden, kMove, false);
  position_ = weights.affine("position", hidden, hidden, false);
  weigh_ = weights.affine("weigh", hidden / 2, hidden);
  choose_ = Dot::read(weights, "choose", hidden / 2);
  weights.finish();
}

void TokenNet::forward(const TokenBatch& batch, std::span<float> values, std::span<float> logits, Workspace& work) const {
  const Parts all = batch.parts();
  for (std::size_t first = 0, last; first < all.size(); first = last) {
    std::size_t rows = 0;
    for (last = first; last < all.size() && (last == first || rows + all[last].units <= kRowsAtOnce); ++last) rows += all[last].units;
    const Parts parts = all.subspan(first, last - first);
    enter(batch, parts, work);
    for (const Round& round : rounds_) exchange(batch, parts, round, work);
    evaluate(batch, parts, values.subspan(first), work);
    weigh(batch, parts, logits, work);
  }
}

// x [rows, hidden + messages]: its first `hidden` channels are relu(enter(unit) + about(globals)).
void TokenNet::enter(const TokenBatch& batch, Parts parts, Workspace& work) const {
  const std::size_t rows = rows_of(parts), width = hidden_ + kSaid, first = row_of(parts.front());
  int* const state_of_row = room(work.state_of_row, rows);
  for (std::size_t i = 0; i < parts.size(); ++i)
    std::fill_n(state_of_row + row_of(parts[i]) - first, parts[i].units, static_cast<int>(i));
  const std::size_t place = static_cast<std::size_t>(parts.data() - batch.parts().data());
  float* const about = room(work.about, parts.size() * hidden_);
  kernels_->affine(about_.layer(), {batch.globals() + place * kGlobal, kGlobal}, parts.size(), {}, {}, Activation::kNone,
                   about, hidden_);
  kernels_->affine(enter_.layer(), {batch.tokens() + first * kUnit, kUnit}, rows, {{about, hidden_}, state_of_row}, {},
                   Activation::kRelu, room(work.x, rows * width), width);
}

// x + relu(own(x) + hear(the messages of the other units)).
void TokenNet::exchange(const TokenBatch& batch, Parts parts, const Round& round, Workspace& work) const {
  const std::size_t rows = rows_of(parts), width = hidden_ + kSaid;
  float* const said = room(work.said, rows * kSaid);
  kernels_->affine(round.say.layer(), {work.x.data(), width}, rows, {}, {}, Activation::kNone, said, kSaid);
  for (const auto& part : parts) {
    const std::size_t n = part.units, row = row_of(part) - row_of(parts.front());
    float* const means = room(work.pairs, kFriendsAndEnemies * n * n);
    for (std::size_t i = 0; i < kFriendsAndEnemies * n; ++i) {
      const float* pairs = batch.edges() + part.edge + i * n;
      float count = 0;
      for (std::size_t j = 0; j < n; ++j) count += pairs[j];
      const float share = 1.0f / std::max(count, 1.0f);
      for (std::size_t j = 0; j < n; ++j) means[i * n + j] = pairs[j] * share;
    }
    // For each kind of pair, the messages are the weights of an affine map, and the pairs are its inputs.
    for (std::size_t kind = 0; kind < kPair; ++kind) {
      const float* pairs = kind < kFriendsAndEnemies ? means + kind * n * n : batch.edges() + part.edge + kind * n * n;
      kernels_->affine({said + row * kSaid + kind * kPanel, 0, kSaid, nullptr, n, 1}, {pairs, n}, n, {}, {}, Activation::kNone,
                       work.x.data() + row * width + hidden_ + kind * kPanel, width);
    }
  }
  kernels_->affine(round.change.layer(), {work.x.data(), width}, rows, {}, {}, Activation::kReluAndAdd,
                   room(work.changed, rows * width), width);
  work.x.swap(work.changed);
}

// The values, and the term of each position that weigh() adds to the terms of its acting units.
void TokenNet::evaluate(const TokenBatch& batch, Parts parts, std::span<float> values, Workspace& work) const {
  const std::size_t panels = hidden_ / kPanel, width = hidden_ + kSaid, pooled_width = 4 * hidden_ + kGlobal;
  float* const pooled = room(work.pooled, parts.size() * pooled_width);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t row = row_of(parts[i]) - row_of(parts.front());
    work.own.clear();
    work.other.clear();
    for (std::size_t unit = 0; unit < parts[i].units; ++unit)
      (batch.tokens()[parts[i].token + unit * kUnit + 6] > 0 ? work.own : work.other).push_back(static_cast<int>(row + unit));
    float* const into = pooled + i * pooled_width;
    for (const auto& [side, at] : {std::pair(std::size_t{0}, &work.own), std::pair(std::size_t{1}, &work.other)}) {
      float* const mean = into + side * hidden_;
      float* const most = into + (2 + side) * hidden_;
      kernels_->pool({work.x.data(), width}, at->data(), at->size(), panels, mean, most);
      const float count = std::max<float>(1, static_cast<float>(at->size()));
      for (std::size_t c = 0; c < hidden_; ++c) {
        mean[c] /= count;
        most[c] = std::max(most[c], -1e3f);
      }
    }
    const std::size_t place = static_cast<std::size_t>(&parts[i] - batch.parts().data());
    std::copy_n(batch.globals() + place * kGlobal, kGlobal, into + 4 * hidden_);
  }
  float* const state = room(work.state, parts.size() * hidden_);
  kernels_->affine(balance_.layer(), {pooled, pooled_width}, parts.size(), {}, {}, Activation::kRelu, state, hidden_);
  float* const results = room(work.results, parts.size() * kPanel);
  kernels_->affine(result_.layer(), {state, hidden_}, parts.size(), {}, {}, Activation::kNone, results, kPanel);
  for (std::size_t i = 0; i < parts.size(); ++i) values[i] = balance_of(results + i * kPanel);
  kernels_->affine(position_.layer(), {state, hidden_}, parts.size(), {}, {}, Activation::kNone,
                   room(work.position, parts.size() * hidden_), hidden_);
}

// choose(relu(weigh(relu(actor(x) + position(state) + target(x) + effect(move))))).
void TokenNet::weigh(const TokenBatch& batch, Parts parts, std::span<float> logits, Workspace& work) const {
  const std::size_t rows = rows_of(parts), width = hidden_ + kSaid, first_row = row_of(parts.front());
  float* const actors = room(work.actors, rows * hidden_);
  float* const targets = room(work.targets, rows * hidden_);
  kernels_->affine(actor_.layer(), {work.x.data(), width}, rows, {{work.position.data(), hidden_}, work.state_of_row.data()}, {},
                   Activation::kNone, actors, hidden_);
  kernels_->affine(target_.layer(), {work.x.data(), width}, rows, {}, {}, Activation::kNone, targets, hidden_);
  const std::size_t first = parts.front().move, last = parts.back().move + parts.back().moves;
  int* const actor = room(work.actor, last - first);
  int* const target = room(work.target, last - first);
  for (const auto& part : parts) {
    const int row = static_cast<int>(row_of(part) - first_row);
    for (std::size_t move = part.move; move < part.move + part.moves; ++move) {
      actor[move - first] = row + batch.movers()[move];
      target[move - first] = batch.targets()[move] < 0 ? -1 : row + batch.targets()[move];
    }
  }
  const std::size_t half = weigh_.outputs();
  float* const hidden = room(work.hidden, kMovesAtOnce * hidden_);
  float* const weighed = room(work.weighed, kMovesAtOnce * half);
  for (std::size_t move = first; move < last; move += kMovesAtOnce) {
    const std::size_t n = std::min(kMovesAtOnce, last - move);
    kernels_->affine(effect_.layer(), {batch.features() + move * kMove, kMove}, n, {{actors, hidden_}, actor + (move - first)},
                     {{targets, hidden_}, target + (move - first)}, Activation::kRelu, hidden, hidden_);
    kernels_->affine(weigh_.layer(), {hidden, hidden_}, n, {}, {}, Activation::kRelu, weighed, half);
    kernels_->dot(choose_.weights.data(), choose_.bias, half / kPanel, {weighed, half}, n, logits.data() + move);
  }
}

evaluation::TubstapPolicies::Forward forward_of(std::shared_ptr<const TokenNet> net) {
  return [net = std::move(net), work = TokenNet::Workspace()](const auto& batch, auto outputs) mutable {
    const auto* tokens = std::get_if<TokenBatch>(&batch->arrays);
    if (!tokens) throw std::invalid_argument("a network of tokens needs the encoder tokens");
    net->forward(*tokens, outputs[0].values, outputs[1].values, work);
  };
}

}  // namespace sandtable::nets
