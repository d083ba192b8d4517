// The features of a move's outcome, as tokens.h shows them to networks. The moves of a state share most of the work: the
// surroundings of a cell are computed once for all units that could go there, and the damage that a unit deals and takes
// once for all of its cells. Only attacks, which change the HP of two units, are computed one by one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <utility>

#include "core/short_block.h"
#include "tubstap/operations.h"

namespace sandtable::tubstap {

template <class Size>
class MoveOutlook {
 public:
  using Grid = typename Board<Size>::Grid;

  // zone[enemy] are the cells on which that enemy of the side to move could hit something in its next turn; the grids and
  // the state must outlive the outlook.
  MoveOutlook(const State<Size>& state, const std::array<Grid, Size::kUnits>& zone)
      : state_(state), board_(state.board()), zone_(zone) {
    for_each_unit(state.alive(1 - state.side()), [&](int unit) { enemies_.add(unit, board_, state.cell(unit)); });
    for_each_unit(state.alive(state.side()), [&](int unit) { friends_.add(unit, board_, state.cell(unit)); });
    for (int i = 0; i < enemies_.size; ++i) {
      for (int x = 0; x < board_.width(); ++x) sum_x_[x] += std::abs(enemies_.x[i] - x);
      for (int y = 0; y < board_.height(); ++y) sum_y_[y] += std::abs(enemies_.y[i] - y);
    }
  }

  // The features of tokens.h, in its order.
  void write(const Operation& move, float* out) {
    if (move.unit != mover_) start(move.unit);
    const Place& place = at(move.cell);
    out[5] = move.cell == state_.cell(mover_) ? 1.0f : 0.0f;
    out[6] = static_cast<float>(board_.defence(mover_, move.cell)) * 0.25f;
    out[7] = near(board_.distance(move.cell, state_.cell(mover_)));
    out[15] = static_cast<float>(place.beside - (board_.distance(move.cell, state_.cell(mover_)) == 1)) * 0.25f;
    out[16] = near(place.nearest_friend == mover_ ? place.second_friend_distance : place.friend_distance);
    if (move.attacks())
      write_attack(move, place, out);
    else
      write_plain(move, place, out);
  }

 private:
  static constexpr int kFar = 1000;
  static constexpr int kPlaceBits = 5;
  static constexpr float kTenth = 0.1f;
  static constexpr auto kCounted = [] {  // 0, 1, 2 ...
    std::array<std::int16_t, kMaxUnitsPerSide> counted{};
    for (int i = 0; i < kMaxUnitsPerSide; ++i) counted[i] = static_cast<std::int16_t>(i);
    return counted;
  }();

  // Units with their coordinates in arrays, padded to whole blocks with units that are far from everywhere.
  struct Group {
    int size = 0;
    std::array<std::uint8_t, kMaxUnitsPerSide> unit;
    std::array<std::int16_t, kMaxUnitsPerSide> x, y;

    Group() {
      x.fill(kFar);
      y.fill(kFar);
    }
    void add(int id, const Board<Size>& board, int cell) {
      unit[size] = static_cast<std::uint8_t>(id);
      x[size] = static_cast<std::int16_t>(board.x(cell));
      y[size++] = static_cast<std::int16_t>(board.y(cell));
    }
    int distance(int i, int to_x, int to_y) const { return std::abs(x[i] - to_x) + std::abs(y[i] - to_y); }

    // Calls f(distances of units i .. i + 7 to the cell, i) for each block.
    template <class F>
    void for_each_block(int to_x, int to_y, F&& f) const {
      const auto to = [](int coordinate) { return ShortBlock::all(coordinate); };
      for (int i = 0; i < size; i += ShortBlock::kSize)
        f(apart(ShortBlock::load(&x[i]), to(to_x)) + apart(ShortBlock::load(&y[i]), to(to_y)), i);
    }
    static ShortBlock apart(ShortBlock a, ShortBlock b) { return greatest(a, b) - least(a, b); }
  };

  // The surroundings of a cell, whichever unit goes there.
  struct Place {
    std::uint64_t attackers;  // enemies whose zone contains the cell
    int enemy_distance, enemy_mean;
    int friend_distance, second_friend_distance, nearest_friend;
    int beside;  // friends next to it
  };

  struct Danger {
    float sum = 0, greatest = 0;
    int attackers = 0;

    void add(float dealt) {
      if (dealt <= 0) return;
      sum += dealt;
      greatest = std::max(greatest, dealt);
      ++attackers;
    }
  };

