// States of any board, kinds and terrains, as a token for each unit, features of each pair of units, and features of the
// outcome of each move. No feature depends on absolute coordinates or on the board's orientation.
//
//   units    [B, N, 16]     one row for each living unit, ids ascending; rows without a unit are zero
//   pairs    [B, 8, N, N]   of unit i with unit j
//   globals  [B, 12]        the clock and the balance of strength
//   moves    [M, 20]        of all states, one after the other, in the order of State::moves
//   actor    [M]            the mover's index among all B * N rows
//   target   [M]            the target's index, B * N if there is none
//
// N is the greatest number of living units in the batch. HP and damages are divided by 10, distances by 10, numbers of
// units and defences by 4. The network answers with a value for each state and a logit for each move.
//
// A unit "can attack" another if it could harm it in one operation, whether or not it has acted and whoever is to move.
//
//   units    0-5 kind; 6 side: 1 for the side to move, -1 for the other; 7 HP; 8 can still act; 9 defence of its cell;
//            10 direct; 11 movement / 10; 12 total damage of the units that can attack it, each as if alone; 13 their number;
//            14 number of units that it can attack; 15 the greatest damage that it can deal
//   pairs    0 friends; 1 enemies; 2 1 / distance; 3 next to each other; 4 damage of i on an enemy j at any distance;
//            if i can attack j: 5 the damage dealt; 6 the least damage taken; 7 1 if j dies, else 1/2
//   globals  0 there is a turn limit; 1 turns left / 40, at most 1; 2 rises from 0 to 1 over the last eight turns; 3 the winner
//            if the limit were reached now: 1 the side to move, -1 the other; 4 HP decide the game at the limit; 5 quiet turns
//            / their limit; 6 lead in HP / all HP; 7, 8 own and other units / 10; 9 share of the own units that can still act;
//            10 HP are real numbers; 11 1
//   moves    0 attack; 1 damage dealt, 2 taken; 3 the target dies; 4 the mover dies; 5 it stays; 6 defence there; 7 distance
//            moved; damage that enemies could do to it there in their next turn, with their present reach: 8 in total, 9 1 if
//            that kills it (or it is dead already), 10 the greatest, 11 number of these enemies; 12 distance to the nearest
//            remaining enemy, 13 the change of this distance, 14 the mean distance to all of them, rounded down; 15 friends
//            next to it; 16 distance to the nearest friend; 17 the greatest damage on a remaining enemy that it could strike
//            in its next turn if nothing stood in its way, 18 number of such enemies; 19 HP left to a target that lives.
//            Distances count as 20 at most, and as 20 if there is no such unit; 13 and 14 are 0 without a remaining enemy, 17
//            is 0 if the mover is dead
#pragma once

#include <bit>
#include <tuple>

#include "tubstap/encoders/move_outlook.h"
#include "tubstap/encoders/softmax.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

class TokenBatch {
 public:
  static constexpr int kUnit = 16, kPair = 8, kGlobal = 12, kMove = 20;

  template <class Size>
  static void check(const Board<Size>&) {}
  // The network sees the clock and the limits, so the key depends on them too.
  template <class Size>
  static std::uint64_t key(const State<Size>& state) {
    const Rules& rules = state.board().rules();
    std::uint64_t key = mix(state.hash() ^ state.board().fingerprint());
    for (const auto& limit : {rules.turn_limit, rules.quiet_limit})
      key = mix(key ^ static_cast<std::uint64_t>(limit ? *limit + 1 : 0));
    key = mix(key ^ static_cast<std::uint64_t>(rules.hp_threshold.has_value()));
    return mix(key ^ std::bit_cast<std::uint64_t>(rules.hp_threshold.value_or(0)));
  }

  void clear() {
    states_.clear();
    tokens_.clear();
    edges_.clear();
    globals_.clear();
    moves_.clear();
    movers_.clear();
    targets_.clear();
    widest_ = 0;
  }

  template <class Size>
  void add(const State<Size>& state, std::span<const Operation> moves) {
    const View<Size> view(state);
    const auto n = static_cast<std::size_t>(view.units);
    states_.push_back({tokens_.size(), edges_.size(), moves_.size() / kMove, moves.size(), n});
    widest_ = std::max(widest_, n);
    tokens_.resize(tokens_.size() + n * kUnit, 0.0f);
    edges_.resize(edges_.size() + kPair * n * n, 0.0f);
    write_units(view, tokens_.data() + states_.back().token, edges_.data() + states_.back().edge);
    write_globals(view);
    write_moves(view, moves);
  }

  // Appends the indices of the logits of the moves of the state that was added last.
  template <class Size>
  void places(const State<Size>&, std::span<const Operation> moves, std::vector<std::int64_t>& out) const {
    for (std::size_t i = 0; i < moves.size(); ++i) out.push_back(static_cast<std::int64_t>(out.size()));
  }

