// The functions that a search needs from a game. Searches are templates over a class of static functions, so that the states
// themselves know nothing of search. The classes of the games are in tubstap/game.h and conquest/game.h; tests have toy games.
//
// Values are always for a named side. The parity of the depth does not tell the side, since a side may move many times
// in a row.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/rng.h"

namespace sandtable::search {

template <class G>
concept SequentialGame = requires(typename G::State s, const typename G::State c, typename G::Move m,
                                  std::vector<typename G::Move>& moves, typename G::Playout playout, Rng& rng) {
  { G::side(c) } -> std::convertible_to<int>;
  { G::over(c) } -> std::convertible_to<bool>;
  { G::value(c, 0) } -> std::convertible_to<double>;  // of a finished game for a side: 1, 0 or -1
  { G::hash(c) } -> std::convertible_to<std::uint64_t>;
  G::moves(c, moves);               // appends them, at least one unless the game is over
  G::play(s, m);
  G::playout(s, playout, rng);      // plays to the end at random
  { G::result(c, 0, playout) } -> std::convertible_to<double>;  // value() as this kind of playout judges it
};

// The counterpart for simultaneous turns: candidate orders of each player are sampled, and a pair of orders is resolved.
template <class G>
concept SimultaneousGame = requires(typename G::State s, const typename G::State c, typename G::Orders& orders, Rng& rng) {
  { G::over(c) } -> std::convertible_to<bool>;
  { G::value(c, 0) } -> std::convertible_to<double>;
  G::sample(c, 0, rng, orders);              // random orders of a player
  G::resolve(s, orders, orders, rng);        // orders of players 0 and 1
};

// Calls the optional check() of a game, which throws std::invalid_argument if the game does not have this kind of playouts.
template <SequentialGame G>
void check_playout(const typename G::Playout& playout) {
  if constexpr (requires { G::check(playout); }) G::check(playout);
}

// Optional: a measure of how near a player is to its win, greater when it is nearer.
template <class G>
concept ProgressGame = requires(const typename G::State s) {
  { G::progress(s, 0) } -> std::convertible_to<double>;
};

// Moves of both players in one position.
template <class Orders>
using MovesOfBoth = std::array<std::vector<Orders>, 2>;

// The statistics of a move at the root after a search.
template <class Move>
struct Candidate {
  Move move;
  std::uint64_t visits = 0;
  double value = 0;                // for the side to move, in [-1, 1]
  std::vector<Move> pv = {};       // principal variation, this move first; empty: the move alone
  std::optional<double> prior = {};
};

template <class Move>
struct Result {
  std::vector<Candidate<Move>> candidates;
  std::size_t best = 0;
  double value = 0;               // of the position for the side to move, in [-1, 1]
  std::uint64_t nodes = 0;
  std::uint64_t simulations = 0;
};

}  // namespace sandtable::search
