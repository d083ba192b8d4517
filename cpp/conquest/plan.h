// A move in relative terms, for searches that vary moves: the deploys, and a sequence of marches, each of a share of the
// armies on its source. A plan can be turned into orders, and orders into a plan.
//
// Unlike genes (genes.h), a plan keeps the order of the marches. The order matters: armies that arrive may march on, and it
// depends on the time of an attack whether the enemy's army is still there. A share keeps its meaning ("all of them") when
// parts of two plans are combined.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "conquest/state.h"

namespace sandtable::conquest {

struct Plan {
  struct Step {
    int source, target;
    double share;  // of the armies that can leave when the step is carried out, if the enemy does nothing
  };
  std::vector<Deploy> deploys;
  std::vector<Step> steps;
};

// The armies of a player's territories while its own orders are carried out and the enemy does nothing.
template <class Size>
class OwnArmies {
 public:
  OwnArmies(const State<Size>& state, int player, const std::vector<Deploy>& deploys) : own_(&state.owned(player)) {
    guard_ = state.land().rules().stand_guard;
    own_->for_each([&](int t) { armies_[t] = state.armies(t); });
    for (const auto& [territory, armies] : deploys) armies_[territory] = std::min(armies_[territory] + armies, kMaxArmies);
  }

  // The armies that can leave a territory.
  int free(int territory) const { return std::max(armies_[territory] - guard_, 0); }
  void march(int source, int target, int armies) {
    armies_[source] -= armies;
    if (own_->test(target)) armies_[target] = std::min(armies_[target] + armies, kMaxArmies);
  }

 private:
  const typename Land<Size>::Set* own_;
  int guard_;
  std::array<std::int32_t, Land<Size>::kTerritories> armies_{};
};

// The orders of a plan. Its deploys and sources must be the player's own land. Marches without armies are dropped.
template <class Size>
void carry_out(const State<Size>& state, int player, const Plan& plan, Orders& orders) {
  orders.clear();
  for (const Deploy& deploy : plan.deploys) {
    if (deploy.armies <= 0) continue;
    const auto same = std::find_if(orders.deploys.begin(), orders.deploys.end(),
                                   [&](const Deploy& other) { return other.territory == deploy.territory; });
    if (same == orders.deploys.end()) orders.deploys.push_back(deploy);
    else same->armies += deploy.armies;
  }
  std::sort(orders.deploys.begin(), orders.deploys.end(),
            [](const Deploy& a, const Deploy& b) { return a.territory < b.territory; });
  OwnArmies<Size> own(state, player, orders.deploys);
  for (const auto& [source, target, share] : plan.steps) {
    const int free = own.free(source), armies = std::min(free, static_cast<int>(std::ceil(share * free - 1e-9)));
    if (armies <= 0) continue;
    own.march(source, target, armies);
    orders.marches.push_back({source, target, armies});
  }
}

// The plan behind legal orders.
template <class Size>
Plan plan_of(const State<Size>& state, int player, const Orders& orders) {
  Plan plan{orders.deploys, {}};
  OwnArmies<Size> own(state, player, orders.deploys);
  for (const auto& [source, target, named] : orders.marches) {
    const int free = own.free(source), armies = std::min(free, named);
    if (armies <= 0) continue;
    plan.steps.push_back({source, target, static_cast<double>(armies) / free});
    own.march(source, target, armies);
  }
  return plan;
}

// The training target of a policy from legal orders that are played with probability `weight`. Adds to deploys [T] the
// share of the income that each territory gets, and to marches [T, T] the shares of a territory's armies, including those
// that arrive, that go to each other territory, with the share that stays on the diagonal. Land without armies adds
// nothing.
template <class Size>
void add_shares(const State<Size>& state, int player, const Orders& orders, double weight, float* deploys, float* marches) {
  const auto n = static_cast<std::size_t>(state.land().territories());
  double income = 0;
  for (const auto& deploy : orders.deploys) income += deploy.armies;
  for (const auto& [territory, armies] : orders.deploys) deploys[territory] += static_cast<float>(weight * armies / income);
  std::vector<double> all(n, 0.0), left(n, 0.0);
  OwnArmies<Size> own(state, player, orders.deploys);
  OwnArmies<Size> before = own;
  std::vector<March> marched;
  for (const auto& [source, target, named] : orders.marches) {
    const int armies = std::min(own.free(source), named);
    if (armies <= 0) continue;
    own.march(source, target, armies);
    marched.push_back({source, target, armies});
    left[static_cast<std::size_t>(source)] += armies;
    if (state.owned(player).test(target)) all[static_cast<std::size_t>(target)] += armies;
  }
  state.owned(player).for_each([&](int t) {
    const auto i = static_cast<std::size_t>(t);
    all[i] += before.free(t);
    if (all[i] > 0) marches[i * n + i] += static_cast<float>(weight * (all[i] - left[i]) / all[i]);
  });
  for (const auto& [source, target, armies] : marched) {
    const auto i = static_cast<std::size_t>(source);
    marches[i * n + static_cast<std::size_t>(target)] += static_cast<float>(weight * armies / all[i]);
  }
}

}  // namespace sandtable::conquest
