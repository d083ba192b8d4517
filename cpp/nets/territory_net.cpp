#include "nets/territory_net.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "nets/workspace.h"

namespace sandtable::nets {
namespace {

using conquest::FeatureBatch, conquest::FeatureMap, conquest::TerritoryFeatures;

constexpr std::size_t kNode = TerritoryFeatures::kNode, kTotals = TerritoryFeatures::kTotals;
constexpr std::size_t kGroups = 2, kSaid = kGroups * kPanel;  // along edges, and between territories that share a bonus
constexpr std::size_t kOwners = 3, kRank = kPanel;
constexpr float kPooled = 0.125f, kProduct = 0.25f;  // kProduct is 1 / sqrt(kRank)
constexpr std::size_t kRowsAtOnce = 160;             // rows computed together, which fit into the processor's cache

// The inner product of two rows, as four sums of every fourth product.
float product(const float* a, const float* b) {
  float sums[4] = {};
  for (std::size_t i = 0; i < kRank; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

TerritoryNet::TerritoryNet(std::span<const unsigned char> file, std::size_t hidden, std::size_t rounds, const Kernels& kernels)
    : kernels_(&kernels), hidden_(hidden), width_(hidden + kSaid) {
  if (hidden == 0 || hidden % kPanel != 0 || hidden > 1024 || rounds > 64)
    throw std::invalid_argument("a network of territories needs a multiple of 16 channels, at most 1024, and at most 64 rounds");
  Weights weights("a network of territories with " + std::to_string(hidden) + " channels and " + std::to_string(rounds) + " rounds", file);
  enter_ = weights.affine("enter", hidden, kNode);
  about_ = weights.affine("about", hidden, kTotals);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string round = "rounds." + std::to_string(i) + ".";
    rounds_.push_back({weights.affine(round + "say", kSaid, hidden), weights.joined(round + "own", hidden, round + "hear", kSaid, hidden)});
  }
  balance_ = weights.affine("balance", 2 * hidden, kOwners * hidden + kTotals);
  result_ = weights.affine("result", 3, 2 * hidden);
  weights.affine("fate", 3, hidden);  // an auxiliary target, only for training
  place_ = weights.affine("place", hidden, hidden);
  deploy_ = Dot::read(weights, "deploy", hidden);
  source_ = weights.affine("source", kRank, hidden);
  target_ = weights.affine("target", kRank, hidden);
  stay_ = Dot::read(weights, "stay", hidden);
  weights.finish();
}

void TerritoryNet::forward(const FeatureBatch& batch, const Answers& answers, Workspace& work) const {
  const std::size_t t = batch.map.territories, together = std::max<std::size_t>(1, kRowsAtOnce / t);
  std::size_t asked = 0;  // an index into batch.asked, which is in ascending order
  for (std::size_t first = 0; first < batch.states; first += together) {
    const Slice slice{batch, first, std::min(together, batch.states - first)};
    enter(slice, work);
    for (const Round& round : rounds_) exchange(slice, round, work);
    evaluate(slice, answers.values.subspan(first), work);
    for (; asked < batch.asked.size() && static_cast<std::size_t>(batch.asked[asked]) < first + slice.count; ++asked)
      propose(batch.map, work.x.data() + (static_cast<std::size_t>(batch.asked[asked]) - first) * t * width_,
              answers.deploys.data() + asked * t, answers.marches.data() + asked * t * t, work);
  }
}

// x [states, territories, hidden + messages]: its first `hidden` channels are relu(enter(node) + about(totals)).
void TerritoryNet::enter(const Slice& slice, Workspace& work) const {
  const std::size_t t = slice.batch.map.territories, rows = slice.count * t;
  int* const state_of_row = room(work.state_of_row, rows);
  for (std::size_t i = 0; i < slice.count; ++i) std::fill_n(state_of_row + i * t, t, static_cast<int>(i));
  float* const about = room(work.about, slice.count * hidden_);
  kernels_->affine(about_.layer(), {slice.batch.totals.data() + slice.first * kTotals, kTotals}, slice.count, {}, {},
                   Activation::kNone, about, hidden_);
  kernels_->affine(enter_.layer(), {slice.batch.nodes.data() + slice.first * t * kNode, kNode}, rows,
                   {{about, hidden_}, state_of_row}, {}, Activation::kRelu, room(work.x, rows * width_), width_);
}

// x + relu(own(x) + hear(the messages of neighbours and of territories that share a bonus)).
void TerritoryNet::exchange(const Slice& slice, const Round& round, Workspace& work) const {
  const FeatureMap& map = slice.batch.map;
  const std::size_t t = map.territories, rows = slice.count * t;
  float* const said = room(work.said, rows * kSaid);
  float* const x = work.x.data();
  kernels_->affine(round.say.layer(), {x, width_}, rows, {}, {}, Activation::kRelu, said, kSaid);
  for (std::size_t i = 0; i < slice.count; ++i)
    kernels_->aggregate({map.weights.data(), map.from.data(), map.ends.data(), kGroups}, {said + i * t * kSaid, kSaid}, t,
                   x + i * t * width_ + hidden_, width_);
  kernels_->affine(round.change.layer(), {x, width_}, rows, {}, {}, Activation::kReluAndAdd,
                   room(work.changed, rows * width_), width_);
  work.x.swap(work.changed);
}

void TerritoryNet::evaluate(const Slice& slice, std::span<float> values, Workspace& work) const {
  const std::size_t t = slice.batch.map.territories, pooled_width = kOwners * hidden_ + kTotals;
  float* const pooled = room(work.pooled, slice.count * pooled_width);
  for (std::size_t i = 0; i < slice.count; ++i) {
    for (auto& rows : work.owned) rows.clear();
    const float* nodes = slice.batch.nodes.data() + (slice.first + i) * t * kNode;
    for (std::size_t row = 0; row < t; ++row)
      for (std::size_t owner = 0; owner < kOwners; ++owner)
        if (nodes[row * kNode + owner] > 0) work.owned[owner].push_back(static_cast<int>(i * t + row));
    float* const into = pooled + i * pooled_width;
    for (std::size_t owner = 0; owner < kOwners; ++owner)
      kernels_->pool({work.x.data(), width_}, work.owned[owner].data(), work.owned[owner].size(), hidden_ / kPanel,
                     into + owner * hidden_, nullptr);
    for (std::size_t c = 0; c < kOwners * hidden_; ++c) into[c] *= kPooled;
    std::copy_n(slice.batch.totals.data() + (slice.first + i) * kTotals, kTotals, into + kOwners * hidden_);
  }
  float* const state = room(work.state, slice.count * 2 * hidden_);
  kernels_->affine(balance_.layer(), {pooled, pooled_width}, slice.count, {}, {}, Activation::kRelu, state, 2 * hidden_);
  float* const results = room(work.results, slice.count * kPanel);
  kernels_->affine(result_.layer(), {state, 2 * hidden_}, slice.count, {}, {}, Activation::kNone, results, kPanel);
  for (std::size_t i = 0; i < slice.count; ++i) values[i] = balance_of(results + i * kPanel);
}

// The policy logits of a position whose territories are the rows at x.
void TerritoryNet::propose(const FeatureMap& map, const float* x, float* deploys, float* marches, Workspace& work) const {
  const std::size_t t = map.territories, panels = hidden_ / kPanel;
  float* const place = room(work.place, t * hidden_);
  float* const source = room(work.source, t * kRank);
  float* const target = room(work.target, t * kRank);
  float* const stay = room(work.stay, t);
  kernels_->affine(place_.layer(), {x, width_}, t, {}, {}, Activation::kRelu, place, hidden_);
  kernels_->affine(source_.layer(), {place, hidden_}, t, {}, {}, Activation::kNone, source, kRank);
  kernels_->affine(target_.layer(), {place, hidden_}, t, {}, {}, Activation::kNone, target, kRank);
  kernels_->dot(deploy_.weights.data(), deploy_.bias, panels, {place, hidden_}, t, deploys);
  kernels_->dot(stay_.weights.data(), stay_.bias, panels, {place, hidden_}, t, stay);
  std::fill_n(marches, t * t, 0.0f);
  for (std::size_t from = 0; from < t; ++from) {
    const auto first = static_cast<std::size_t>(from == 0 ? 0 : map.ends[kGroups * from - 1]);
    for (std::size_t way = first; way < static_cast<std::size_t>(map.ends[kGroups * from]); ++way) {
      const auto to = static_cast<std::size_t>(map.from[way]);
      marches[from * t + to] = kProduct * product(source + from * kRank, target + to * kRank);
    }
    marches[from * t + from] = stay[from];
  }
}

evaluation::TurnPolicies::Forward forward_of(std::shared_ptr<const TerritoryNet> net) {
  return [net = std::move(net), work = TerritoryNet::Workspace()](const auto& batch, auto outputs) mutable {
    net->forward(*batch, {outputs[0].values, outputs[1].values, outputs[2].values}, work);
  };
}

}  // namespace sandtable::nets
