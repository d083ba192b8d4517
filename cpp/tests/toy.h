// Toy games that can be solved by hand, to test the searches. The first is a heap of stones: a turn is two takes of one
// or two stones by the same side, so a side moves twice in a row. Whoever takes the last stone wins. If a `reserve` of
// stones must be left, the game ends when only they remain, and is a draw.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/rng.h"

namespace sandtable::tests {

struct Heap {
  struct State {
    int stones;
    int reserve;  // the game is over when this many are left; more than 0 makes it a draw
    int takes;    // made so far
  };
  using Move = int;
  struct Playout {};

  static int side(const State& s) { return s.takes / 2 % 2; }
  static bool over(const State& s) { return s.stones <= s.reserve; }
  static double value(const State& s, int side) {
    if (s.reserve > 0) return 0;
    const int last = (s.takes - 1) / 2 % 2;
    return last == side ? 1 : -1;
  }
  static bool attacks(Move m) { return m == 2; }
  static double result(const State& s, int side, Playout) { return value(s, side); }
  static std::uint64_t hash(const State& s) {
    return mix(static_cast<std::uint64_t>(s.stones) << 32 | static_cast<std::uint64_t>(s.takes));
  }
  static void moves(const State& s, std::vector<Move>& out) {
    if (over(s)) return;
    out.push_back(1);
    if (s.stones - s.reserve > 1) out.push_back(2);
  }
  static void play(State& s, Move m) {
    s.stones -= m;
    ++s.takes;
  }
  static void playout(State& s, Playout, Rng& rng) {
    while (!over(s)) play(s, s.stones - s.reserve > 1 ? 1 + static_cast<int>(rng.below(2)) : 1);
  }

  // The value for a side under perfect play.
  static double solve(const State& s, int for_side) {
    if (over(s)) return value(s, for_side);
    std::vector<Move> all;
    moves(s, all);
    double best = -2;
    for (const Move m : all) {
      State next = s;
      play(next, m);
      const double v = solve(next, side(s));
      best = v > best ? v : best;
    }
    return side(s) == for_side ? best : -best;
  }
};

// Matching pennies with an escape: player 0 wins if both choose the same of two; the third choice of either makes the
// game a draw. The game is one turn long.
struct Pennies {
  struct State {
    int outcome = 2;  // 2: not played; else the value for player 0
  };
  using Orders = int;
  static bool over(const State& s) { return s.outcome != 2; }
  static double value(const State& s, int player) { return player == 0 ? s.outcome : -s.outcome; }
  static void sample(const State&, int, Rng& rng, Orders& orders) { orders = static_cast<int>(rng.below(3)); }
  static void resolve(State& s, Orders a, Orders b, Rng&) { s.outcome = a == 2 || b == 2 ? 0 : a == b ? 1 : -1; }
};

// Matrix games one after the other: orders are rows and columns. A pair pays something and ends the game, or leads to another
// matrix, or a coin is tossed between that and another payoff. All games are zero-sum, and payoffs are for player 0.
struct Matrices {
  struct Entry {
    double pays = 0;
    int leads_to = -1;  // the number of a matrix; -1: the game is over
    double or_pays = 2;  // the payoff on one side of a coin; 2: no coin is tossed
  };
  struct Matrix {
    int columns;
    std::vector<Entry> entries;
  };
  struct State {
    const std::vector<Matrix>* all;
    int at = 0;
    double paid = 0;

    const Matrix& matrix() const { return (*all)[static_cast<std::size_t>(at)]; }
  };
  using Orders = int;
  static int size(const State& s, int player) {
    const Matrix& m = s.matrix();
    return player == 0 ? static_cast<int>(m.entries.size()) / m.columns : m.columns;
  }
  static bool over(const State& s) { return s.at < 0; }
  static double value(const State& s, int player) { return player == 0 ? s.paid : -s.paid; }
  static std::uint64_t hash(const State& s) { return static_cast<std::uint64_t>(s.at); }
  static void sample(const State& s, int player, Rng& rng, Orders& orders) {
    orders = static_cast<int>(rng.below(static_cast<std::uint32_t>(size(s, player))));
  }
  static void resolve(State& s, Orders a, Orders b, Rng& rng) {
    const Entry& entry = s.matrix().entries[static_cast<std::size_t>(a * s.matrix().columns + b)];
    const bool other = entry.or_pays != 2 && rng.below(2) == 1;
    s.at = other ? -1 : entry.leads_to;
    s.paid = other ? entry.or_pays : entry.pays;
  }
};

// Orders are six digits, and the value of a pair is the difference of their sums: the best orders are all nines.
struct Digits {
  struct State {
    double value = 0;
    bool resolved = false;
  };
  struct Orders {
    std::array<std::int32_t, 6> digit{};
  };
  static bool over(const State& s) { return s.resolved; }
  static double value(const State& s, int player) { return player == 0 ? s.value : -s.value; }
  static int sum(const Orders& o) {
    int total = 0;
    for (const int d : o.digit) total += d;
    return total;
  }
  static void sample(const State&, int, Rng& rng, Orders& o) {
    for (auto& d : o.digit) d = static_cast<std::int32_t>(rng.below(4));  // only mutation makes digits above 3
  }
  static void resolve(State& s, const Orders& a, const Orders& b, Rng&) { s = {(sum(a) - sum(b)) / 54.0, true}; }
  static int gene_count(const State&) { return 6; }
  static int random_gene(const State&, int, int, Rng& rng) { return static_cast<int>(rng.below(20)); }
  static void encode(const State&, const Orders& o, std::int32_t* genes) { std::copy(o.digit.begin(), o.digit.end(), genes); }
  static void decode(const State&, const std::int32_t* genes, Orders& o) { std::copy(genes, genes + 6, o.digit.begin()); }
  static void repair(const State&, int, std::int32_t* genes, Rng&) {
    for (int i = 0; i < 6; ++i) genes[i] = std::clamp(genes[i], 0, 9);
  }
  static void adapt(const State& s, int player, std::int32_t* genes, Rng& rng, Orders& o) {
    repair(s, player, genes, rng);
    decode(s, genes, o);
  }
};

}  // namespace sandtable::tests
