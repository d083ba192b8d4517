// The encoders of networks that give a position one value, for the side to move. ValueEncoder implements the evaluator's
// contract (evaluation/evaluator.h) for each of them. A question is a state.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/batch.h"
#include "tubstap/encoders/attack_graph.h"
#include "tubstap/encoders/combined.h"
#include "tubstap/encoders/unit_image.h"

namespace sandtable::tubstap {

class ValueEncoder {
 public:
  using Any =
      std::variant<AttackGraphEncoder, UnitImageEncoder, DamageGraphEncoder, TerrainImageEncoder, CombinedEncoder>;
  using Answer = float;
  using Cached = float;
  static constexpr std::size_t kMostCached = 1 << 28;

  struct Batch {
    std::size_t states = 0, floats = 0;  // floats: of one state
    std::vector<float> values;           // [states, floats], with spare room
  };

  explicit ValueEncoder(Any encoder) : encoder_(encoder) {}

  std::size_t floats() const {
    return std::visit([](const auto& encoder) { return encoder.size(); }, encoder_);
  }
  // Throws std::invalid_argument if the network is not made for such boards.
  template <class Size>
  void check(const Board<Size>& board) const {
    std::visit([&](const auto& encoder) { encoder.check(board); }, encoder_);
  }

  template <class Size>
  void begin(const State<Size>&, Batch& batch) const {
    batch.states = 0;
    batch.floats = floats();
  }
  // None of the encoders shows the network the clock; this hash covers everything else that they show.
  template <class Size>
  std::optional<std::uint64_t> key(const State<Size>& state, Batch&) const {
    return state.position_hash();
  }
  template <class Size>
  void add(const State<Size>& state, Batch& batch) const;  // compiled for all sizes in encoders.cpp
  void finish(Batch&) const {}
  Shapes outputs(const Batch& batch) const { return {{batch.states}}; }
  Answer read(const Batch&, std::size_t i, Outputs outputs) const { return outputs[0][i]; }
  BatchSize size(const Batch& batch) const { return {batch.states, batch.states, 0}; }

 private:
  Any encoder_;
};

}  // namespace sandtable::tubstap
