// A position of a TUBSTAP game. It is plain memory: copying it is a few cache lines.
//
// The important functions are play(), which carries out one unit's operation with all its consequences, and
// those of operations.h, which list the operations that can be played. play() does not check its operation;
// illegal() in legality.h checks operations that come from outside.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/rng.h"
#include "tubstap/board.h"

namespace sandtable::tubstap {

// One unit goes to a cell (perhaps its own) and perhaps attacks a unit from there.
struct Operation {
  static constexpr std::int8_t kNoTarget = -1;
  std::uint16_t cell;
  std::uint8_t unit;
  std::int8_t target;

  static Operation to(int unit, int cell, int target = kNoTarget) {
    return {static_cast<std::uint16_t>(cell), static_cast<std::uint8_t>(unit), static_cast<std::int8_t>(target)};
  }
  bool attacks() const { return target != kNoTarget; }
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Combat {
  double dealt = 0;
  double taken = 0;
};

enum class Reason : std::uint8_t { kPlaying, kAnnihilation, kTurnLimit, kNoProgress };

inline constexpr int kNobody = -1;

// Calls f(unit) for every unit of a mask, in ascending order.
template <class F>
void for_each_unit(std::uint64_t mask, F&& f) {
  for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

template <class Size_>
class State {
 public:
  using Size = Size_;
  using BoardType = Board<Size>;
  using Grid = typename BoardType::Grid;

  // The start of the scenario. The board must be the setup's own and outlive the state.
  State(const BoardType& board, const Setup& setup);

  const BoardType& board() const { return *board_; }
  int turn() const { return turn_; }
  int side() const { return turn_ & 1; }
  int quiet() const { return quiet_; }
  bool hp_lost() const { return hp_lost_; }
  bool over() const { return reason_ != Reason::kPlaying; }
  int winner() const { return winner_; }  // kNobody while playing and in a draw
  Reason reason() const { return reason_; }

  // Sets of units, with a bit for each id.
  std::uint64_t alive() const { return alive_; }
  std::uint64_t alive(int side) const { return alive_ & board_->units_of(side); }
  // The units of the side to move that can still act in this turn.
  std::uint64_t ready() const { return ready_ & board_->units_of(side()); }
  bool acted(int unit) const { return !(ready_ >> unit & 1); }

  int cell(int unit) const { return cell_[unit]; }
  double hp(int unit) const { return hp_[unit]; }
  double hp_sum(int side) const;
  const Grid& occupied(int side) const { return occupied_[side]; }

  // The damage that a unit with HP `hp` does to a target with HP `target_hp` on the cell `target_cell`.
  double damage(int unit, double hp, int target, double target_hp, int target_cell) const;
  // Whether an attack in this position would cost the target any HP. This does not depend on the attacker's cell.
  bool harms(int unit, int target) const;
  // The damage that a legal attack would deal and take.
  Combat combat(const Operation& op) const;

  // Carries out a legal operation. Playouts discard their states, so they need no hash.
  template <bool kKeepHash = true>
  Combat play(const Operation& op);
  // Ends the turn early: the units that have not acted stay where they are.
  void end_turn();

  // Equal for equal positions (units, acted flags, turn and thereby side, quiet turns), however they arose.
  std::uint64_t hash() const {
    const std::uint64_t clock = static_cast<std::uint64_t>(turn_) << 32 | static_cast<std::uint64_t>(quiet_) << 1 | hp_lost_;
    return mix(units_hash_ ^ mix(ready_ ^ mix(clock)));
  }
  // A hash without the clock, for evaluations that depend on the units alone: the side to move, the units' cells and HP,
  // and which of them can still act. It differs between boards.
  std::uint64_t position_hash() const { return mix(units_hash_ ^ mix(ready() ^ mix(board_->fingerprint() + static_cast<unsigned>(side())))); }

 private:
  void change_turn();
  void pass_if_nothing_is_ready();
  void decide_by_clock();
  void decide(int winner, Reason reason) {
    winner_ = static_cast<std::int8_t>(winner);
    reason_ = reason;
  }
  std::uint64_t unit_hash(int unit) const {
    const std::uint64_t place = static_cast<std::uint64_t>(unit) << 16 | cell_[unit];
    return mix(mix(place) ^ std::bit_cast<std::uint64_t>(hp_[unit]));
  }
  template <bool kKeepHash>
  void lose_hp(int unit, double amount);

  std::array<Grid, 2> occupied_{};  // first, so that its alignment costs no padding
  const BoardType* board_;
  std::uint64_t alive_ = 0;
  std::uint64_t ready_ = 0;  // living units that have not acted, of both sides
  std::uint64_t units_hash_ = 0;
  std::array<double, Size::kUnits> hp_{};
  std::int32_t turn_;
  std::int32_t quiet_;
  bool hp_lost_;
  Reason reason_ = Reason::kPlaying;
  std::int8_t winner_ = kNobody;
  std::array<typename Size::Cell, Size::kUnits> cell_{};
};

template <class Size>
State<Size>::State(const BoardType& board, const Setup& setup)
    : board_(&board), turn_(setup.turn), quiet_(setup.quiet), hp_lost_(setup.hp_lost) {
  for (int id = 0; id < board.units(); ++id) {
    const UnitSetup& unit = setup.units[id];
    if (unit.hp <= kDeadHp) continue;
    cell_[id] = static_cast<typename Size::Cell>(board.cell(unit.x - 1, unit.y - 1));
    hp_[id] = unit.hp;
    alive_ |= std::uint64_t{1} << id;
    if (!unit.acted) ready_ |= std::uint64_t{1} << id;
    occupied_[unit.side].set(cell_[id]);
    units_hash_ ^= unit_hash(id);
  }
  for (int s = 0; s < 2; ++s)
    if (!alive(s)) decide(alive(1 - s) ? 1 - s : kNobody, Reason::kAnnihilation);
  if (!over()) decide_by_clock();
  pass_if_nothing_is_ready();
}

template <class Size>
double State<Size>::hp_sum(int side) const {
  double sum = 0;
  for_each_unit(alive(side), [&](int unit) { sum += hp_[unit]; });
  return sum;
}

template <class Size>
double State<Size>::damage(int unit, double hp, int target, double target_hp, int target_cell) const {
  const double power = board_->power(unit, target);
  if (power == 0) return 0;
  double amount = (power * hp + kDamageBonus) / (kDamageBase + board_->defence(target, target_cell) * target_hp);
  // Truncation is exact: a quotient of small integers is never rounded up to the next integer.
  if (!board_->rules().real_hp) amount = static_cast<double>(static_cast<std::int32_t>(amount));
  return std::min(amount, target_hp);
}

template <class Size>
bool State<Size>::harms(int unit, int target) const {
  const double power = board_->power(unit, target);
  if (power == 0) return false;
  return board_->rules().real_hp || power * hp_[unit] + kDamageBonus >=
                                        kDamageBase + board_->defence(target, cell_[target]) * hp_[target];
}

template <class Size>
Combat State<Size>::combat(const Operation& op) const {
  Combat result;
  result.dealt = damage(op.unit, hp_[op.unit], op.target, hp_[op.target], cell_[op.target]);
  const double left = hp_[op.target] - result.dealt;
  if (left > kDeadHp && board_->direct(op.unit) && board_->direct(op.target))
    result.taken = damage(op.target, left, op.unit, hp_[op.unit], op.cell);
  return result;
}

template <class Size>
template <bool kKeepHash>
void State<Size>::lose_hp(int unit, double amount) {
  if (amount == 0) return;
  hp_lost_ = true;
  if constexpr (kKeepHash) units_hash_ ^= unit_hash(unit);
  hp_[unit] -= amount;
  if (hp_[unit] > kDeadHp) {
    if constexpr (kKeepHash) units_hash_ ^= unit_hash(unit);
    return;
  }
  const std::uint64_t bit = std::uint64_t{1} << unit;
  hp_[unit] = 0;
  alive_ &= ~bit;
  ready_ &= ~bit;
  const int side = board_->side(unit);
  occupied_[side].reset(cell_[unit]);
  if (!alive(side)) decide(1 - side, Reason::kAnnihilation);
}

template <class Size>
template <bool kKeepHash>
Combat State<Size>::play(const Operation& op) {
  const int unit = op.unit;
  if constexpr (kKeepHash) units_hash_ ^= unit_hash(unit);
  occupied_[side()].reset(cell_[unit]);
  occupied_[side()].set(op.cell);
  cell_[unit] = static_cast<typename Size::Cell>(op.cell);
  if constexpr (kKeepHash) units_hash_ ^= unit_hash(unit);
  ready_ &= ~(std::uint64_t{1} << unit);

  Combat result;
  if (op.attacks()) {
    result = combat(op);
    lose_hp<kKeepHash>(op.target, result.dealt);
    lose_hp<kKeepHash>(unit, result.taken);
  }
  pass_if_nothing_is_ready();
  return result;
}

template <class Size>
void State<Size>::end_turn() {
  change_turn();
  pass_if_nothing_is_ready();
}

template <class Size>
void State<Size>::pass_if_nothing_is_ready() {
  while (!over() && !ready()) change_turn();
}

template <class Size>
void State<Size>::change_turn() {
  ready_ |= alive(side());
  quiet_ = hp_lost_ ? 0 : quiet_ + 1;
  hp_lost_ = false;
  ++turn_;
  decide_by_clock();
}

template <class Size>
void State<Size>::decide_by_clock() {
  const Rules& rules = board_->rules();
  if (rules.turn_limit && turn_ >= *rules.turn_limit) {
    int winner = kNobody;
    if (rules.hp_threshold) {
      const double red = hp_sum(0), blue = hp_sum(1);
      if (red > blue + *rules.hp_threshold) winner = 0;
      if (blue > red + *rules.hp_threshold) winner = 1;
    }
    decide(winner, Reason::kTurnLimit);
  } else if (rules.quiet_limit && quiet_ >= *rules.quiet_limit) {
    decide(kNobody, Reason::kNoProgress);
  }
}

}  // namespace sandtable::tubstap