  // The offsets of a state in the arrays that are not padded, and its numbers of moves and units.
  struct Part {
    std::size_t token, edge, move, moves, units;
  };
  // The arrays that are not padded, one state after the other: units [all units, 16]; for each state its pairs [8, n, n];
  // globals, moves; for each move the indices of the mover and of the target among the state's units, -1 without a target.
  std::span<const Part> parts() const { return states_; }
  const float* tokens() const { return tokens_.data(); }
  const float* edges() const { return edges_.data(); }
  const float* globals() const { return globals_.data(); }
  const float* features() const { return moves_.data(); }
  const std::int8_t* movers() const { return movers_.data(); }
  const std::int8_t* targets() const { return targets_.data(); }

  // Lays out the padded arrays, in which all states have as many rows as the one with the most units. It must be called
  // after the last add(), before the padded arrays are read.
  void assemble() {
    const std::size_t b = states(), n = widest_;
    units_out_.assign(b * n * kUnit, 0.0f);
    pairs_out_.assign(b * kPair * n * n, 0.0f);
    actor_out_.resize(movers_.size());
    target_out_.resize(targets_.size());
    for (std::size_t i = 0; i < b; ++i) {
      const Part& part = states_[i];
      std::copy_n(tokens_.data() + part.token, part.units * kUnit, units_out_.data() + i * n * kUnit);
      for (std::size_t row = 0; row < kPair * part.units; ++row) {
        const std::size_t k = row / part.units, unit = row % part.units;
        std::copy_n(edges_.data() + part.edge + row * part.units, part.units,
                    pairs_out_.data() + ((i * kPair + k) * n + unit) * n);
      }
      for (std::size_t m = part.move; m < part.move + part.moves; ++m) {
        actor_out_[m] = static_cast<std::int64_t>(i * n) + movers_[m];
        target_out_[m] = static_cast<std::int64_t>(targets_[m] < 0 ? b * n : i * n + static_cast<std::size_t>(targets_[m]));
      }
    }
  }

  std::size_t states() const { return states_.size(); }
  std::size_t rows() const { return states_.size(); }
  std::size_t widest() const { return widest_; }
  std::size_t moves() const { return movers_.size(); }
  float* units_array() { return units_out_.data(); }
  float* pairs_array() { return pairs_out_.data(); }
  float* globals_array() { return globals_.data(); }
  float* moves_array() { return moves_.data(); }
  std::int64_t* actor_array() { return actor_out_.data(); }
  std::int64_t* target_array() { return target_out_.data(); }
  std::size_t values_wanted() const { return states(); }
  std::size_t logits_wanted() const { return moves(); }

  void read(std::size_t i, std::span<const float> values, std::span<const float> logits, std::vector<float>& priors,
            float& value) const {
    const Part& part = states_[i];
    value = values[i];
    priors.assign(logits.begin() + static_cast<std::ptrdiff_t>(part.move),
                  logits.begin() + static_cast<std::ptrdiff_t>(part.move + part.moves));
    softmax(priors);
  }

 private:
  static constexpr float kTenth = 0.1f;

  // Intermediate results from which the features of one state are computed.
  template <class Size>
  struct View {
    using Grid = typename Board<Size>::Grid;

    explicit View(const State<Size>& at) : state(at), board(at.board()) {
      for_each_unit(state.alive(), [&](int unit) {
        row[unit] = static_cast<std::int8_t>(units++);
        prospects[unit] = prospect(state, unit);
        reached[unit] = stops(state, unit, prospects[unit].flooded);
        zone[unit] = Grid{};
        if (board.side(unit) != state.side()) zone[unit] = attack_zone(unit);
      });
    }

    // The cells on which a unit could hit something in its next turn.
    Grid attack_zone(int unit) const {
      if (board.direct(unit)) return board.neighbours(reached[unit]);
      Grid zone{};
      const auto [least, greatest] = board.rules().range[board.kind(unit)];
      for (int x = std::max(0, board.x(state.cell(unit)) - greatest); x < board.width() && x <= board.x(state.cell(unit)) + greatest; ++x) {
        for (int y = std::max(0, board.y(state.cell(unit)) - greatest); y < board.height() && y <= board.y(state.cell(unit)) + greatest; ++y) {
          const int d = board.distance(board.cell(x, y), state.cell(unit));
          if (d >= least && d <= greatest) zone.set(board.cell(x, y));
        }
      }
      return zone;
    }

    const State<Size>& state;
    const Board<Size>& board;
    int units = 0;
    std::array<std::int8_t, Size::kUnits> row{};
    std::array<Prospect<Size>, Size::kUnits> prospects;
    std::array<Grid, Size::kUnits> reached, zone;
  };

