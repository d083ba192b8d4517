// Moves that a policy proposes, and variations of them: the moves among which search/equilibrium/ searches. All are legal.
//
// A policy gives the share of the income that each own territory should get, and for the armies of each territory the
// shares that should stay and that should go to each neighbour. A plan drawn from it deploys in one to three chunks, and
// sends each territory's armies to one or two drawn places. How many march is as important as where: an attack sometimes
// sends just enough armies to take the land.
#pragma once

#include <span>

#include "conquest/plan.h"
#include "conquest/random_move.h"

namespace sandtable::conquest {

template <class Size>
class Proposals {
 public:
  using Plan = conquest::Plan;

  // The policy's logits: deploys [T]; marches [T, T], with staying on the diagonal. Logits of land that is not own, or not
  // a neighbour, are ignored. Every distribution is mixed with the uniform one, whose weight is `uniform`.
  Proposals(const State<Size>& state, int player, std::span<const float> deploys, std::span<const float> marches, double uniform)
      : state_(&state), player_(player), income_(state.income(player)) {
    const auto& land = state.land();
    const auto n = static_cast<std::size_t>(land.territories());
    state.owned(player).for_each([&](int t) {
      own_.push_back(t);
      deploy_.options.push_back({t, deploys[static_cast<std::size_t>(t)]});
      Distribution& from = march_[static_cast<std::size_t>(t)];
      const float* row = marches.data() + static_cast<std::size_t>(t) * n;
      from.options.push_back({t, row[t]});
      land.neighbours(t).for_each([&](int other) { from.options.push_back({other, row[other]}); });
      from.finish(uniform);
    });
    deploy_.finish(uniform);
  }

