// Playouts and lists of operations on the largest boards, where vector instructions gain more than they cost.
#include "tubstap/game.h"

namespace sandtable::tubstap {

template void Game<Large>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Large>&, Rng&);
template int playout(State<Large>&, Policy, Rng&);

}  // namespace sandtable::tubstap
