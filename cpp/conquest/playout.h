// Random play to the end of the game.
#pragma once

#include "conquest/random_move.h"

namespace sandtable::conquest {

struct Playouts {
  std::uint64_t wins0 = 0, wins1 = 0, ties = 0, turns = 0;
};

// Plays one turn of random moves of both players. `orders` is a scratch buffer.
template <class Size>
void random_turn(State<Size>& state, Rng& rng, Orders (&orders)[2]) {
  random_move(state, 0, rng, orders[0]);
  random_move(state, 1, rng, orders[1]);
  state.resolve(orders[0], orders[1], static_cast<int>(rng.below(2)), rng);
}

// Playout i of a seed draws from a stream of its own, so that any split of the work gives the same sums.
template <class Size>
void playouts(const State<Size>& start, std::uint64_t first, std::uint64_t last, std::uint64_t seed, Playouts& sums) {
  Orders orders[2];
  for (std::uint64_t i = first; i < last; ++i) {
    Rng rng(seed, stream_number("playout"), i);
    State<Size> state = start;
    for (; !state.over(); ++sums.turns) random_turn(state, rng, orders);
    ++(state.winner() == 0 ? sums.wins0 : state.winner() == 1 ? sums.wins1 : sums.ties);
  }
}

}  // namespace sandtable::conquest
