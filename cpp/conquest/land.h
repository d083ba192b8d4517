// The part of a game that does not change: the graph, the bonuses and the rules, as tables that the engine reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "conquest/rules.h"
#include "core/bit_grid.h"
#include "core/rng.h"

namespace sandtable::conquest {

// A map as plain numbers: what a file, a generator or a caller hands to the engine.
struct Setup {
  struct BonusSetup {
    int value = 0;
    std::vector<int> territories;
  };
  Rules rules;
  int territories = 0;
  std::vector<std::pair<int, int>> edges;  // each once, undirected
  std::vector<BonusSetup> bonuses;
};

// Throws std::invalid_argument with the reason if the setup cannot be played.
void check(const Setup& setup);

// The engine is compiled for three sizes; a map takes the smallest that holds it.
struct Small {
  static constexpr int kWords = 1;
};
struct Large {
  static constexpr int kWords = 4;
};
struct Huge {
  static constexpr int kWords = kMaxTerritories / 64;
};

template <class Size_>
class Land {
 public:
  using Size = Size_;
  using Set = BitGrid<Size::kWords>;
  static constexpr int kTerritories = 64 * Size::kWords;

  struct Bonus {
    int value;
    Set territories;
  };
  struct Edge {
    std::uint16_t source, target;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  // The setup must have passed check() and fit the size.
  explicit Land(const Setup& setup);

  const Rules& rules() const { return rules_; }
  int territories() const { return territories_; }
  // Equal for lands with the same territories, edges and bonuses, whatever their rules.
  std::uint64_t fingerprint() const { return fingerprint_; }
  const Set& neighbours(int territory) const { return neighbours_[territory]; }
  const std::vector<Bonus>& bonuses() const { return bonuses_; }
  // Each edge in both directions, ascending: the order of the genes.
  const std::vector<Edge>& directed_edges() const { return directed_; }
  // The index of a directed edge in that list; -1 if there is none.
  int edge_number(int source, int target) const {
    if (!neighbours_[source].test(target)) return -1;
    int i = static_cast<int>(first_edge_[source]);
    while (directed_[i].target != target) ++i;
    return i;
  }

  // The least number of armies that a sampled attack on this many defenders commits.
  int needed(int defenders) const {
    return defenders < static_cast<int>(needed_.size()) ? needed_[defenders] : compute_needed(defenders);
  }

 private:
  int compute_needed(int defenders) const {
    const double exact = defenders / rules_.attack_kills;
    return std::max(static_cast<int>(std::floor(exact + 0.5)), 1);
  }

  Rules rules_;
  int territories_;
  std::uint64_t fingerprint_ = 0;
  std::array<Set, kTerritories> neighbours_{};
  std::array<std::uint32_t, kTerritories> first_edge_{};
  std::array<int, 64> needed_{};
  std::vector<Bonus> bonuses_;
  std::vector<Edge> directed_;
};

template <class Size>
Land<Size>::Land(const Setup& setup) : rules_(setup.rules), territories_(setup.territories) {
  for (const auto& [a, b] : setup.edges) {
    neighbours_[a].set(b);
    neighbours_[b].set(a);
  }
  for (int t = 0; t < territories_; ++t) {
    first_edge_[t] = static_cast<std::uint32_t>(directed_.size());
    neighbours_[t].for_each([&](int other) {
      directed_.push_back({static_cast<std::uint16_t>(t), static_cast<std::uint16_t>(other)});
    });
  }
  for (const auto& bonus : setup.bonuses) {
    Set members{};
    for (const int t : bonus.territories) members.set(t);
    bonuses_.push_back({bonus.value, members});
  }
  for (int d = 0; d < static_cast<int>(needed_.size()); ++d) needed_[d] = compute_needed(d);

  const auto add = [&](std::size_t value) { fingerprint_ = mix(fingerprint_ ^ value); };
  add(static_cast<std::size_t>(territories_));
  add(directed_.size());
  for (const Edge& edge : directed_) add(static_cast<std::size_t>(edge.source) << 16 | edge.target);
  for (const Bonus& bonus : bonuses_) {
    add(static_cast<std::size_t>(bonus.value));
    add(static_cast<std::size_t>(bonus.territories.count()));
    bonus.territories.for_each([&](int t) { add(static_cast<std::size_t>(t)); });
  }
}

}  // namespace sandtable::conquest