  // A plan drawn from the policy.
  Plan drawn(Rng& rng) const {
    Plan plan;
    for (int left = income_, chunks = 1 + static_cast<int>(rng.below(3)); left > 0; --chunks) {
      const int armies = chunks <= 1 ? left : 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(left)));
      plan.deploys.push_back({deploy_.draw(rng), armies});
      left -= armies;
    }
    for (const int t : own_) add_steps(t, rng, plan.steps);
    put_in_order(plan.steps, rng);
    return plan;
  }

  // Moves as the search makes them, in turn: a drawn plan; a drawn plan crossed with the previous plan; and one that is
  // also mutated.
  std::vector<Orders> varied(std::size_t count, Rng& rng) const {
    std::vector<Orders> moves(count);
    Plan last = random(rng);
    for (std::size_t i = 0; i < count; ++i) {
      Plan plan = drawn(rng);
      if (i % 3 > 0) plan = crossed(plan, last, rng);
      if (i % 3 > 1) mutate(plan, rng);
      write(plan, moves[i]);
      last = std::move(plan);
    }
    return moves;
  }

  // The plan of a random move as soares2025 samples it (random_move.h).
  Plan random(Rng& rng) const {
    Orders orders;
    random_move(*state_, player_, rng, orders);
    return plan_of(*state_, player_, orders);
  }

  Plan read(const Orders& orders) const { return plan_of(*state_, player_, orders); }
  void write(const Plan& plan, Orders& orders) const { carry_out(*state_, player_, plan, orders); }

  // Crossover: each territory takes its deploys and its steps from one of the two plans.
  Plan crossed(const Plan& a, const Plan& b, Rng& rng) const {
    typename Land<Size>::Set from_b{};
    for (const int t : own_)
      if (rng.below(2) == 0) from_b.set(t);
    Plan child;
    std::vector<std::pair<double, Plan::Step>> steps;  // with each step's relative position in its parent
    for (const auto& [parent, second] : {std::pair(&a, false), std::pair(&b, true)}) {
      for (const Deploy& deploy : parent->deploys)
        if (from_b.test(deploy.territory) == second) child.deploys.push_back(deploy);
      for (std::size_t i = 0; i < parent->steps.size(); ++i)
        if (from_b.test(parent->steps[i].source) == second)
          steps.emplace_back(static_cast<double>(i) / static_cast<double>(parent->steps.size()), parent->steps[i]);
    }
    std::stable_sort(steps.begin(), steps.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [at, step] : steps) child.steps.push_back(step);
    fit_deploys(child, rng);
    return child;
  }

  // Makes one or a few small changes.
  void mutate(Plan& plan, Rng& rng) const {
    do {
      const double kind = rng.uniform();
      if (kind < 0.35) redirect(plan, rng);
      else if (kind < 0.65) redeploy(plan, rng);
      else if (plan.steps.empty()) redirect(plan, rng);
      else if (kind < 0.8) reorder(plan, rng);
      else resize(plan, rng);
    } while (rng.below(2) == 0);
  }

 private:
  struct Distribution {
    std::vector<std::pair<int, double>> options;  // territory, and its logit; after finish() the cumulative probability

    void finish(double uniform) {
      double greatest = -1e300, sum = 0, before = 0;
      for (const auto& option : options) greatest = std::max(greatest, option.second);
      for (auto& option : options) sum += option.second = std::exp(option.second - greatest);
      for (auto& option : options)
        before = option.second = before + (1 - uniform) * option.second / sum + uniform / static_cast<double>(options.size());
    }
    int draw(Rng& rng) const {
      const double at = rng.uniform();
      for (const auto& [territory, until] : options)
        if (at < until) return territory;
      return options.back().first;
    }
  };

  const Land<Size>& land() const { return state_->land(); }
  std::size_t any(std::size_t n, Rng& rng) const { return rng.below(static_cast<std::uint32_t>(n)); }

  // Draws where the armies of a territory go: usually all to one place, sometimes to two.
  void add_steps(int t, Rng& rng, std::vector<Plan::Step>& steps) const {
    const Distribution& from = march_[static_cast<std::size_t>(t)];
    const int first = from.draw(rng);
    const int second = rng.below(3) == 0 ? from.draw(rng) : first;
    if (first == second) {
      if (first != t) steps.push_back({t, first, rng.below(4) == 0 ? enough(t, first, rng) : 1.0});
      return;
    }
    const double quarters = 0.25 * (1 + static_cast<double>(rng.below(3)));
    if (first != t) steps.push_back({t, first, rng.below(2) == 0 ? enough(t, first, rng) : quarters});
    if (second != t) steps.push_back({t, second, first == t ? quarters : 1.0});
  }

  // A share of a territory's armies that is enough to take another territory, with some to spare; for a march to own land a
  // random number of quarters.
  double enough(int source, int target, Rng& rng) const {
    const int there = state_->armies(source) + income_;
    if (state_->owned(player_).test(target) || there == 0) return 0.25 * (1 + static_cast<double>(rng.below(4)));
    const bool enemy = state_->owned(1 - player_).test(target);
    const int spare = static_cast<int>(rng.below(static_cast<std::uint32_t>(enemy ? income_ + 1 : 2)));
    const int present = rng.below(2) == 0 ? std::max(state_->armies(source), 1) : there;
    return std::min(1.0, static_cast<double>(land().needed(state_->armies(target)) + spare) / present);
  }

  // Puts the steps into a random order in which arriving armies can march on and attacks on the enemy tend to come early.
  void put_in_order(std::vector<Plan::Step>& steps, Rng& rng) const {
    const auto& own = state_->owned(player_);
    std::array<int, Land<Size>::kTerritories> awaited{};
    for (const auto& step : steps)
      if (own.test(step.target)) ++awaited[static_cast<std::size_t>(step.target)];
    for (std::size_t done = 0; done < steps.size(); ++done) {
      // The next step is drawn among those whose source awaits no arrivals; transfers in a cycle may leave none of them.
      std::size_t chosen = done, ready = 0;
      bool attack = false;
      for (std::size_t i = done; i < steps.size(); ++i) {
        if (awaited[static_cast<std::size_t>(steps[i].source)] > 0) continue;
        const bool attacks = state_->owned(1 - player_).test(steps[i].target) && rng.below(2) == 0;
        if (attack && !attacks) continue;
        if (attacks && !attack) ready = 0;
        attack = attacks;
        if (any(++ready, rng) == 0) chosen = i;
      }
      if (ready == 0) chosen = done + any(steps.size() - done, rng);
      // The two steps of one territory keep their order: the second one's share is of what the first leaves.
      for (std::size_t i = done; i < chosen; ++i)
        if (steps[i].source == steps[chosen].source) chosen = i;
      std::rotate(steps.begin() + static_cast<std::ptrdiff_t>(done), steps.begin() + static_cast<std::ptrdiff_t>(chosen),
                  steps.begin() + static_cast<std::ptrdiff_t>(chosen) + 1);
      if (own.test(steps[done].target)) --awaited[static_cast<std::size_t>(steps[done].target)];
    }
  }

  // Makes the deploys add up to the income. A surplus is removed from random chunks; a deficit is added to a random chunk,
  // or as a new chunk that the policy places.
  void fit_deploys(Plan& plan, Rng& rng) const {
    int sum = 0;
    for (const Deploy& deploy : plan.deploys) sum += deploy.armies;
    while (sum > income_) {
      Deploy& deploy = plan.deploys[any(plan.deploys.size(), rng)];
      const int less = std::min(deploy.armies, sum - income_);
      deploy.armies -= less;
      sum -= less;
    }
    std::erase_if(plan.deploys, [](const Deploy& deploy) { return deploy.armies == 0; });
    if (sum == income_) return;
    if (plan.deploys.empty() || rng.below(2) == 0) plan.deploys.push_back({deploy_.draw(rng), income_ - sum});
    else plan.deploys[any(plan.deploys.size(), rng)].armies += income_ - sum;
  }

  void redirect(Plan& plan, Rng& rng) const {
    const int t = own_[any(own_.size(), rng)];
    const auto old = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const auto& step) { return step.source == t; });
    auto at = static_cast<std::size_t>(old - plan.steps.begin());
    if (old == plan.steps.end()) at = any(plan.steps.size() + 1, rng);
    std::erase_if(plan.steps, [&](const auto& step) { return step.source == t; });
    std::vector<Plan::Step> steps;
    add_steps(t, rng, steps);
    at = std::min(at, plan.steps.size());
    plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(at), steps.begin(), steps.end());
  }

  // Moves some of the deployed armies elsewhere: to a territory drawn from the policy, or to the source of a step.
  void redeploy(Plan& plan, Rng& rng) const {
    if (plan.deploys.empty()) return;
    Deploy& from = plan.deploys[any(plan.deploys.size(), rng)];
    const int armies = rng.below(2) == 0 ? from.armies : 1 + static_cast<int>(any(static_cast<std::size_t>(from.armies), rng));
    from.armies -= armies;
    const int to = plan.steps.empty() || rng.below(2) == 0 ? deploy_.draw(rng) : plan.steps[any(plan.steps.size(), rng)].source;
    plan.deploys.push_back({to, armies});
    std::erase_if(plan.deploys, [](const Deploy& deploy) { return deploy.armies == 0; });
  }

  void reorder(Plan& plan, Rng& rng) const {
    const std::size_t from = any(plan.steps.size(), rng), to = any(plan.steps.size(), rng);
    const Plan::Step step = plan.steps[from];
    plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(from));
    plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(to), step);
  }

  void resize(Plan& plan, Rng& rng) const {
    Plan::Step& step = plan.steps[any(plan.steps.size(), rng)];
    const std::uint32_t kind = rng.below(3);
    step.share = kind == 0 ? 1.0 : kind == 1 ? enough(step.source, step.target, rng) : 0.1 + 0.9 * rng.uniform();
  }

  const State<Size>* state_;
  int player_, income_;
  std::vector<int> own_;
  Distribution deploy_;
  std::array<Distribution, Land<Size>::kTerritories> march_;
};

}  // namespace sandtable::conquest
