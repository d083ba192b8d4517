// Positions of one scenario as arrays of a fixed size, by one of the engine's encoders.
//
//   graph    nodes [N, 13], edges [N, N, 4]                       encoders/damage_graph.h
//   image    planes [20, height, width]                            encoders/terrain_image.h
//   tokens   units [N, 16], pairs [8, N, N], globals [12]          encoders/tokens.h, padded with zeros
//
// N is the number of the scenario's units. None of these arrays shows which row of the actions (tubstap_actions.h) belongs
// to which unit. A roster [2 R, 6] adds this: one row for each row of a side's actions, and then for each of the other
// side's:
//
//   1 if it lives, (kind + 1) / 6, (column + 1) / width, (row + 1) / height, HP / 10, 1 if it can act in this turn
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>

#include "environments/tubstap_actions.h"
#include "tubstap/any_state.h"
#include "tubstap/encoders/damage_graph.h"
#include "tubstap/encoders/terrain_image.h"
#include "tubstap/encoders/tokens.h"

namespace sandtable::environments {

class TubstapObserver {
 public:
  static constexpr std::size_t kRoster = 6;

  // `encoder`: graph, image or tokens.
  TubstapObserver(const tubstap::AnyState& start, const std::string& encoder);

  const TubstapActions& actions() const { return actions_; }
  std::size_t size() const { return size_; }
  std::size_t roster_rows() const { return 2 * static_cast<std::size_t>(actions_.rows()); }
  std::size_t roster_size() const { return roster_rows() * kRoster; }

  // For a state that comes from outside. All throw std::invalid_argument if it is not of the observer's scenario, which
  // determines the sizes of the arrays, or if the action or the move is illegal in it.
  std::vector<float> encode(const tubstap::AnyState& state);
  std::vector<float> roster(const tubstap::AnyState& state, int side) const;
  std::vector<std::uint8_t> mask(const tubstap::AnyState& state) const;
  TubstapMove move(const tubstap::AnyState& state, std::int64_t action) const;
  std::int64_t action(const tubstap::AnyState& state, const NamedMove& move) const;

  // Writes size() numbers for a position of the scenario, from the perspective of the side to move.
  template <class Size>
  void encode(const tubstap::State<Size>& state, float* out);
  // Writes roster_size() numbers, the side's own rows first.
  template <class Size>
  void write_roster(const tubstap::State<Size>& state, int side, float* out) const;

 private:
  // Returns f(state) after checking that the state is of the scenario.
  template <class F>
  auto observed(const tubstap::AnyState& any, F&& f) const {
    return any.visit([&](const auto& state) {
      require(state.board().fingerprint() == fingerprint_, "the state is of another scenario");
      return f(state);
    });
  }

  template <class Size>
  void encode_tokens(const tubstap::State<Size>& state, float* out);

  std::uint64_t fingerprint_ = 0;  // of the scenario's board
  TubstapActions actions_;
  std::variant<tubstap::DamageGraphEncoder, tubstap::TerrainImageEncoder, tubstap::TokenBatch> encoder_;
  std::size_t units_ = 0, size_ = 0;
};

template <class Size>
void TubstapObserver::encode(const tubstap::State<Size>& state, float* out) {
  if (const auto* graph = std::get_if<tubstap::DamageGraphEncoder>(&encoder_)) return graph->encode(state, out);
  if (const auto* image = std::get_if<tubstap::TerrainImageEncoder>(&encoder_)) return image->encode(state, out);
  encode_tokens(state, out);
}

template <class Size>
void TubstapObserver::encode_tokens(const tubstap::State<Size>& state, float* out) {
  using Batch = tubstap::TokenBatch;
  auto& batch = std::get<Batch>(encoder_);
  std::fill_n(out, size_, 0.0f);
  // Tokens are only defined while both sides have units: without them there is no balance to show, and the array stays
  // zero.
  if (!state.alive(0) || !state.alive(1)) return;
  batch.clear();
  batch.add(state, {});
  batch.assemble();
  const std::size_t n = batch.widest();
  std::copy_n(batch.units_array(), n * Batch::kUnit, out);
  out += units_ * Batch::kUnit;
  for (std::size_t row = 0; row < Batch::kPair * n; ++row)
    std::copy_n(batch.pairs_array() + row * n, n, out + (row / n * units_ + row % n) * units_);
  std::copy_n(batch.globals_array(), Batch::kGlobal, out + Batch::kPair * units_ * units_);
}

template <class Size>
void TubstapObserver::write_roster(const tubstap::State<Size>& state, int side, float* out) const {
  const auto& board = state.board();
  std::fill_n(out, roster_size(), 0.0f);
  const std::uint64_t ready = state.ready();
  tubstap::for_each_unit(state.alive(), [&](int unit) {
    const int row = actions_.row(unit) + (board.side(unit) == side ? 0 : actions_.rows()), cell = state.cell(unit);
    float* const at = out + static_cast<std::size_t>(row) * kRoster;
    at[0] = 1;
    at[1] = static_cast<float>(board.kind(unit) + 1) / tubstap::kKinds;
    at[2] = static_cast<float>(board.x(cell) + 1) / static_cast<float>(board.width());
    at[3] = static_cast<float>(board.y(cell) + 1) / static_cast<float>(board.height());
    at[4] = static_cast<float>(state.hp(unit)) / 10;
    at[5] = static_cast<float>(ready >> unit & 1);
  });
}

}  // namespace sandtable::environments
