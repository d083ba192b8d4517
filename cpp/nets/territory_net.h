// The network of src/sandtable/nets/territories.py, on positions as cpp/conquest/encoders/territory_features.h writes
// them. Messages are passed only along the edges of the map and between territories that share a bonus, and marches are
// weighed only along edges.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evaluation/conquest.h"
#include "nets/layers.h"

namespace sandtable::nets {

class TerritoryNet {
 public:
  // Throws std::invalid_argument unless the file is a safetensors file with exactly the weights of a network of this size.
  TerritoryNet(std::span<const unsigned char> file, std::size_t hidden, std::size_t rounds, const Kernels& kernels);

  // Working memory, for one call at a time.
  struct Workspace {
    Floats x, changed, said, about, pooled, state, results, place, stay, source, target;
    std::vector<int> state_of_row, owned[3];
  };

  struct Answers {
    std::span<float> values;            // of the states
    std::span<float> deploys, marches;  // of the states in `asked`: logits [T] and [T, T]; 0 where there is no edge
  };
  void forward(const conquest::FeatureBatch& batch, const Answers& answers, Workspace& work) const;

 private:
  struct Round {
    Affine say, change;
  };
  // Consecutive states of a batch.
  struct Slice {
    const conquest::FeatureBatch& batch;
    std::size_t first, count;
  };

  void enter(const Slice& slice, Workspace& work) const;
  void exchange(const Slice& slice, const Round& round, Workspace& work) const;
  void evaluate(const Slice& slice, std::span<float> values, Workspace& work) const;
  void propose(const conquest::FeatureMap& map, const float* x, float* deploys, float* marches, Workspace& work) const;

  const Kernels* kernels_;
  std::size_t hidden_, width_;
  Affine enter_, about_, balance_, result_, place_, source_, target_;
  std::vector<Round> rounds_;
  Dot deploy_, stay_;
};

// The network as the forward function of an evaluator.
evaluation::TurnPolicies::Forward forward_of(std::shared_ptr<const TerritoryNet> net);

}  // namespace sandtable::nets
