// A position of a Conquest game. It is plain memory: copying it is a few cache lines.
//
// The important method is resolve(), which carries out the orders that both players hand in for a turn. It does not check
// the orders; illegal() in orders.h checks orders that come from outside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "conquest/land.h"
#include "core/rng.h"

namespace sandtable::conquest {

inline constexpr int kNeutral = -1;
inline constexpr int kNobody = -1;

struct Deploy {
  int territory;
  int armies;
  friend bool operator==(const Deploy&, const Deploy&) = default;
};

struct March {
  int source;
  int target;
  int armies;
  friend bool operator==(const March&, const March&) = default;
};

// One player's orders for a turn.
struct Orders {
  std::vector<Deploy> deploys;
  std::vector<March> marches;

  void clear() {
    deploys.clear();
    marches.clear();
  }
  friend bool operator==(const Orders&, const Orders&) = default;
};

template <class Size_>
class State {
 public:
  using Size = Size_;
  using LandType = Land<Size>;
  using Set = typename LandType::Set;

  // All land neutral and empty. The land must outlive the state.
  explicit State(const LandType& land) : land_(&land) {}

  const LandType& land() const { return *land_; }
  int turn() const { return turn_; }
  void set_turn(int turn) { turn_ = turn; }
  bool over() const { return !owned_[0].any() || !owned_[1].any() || turn_ >= land_->rules().turn_limit; }
  // kNobody while the game goes on and in a tie.
  int winner() const { return owned_[0].any() == owned_[1].any() ? kNobody : owned_[0].any() ? 0 : 1; }

  const Set& owned(int player) const { return owned_[player]; }
  int owner(int territory) const {
    return owned_[0].test(territory) ? 0 : owned_[1].test(territory) ? 1 : kNeutral;
  }
  int armies(int territory) const { return armies_[territory]; }
  void set(int territory, int owner, int armies) {
    for (int player = 0; player < 2; ++player) owned_[player].reset(territory);
    if (owner != kNeutral) owned_[owner].set(territory);
    armies_[territory] = armies;
  }

  int income(int player) const {
    int sum = land_->rules().base_income;
    for (const auto& bonus : land_->bonuses())
      if (!(bonus.territories & ~owned_[player]).any()) sum += bonus.value;
    return sum;
  }

  // Sets the whole position. Throws std::invalid_argument with the reason if the position is invalid.
  void set_all(const std::vector<int>& owner, const std::vector<int>& armies, int turn) {
    const auto n = static_cast<std::size_t>(land_->territories());
    if (owner.size() != n || armies.size() != n)
      throw std::invalid_argument("owner and armies must have " + std::to_string(n) + " entries");
    if (turn < 0 || turn > kMaxTurns) throw std::invalid_argument("turn must be within 0..1000000");
    for (const int o : owner)
      if (o < kNeutral || o > 1) throw std::invalid_argument("an owner must be -1 (neutral), 0 or 1");
    for (const int a : armies)
      if (a < 0 || a > kMaxArmies) throw std::invalid_argument("armies must be within 0..1000000");
    for (std::size_t t = 0; t < n; ++t) set(static_cast<int>(t), owner[t], armies[t]);
    set_turn(turn);
  }

  // Carries out legal orders of both players. Player `first` marches first; the rng is used if the rules shuffle the
  // marches.
  void resolve(const Orders& orders0, const Orders& orders1, int first, Rng& rng);
  // Each turn of a seed has a stream of its own.
  void resolve(const Orders& orders0, const Orders& orders1, int first, std::uint64_t seed) {
    Rng rng(seed, stream_number("resolve"), turn_);
    resolve(orders0, orders1, first, rng);
  }

  // Equal for equal positions, however they arose.
  std::uint64_t hash() const {
    // The turn is hashed like a territory of a fourth owner. If it were hashed like a neutral territory, turn 3 with 5
    // neutral armies on the first territory would have the same hash as turn 5 with 3.
    std::uint64_t sum = mix(std::uint64_t{3} << 32 | static_cast<std::uint32_t>(turn_));
    for (int t = 0; t < land_->territories(); ++t) {
      const auto place = static_cast<std::uint64_t>(t) << 40 | static_cast<std::uint64_t>(owner(t) + 1) << 32;
      sum ^= mix(place | static_cast<std::uint32_t>(armies_[t]));
    }
    return mix(sum);
  }

 private:
  void march(int player, const March& order);
  void march_shuffled(const Orders& orders0, const Orders& orders1, Rng& rng);

  std::array<Set, 2> owned_{};  // first, so that its alignment costs no padding
  const LandType* land_;
  std::array<std::int32_t, LandType::kTerritories> armies_{};
  std::int32_t turn_ = 0;
};

template <class Size>
void State<Size>::march(int player, const March& order) {
  if (!owned_[player].test(order.source)) return;
  const Rules& rules = land_->rules();
  const int attackers = std::min(order.armies, armies_[order.source] - rules.stand_guard);
  if (attackers <= 0) return;
  if (owned_[player].test(order.target)) {
    armies_[order.source] -= attackers;
    armies_[order.target] = std::min(armies_[order.target] + attackers, kMaxArmies);
    return;
  }
  const int defenders = armies_[order.target];
  const int attackers_left = rules.rounded(attackers - rules.defence_kills * defenders);
  const int defenders_left = rules.rounded(defenders - rules.attack_kills * attackers);
  if (attackers_left > 0 && defenders_left <= 0) {
    armies_[order.source] -= attackers;
    owned_[1 - player].reset(order.target);
    owned_[player].set(order.target);
    armies_[order.target] = attackers_left;
  } else {
    armies_[order.source] -= attackers - std::max(attackers_left, 0);
    armies_[order.target] = std::max(defenders_left, 0);
  }
}

template <class Size>
void State<Size>::march_shuffled(const Orders& orders0, const Orders& orders1, Rng& rng) {
  std::vector<std::pair<int, const March*>> all;
  for (const March& order : orders0.marches) all.emplace_back(0, &order);
  for (const March& order : orders1.marches) all.emplace_back(1, &order);
  shuffle(all.data(), static_cast<int>(all.size()), rng);
  for (const auto& [player, order] : all) march(player, *order);
}

template <class Size>
void State<Size>::resolve(const Orders& orders0, const Orders& orders1, int first, Rng& rng) {
  const Orders* orders[2] = {&orders0, &orders1};
  for (const Orders* own : orders)
    for (const Deploy& deploy : own->deploys) armies_[deploy.territory] = std::min(armies_[deploy.territory] + deploy.armies, kMaxArmies);

  if (land_->rules().order == Order::kRandom) {
    march_shuffled(orders0, orders1, rng);
  } else {
    std::size_t next[2] = {0, 0};
    const auto left = [&](int player) { return next[player] < orders[player]->marches.size(); };
    for (int player = first; left(0) || left(1); player = 1 - player)
      if (left(player)) march(player, orders[player]->marches[next[player]++]);
  }
  ++turn_;
}

// Compiled in instances.cpp.
extern template void State<Small>::resolve(const Orders&, const Orders&, int, Rng&);
extern template void State<Large>::resolve(const Orders&, const Orders&, int, Rng&);
extern template void State<Huge>::resolve(const Orders&, const Orders&, int, Rng&);

}  // namespace sandtable::conquest