  static float near(int distance) { return static_cast<float>(std::min(distance, 20)) * kTenth; }

  const Place& at(int cell) {
    Place& place = places_[cell];
    if (known_.test(cell)) return place;
    known_.set(cell);
    const int x = board_.x(cell), y = board_.y(cell);
    place = {0, kFar, (sum_x_[x] + sum_y_[y]) / std::max(enemies_.size, 1), kFar, kFar, -1, 0};
    ShortBlock nearest = ShortBlock::all(kFar);
    enemies_.for_each_block(x, y, [&](ShortBlock distance, int) { nearest = least(nearest, distance); });
    place.enemy_distance = nearest.least_item();
    for (int i = 0; i < enemies_.size; ++i)
      place.attackers |= static_cast<std::uint64_t>(zone_[enemies_.unit[i]].test(cell)) << enemies_.unit[i];
    // Each friend's distance with its index in the group as the low bits, so that the two least are of different friends.
    static_assert(kMaxUnitsPerSide == 1 << kPlaceBits && (kFar << kPlaceBits) + kMaxUnitsPerSide < 1 << 15);
    ShortBlock first = ShortBlock::all(kFar << kPlaceBits), second = first, beside = ShortBlock::all(0);
    const ShortBlock one = ShortBlock::all(1), far = ShortBlock::all(kFar);
    friends_.for_each_block(x, y, [&](ShortBlock distance, int i) {
      const ShortBlock key = (least(distance, far) << kPlaceBits) + ShortBlock::load(&kCounted[i]);
      beside = beside + choose(at_most(distance, one), distance, ShortBlock::all(0));
      second = least(second, greatest(first, key));
      first = least(first, key);
    });
    const int key = first.least_item();
    const ShortBlock others = choose(at_most(first, ShortBlock::all(key)), second, least(first, second));
    const int next = others.least_item();
    place.friend_distance = key >> kPlaceBits;
    place.nearest_friend = friends_.unit[key & (kMaxUnitsPerSide - 1)];
    place.second_friend_distance = next >> kPlaceBits;
    place.beside = beside.sum();
    return place;
  }

  void start(int unit) {
    mover_ = unit;
    terrains_known_ = 0;
    enemy_distance_ = at(state_.cell(unit)).enemy_distance;
    // The distance at which it could strike in its next turn; an indirect unit shoots from where it stands.
    arm_ = board_.direct(unit) ? board_.mobility(board_.kind(unit)).movement + 1 : board_.rules().range[board_.kind(unit)][1];
    std::array<std::pair<float, std::uint8_t>, kMaxUnitsPerSide> prey;
    int n = 0;
    for (int i = 0; i < enemies_.size; ++i) {
      const int other = enemies_.unit[i];
      if (board_.power(unit, other) == 0) continue;
      const double dealt = state_.damage(unit, state_.hp(unit), other, state_.hp(other), state_.cell(other));
      prey[n++] = {static_cast<float>(dealt), enemies_.unit[i]};
    }
    std::sort(prey.begin(), prey.begin() + n, std::greater<>());
    prey_ = {};
    for (int i = 0; i < n; ++i) {
      strike_[i] = prey[i].first;
      prey_.add(prey[i].second, board_, state_.cell(prey[i].second));
    }
  }

  // The damage that each enemy would do to the mover, with its current HP, on a cell with the terrain of `cell`.
  const std::array<float, Size::kUnits>& dealt_on(int cell) {
    const int terrain = board_.terrain(cell);
    auto& dealt = dealt_[terrain];
    if (!(terrains_known_ >> terrain & 1)) {
      terrains_known_ |= 1u << terrain;
      for (int i = 0; i < enemies_.size; ++i) {
        const int enemy = enemies_.unit[i];
        dealt[enemy] = static_cast<float>(state_.damage(enemy, state_.hp(enemy), mover_, state_.hp(mover_), cell));
      }
    }
    return dealt;
  }

  void write_danger(const Danger& danger, double hp, float* out) const {
    out[8] = danger.sum * kTenth;
    out[9] = danger.sum >= static_cast<float>(hp) - 1e-3f ? 1.0f : 0.0f;
    out[10] = danger.greatest * kTenth;
    out[11] = static_cast<float>(danger.attackers) * 0.25f;
  }
  void write_enemies(int distance, int before, int mean, bool any, float* out) const {
    out[12] = near(distance);
    out[13] = any ? near(distance) - near(before) : 0.0f;
    out[14] = any ? near(mean) : 0.0f;
  }

