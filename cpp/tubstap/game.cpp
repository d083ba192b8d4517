#include "tubstap/game.h"

namespace sandtable::tubstap {

template void Game<Small>::moves(const State&, std::vector<Move>&);
template void Game<Compact>::moves(const State&, std::vector<Move>&);
template void Game<Medium>::moves(const State&, std::vector<Move>&);
template void Game<Large>::moves(const State&, std::vector<Move>&);

}  // namespace sandtable::tubstap
