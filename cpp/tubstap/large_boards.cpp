// Playouts and lists of operations on boards whose grids are eight or sixteen words.
#include "tubstap/game.h"

namespace sandtable::tubstap {

template void Game<Wide>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Wide>&, Rng&);
template int playout(State<Wide>&, Policy, Rng&);
template void Game<Large>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Large>&, Rng&);
template int playout(State<Large>&, Policy, Rng&);

}  // namespace sandtable::tubstap
