#include "conquest/land.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace sandtable::conquest {
namespace {

[[noreturn]] void fail(const std::string& reason) { throw std::invalid_argument(reason); }

bool connected(const Setup& setup) {
  std::vector<std::vector<int>> next(setup.territories);
  for (const auto& [a, b] : setup.edges) {
    next[a].push_back(b);
    next[b].push_back(a);
  }
  std::vector<bool> visited(setup.territories);
  std::vector<int> stack{0};
  visited[0] = true;
  int count = 0;
  while (!stack.empty()) {
    const int t = stack.back();
    stack.pop_back();
    ++count;
    for (const int other : next[t]) {
      if (visited[other]) continue;
      visited[other] = true;
      stack.push_back(other);
    }
  }
  return count == setup.territories;
}

}  // namespace

void check(const Setup& setup) {
  setup.rules.check();
  const int n = setup.territories;
  if (n < 2 || n > kMaxTerritories) fail("a map has 2 to 1024 territories");
  const auto known = [n](int t) { return t >= 0 && t < n; };
  std::set<std::pair<int, int>> edges_so_far;
  for (const auto& [a, b] : setup.edges) {
    if (!known(a) || !known(b)) fail("an edge leads to an unknown territory");
    if (a == b) fail("an edge leads from a territory to itself");
    if (!edges_so_far.insert(std::minmax(a, b)).second) fail("an edge is given twice");
  }
  if (setup.bonuses.size() > kMaxBonuses) fail("a map has at most 1000 bonuses");
  int income = setup.rules.base_income;
  for (const auto& bonus : setup.bonuses) {
    if (bonus.value < 0 || bonus.value > kMaxIncome) fail("a bonus is worth 0 to 10000");
    income += bonus.value;
    if (bonus.territories.empty()) fail("a bonus has no territories");
    for (const int t : bonus.territories)
      if (!known(t)) fail("a bonus has an unknown territory");
  }
  if (income > kMaxIncome) fail("the income with all bonuses must not be more than 10000");
  if (!connected(setup)) fail("the graph is not connected");
}

}  // namespace sandtable::conquest
