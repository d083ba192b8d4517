// The genetic operators of coevolution: how parents are selected and how two children are crossed.
//
// soares2025 (sections 4.2.3 and 4.2.5) selects parents uniformly at random and uses one-point crossover. The alternatives are
// named in its sections 2.9.1 and 4.2.3: tournament selection (Blickle and Thiele, 1995), two-point and uniform crossover.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace sandtable::search {

enum class Selection { kRandom, kTournament };
enum class CrossoverKind { kOnePoint, kTwoPoint, kUniform };

// The place of a parent in a population sorted best first. A tournament draws `tournament_size` individuals, with
// replacement, and takes the fittest of them.
inline std::size_t select_parent(Selection selection, int tournament_size, std::size_t population, Rng& rng) {
  std::size_t chosen = rng.below(static_cast<std::uint32_t>(population));
  if (selection == Selection::kTournament)
    for (int i = 1; i < tournament_size; ++i)
      chosen = std::min<std::size_t>(chosen, rng.below(static_cast<std::uint32_t>(population)));
  return chosen;
}

// Swaps genes between two rows of the same length: all from a random cut on, a random segment of at least one gene, or
// each gene with probability 1/2.
inline void cross(CrossoverKind kind, std::vector<std::int32_t>& first, std::vector<std::int32_t>& second, Rng& rng) {
  const auto length = static_cast<std::uint32_t>(first.size());
  const auto swap_genes = [&](std::uint32_t from, std::uint32_t to) {
    std::swap_ranges(first.begin() + from, first.begin() + to, second.begin() + from);
  };
  switch (kind) {
    case CrossoverKind::kOnePoint: {
      const std::uint32_t cut = 1 + rng.below(std::max(length - 1, 1u));
      swap_genes(cut, length);
      break;
    }
    case CrossoverKind::kTwoPoint: {
      std::uint32_t from = rng.below(length), last = rng.below(length);
      if (last < from) std::swap(from, last);
      swap_genes(from, last + 1);
      break;
    }
    case CrossoverKind::kUniform:
      for (std::uint32_t gene = 0; gene < length; ++gene)
        if (rng.below(2) == 1) std::swap(first[gene], second[gene]);
      break;
  }
}

}  // namespace sandtable::search