  template <class Size>
  static void write_units(const View<Size>& view, float* tokens, float* edges) {
    const auto& [state, board] = std::tie(view.state, view.board);
    const int n = view.units;
    const auto pair = [&](int kind, int unit, int other) -> float& {
      return edges[(kind * n + view.row[unit]) * n + view.row[other]];
    };
    for_each_unit(state.alive(), [&](int unit) {
      float* token = tokens + view.row[unit] * kUnit;
      const bool own = board.side(unit) == state.side();
      token[board.kind(unit)] = 1;
      token[6] = own ? 1.0f : -1.0f;
      token[7] = static_cast<float>(state.hp(unit)) * kTenth;
      token[8] = static_cast<float>(state.ready() >> unit & 1);
      token[9] = static_cast<float>(board.defence(unit, state.cell(unit))) * 0.25f;
      token[10] = board.direct(unit) ? 1.0f : 0.0f;
      token[11] = static_cast<float>(board.mobility(board.kind(unit)).movement) * kTenth;
      for_each_unit(state.alive(), [&](int other) {
        if (other == unit) return;
        const int distance = board.distance(state.cell(unit), state.cell(other));
        const bool friends = board.side(other) == board.side(unit);
        pair(friends ? 0 : 1, unit, other) = 1;
        pair(2, unit, other) = 1.0f / static_cast<float>(distance);
        pair(3, unit, other) = distance == 1 ? 1.0f : 0.0f;
        if (!friends)
          pair(4, unit, other) =
              static_cast<float>(state.damage(unit, state.hp(unit), other, state.hp(other), state.cell(other))) * kTenth;
      });
      for_each_target(state, unit, view.reached[unit], view.prospects[unit].near, [&](Target target) {
        Combat least = state.combat(attack(state, unit, target, 0));
        for (int k = 1; k < target.cells(); ++k)
          least.taken = std::min(least.taken, state.combat(attack(state, unit, target, k)).taken);
        pair(5, unit, target.unit) = static_cast<float>(least.dealt) * kTenth;
        pair(6, unit, target.unit) = static_cast<float>(least.taken) * kTenth;
        const bool kills = least.dealt >= state.hp(target.unit) - kDeadHp;
        pair(7, unit, target.unit) = kills ? 1.0f : 0.5f;
        // The total damage on the target and the number of its attackers; then the unit's number of targets and best
        // damage.
        float* other = tokens + view.row[target.unit] * kUnit;
        other[12] += static_cast<float>(least.dealt) * kTenth;
        other[13] += 0.25f;
        token[14] += 0.25f;
        token[15] = std::max(token[15], static_cast<float>(least.dealt) * kTenth);
      });
    });
  }

  template <class Size>
  void write_globals(const View<Size>& view) {
    const auto& [state, board] = std::tie(view.state, view.board);
    const Rules& rules = board.rules();
    const double own = state.hp_sum(state.side()), other = state.hp_sum(1 - state.side());
    const double left = rules.turn_limit ? *rules.turn_limit - state.turn() : 0;
    double lead = 0;
    if (rules.hp_threshold) lead = own > other + *rules.hp_threshold ? 1 : other > own + *rules.hp_threshold ? -1 : 0;
    const double ready = std::popcount(state.ready());
    const double mine = std::popcount(state.alive(state.side())), theirs = std::popcount(state.alive(1 - state.side()));
    const std::array<double, kGlobal> values = {
        rules.turn_limit ? 1.0 : 0.0,
        std::min(left, 40.0) / 40,
        rules.turn_limit ? std::max(0.0, 1 - left / 8) : 0,
        rules.turn_limit && rules.hp_threshold ? lead : 0,
        rules.turn_limit && rules.hp_threshold ? 1.0 : 0.0,
        rules.quiet_limit ? static_cast<double>(state.quiet()) / *rules.quiet_limit : 0,
        (own - other) / (own + other),
        mine / 10,
        theirs / 10,
        ready / mine,
        rules.real_hp ? 1.0 : 0.0,
        1.0,
    };
    for (const double value : values) globals_.push_back(static_cast<float>(value));
  }

  template <class Size>
  void write_moves(const View<Size>& view, std::span<const Operation> moves) {
    MoveOutlook<Size> outlook(view.state, view.zone);
    moves_.resize(moves_.size() + moves.size() * kMove);
    float* out = moves_.data() + moves_.size() - moves.size() * kMove;
    for (const Operation& move : moves) {
      outlook.write(move, out);
      out += kMove;
      movers_.push_back(view.row[move.unit]);
      targets_.push_back(move.attacks() ? view.row[move.target] : -1);
    }
  }

  std::vector<Part> states_;
  std::vector<float> tokens_, edges_, globals_, moves_, units_out_, pairs_out_;
  std::vector<std::int8_t> movers_, targets_;
  std::vector<std::int64_t> actor_out_, target_out_;
  std::size_t widest_ = 0;
};

}  // namespace sandtable::tubstap
