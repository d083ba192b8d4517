// Playouts and lists of operations on boards whose grids are one to four words. CMake compiles this file without
// vectorisation: a vector load of a grid stalls if one of its words has just been written.
#include "tubstap/game.h"

namespace sandtable::tubstap {

template void Game<Small>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Small>&, Rng&);
template int playout(State<Small>&, Policy, Rng&);
template void Game<Compact>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Compact>&, Rng&);
template int playout(State<Compact>&, Policy, Rng&);
template void Game<Medium>::moves(const State&, std::vector<Move>&);
template Operation random_operation(const State<Medium>&, Rng&);
template int playout(State<Medium>&, Policy, Rng&);

}  // namespace sandtable::tubstap