  void write_plain(const Operation& move, const Place& place, float* out) {
    for (const int i : {0, 1, 2, 3, 4, 19}) out[i] = 0;
    Danger danger;
    const auto& dealt = dealt_on(move.cell);
    for_each_unit(place.attackers, [&](int enemy) { danger.add(dealt[enemy]); });
    write_danger(danger, state_.hp(mover_), out);
    write_enemies(place.enemy_distance, enemy_distance_, place.enemy_mean, enemies_.size > 0, out);
    const int x = board_.x(move.cell), y = board_.y(move.cell);
    ShortBlock within = ShortBlock::all(0), first = ShortBlock::all(kMaxUnitsPerSide - 1);
    const ShortBlock arm = ShortBlock::all(arm_), last = first;
    prey_.for_each_block(x, y, [&](ShortBlock distance, int i) {
      const ShortBlock reached = at_most(distance, arm);
      within = within + reached;
      first = least(first, choose(reached, ShortBlock::load(&kCounted[i]), last));
    });
    const int reachable = within.sum();
    out[17] = reachable ? strike_[first.least_item()] * kTenth : 0.0f;
    out[18] = static_cast<float>(reachable) * 0.25f;
  }

  void write_attack(const Operation& move, const Place& place, float* out) {
    const Combat combat = state_.combat(move);
    const double target_left = state_.hp(move.target) - combat.dealt, hp = state_.hp(mover_) - combat.taken;
    const bool kills = target_left <= kDeadHp, dies = hp <= kDeadHp;
    out[0] = 1;
    out[1] = static_cast<float>(combat.dealt) * kTenth;
    out[2] = static_cast<float>(combat.taken) * kTenth;
    out[3] = kills ? 1.0f : 0.0f;
    out[4] = dies ? 1.0f : 0.0f;
    out[19] = kills ? 0.0f : static_cast<float>(target_left) * kTenth;

    Danger danger;
    if (!dies) {
      for_each_unit(place.attackers, [&](int enemy) {
        if (enemy == move.target && kills) return;
        const double enemy_hp = enemy == move.target ? target_left : state_.hp(enemy);
        danger.add(static_cast<float>(state_.damage(enemy, enemy_hp, mover_, hp, move.cell)));
      });
    }
    write_danger(danger, hp, out);

    if (kills)
      write_enemies_left(move, out);
    else
      write_enemies(place.enemy_distance, enemy_distance_, place.enemy_mean, enemies_.size > 0, out);
    const int x = board_.x(move.cell), y = board_.y(move.cell);
    int reachable = 0;
    double best = 0;
    for (int i = 0; i < prey_.size; ++i) {
      const int other = prey_.unit[i];
      if (prey_.distance(i, x, y) > arm_ || (other == move.target && kills)) continue;
      ++reachable;
      const double other_hp = other == move.target ? target_left : state_.hp(other);
      if (!dies) best = std::max(best, state_.damage(mover_, hp, other, other_hp, state_.cell(other)));
    }
    out[17] = static_cast<float>(best) * kTenth;
    out[18] = static_cast<float>(reachable) * 0.25f;
  }

  // The features of the enemies without the target, which is dead.
  void write_enemies_left(const Operation& move, float* out) const {
    int distance = kFar, before = kFar, sum = 0;
    for (int i = 0; i < enemies_.size; ++i) {
      if (enemies_.unit[i] == move.target) continue;
      const int now = enemies_.distance(i, board_.x(move.cell), board_.y(move.cell));
      sum += now;
      distance = std::min(distance, now);
      before = std::min(before, board_.distance(state_.cell(mover_), state_.cell(enemies_.unit[i])));
    }
    const int left = enemies_.size - 1;
    write_enemies(distance, before, sum / std::max(left, 1), left > 0, out);
  }

  const State<Size>& state_;
  const Board<Size>& board_;
  const std::array<Grid, Size::kUnits>& zone_;
  Group enemies_, friends_;
  std::array<int, kMaxSide> sum_x_{}, sum_y_{};  // sums of the distances of all enemies to each column, each row
  Grid known_{};
  std::array<Place, Board<Size>::kCells> places_;
  // Of the mover:
  int mover_ = -1, arm_ = 0, enemy_distance_ = 0;
  Group prey_;  // the enemies against which it has power, those first to which it would do the most damage
  std::array<float, kMaxUnitsPerSide> strike_;  // the damage that it would do to each
  unsigned terrains_known_ = 0;
  std::array<std::array<float, Size::kUnits>, kTerrains> dealt_;
};

}  // namespace sandtable::tubstap
