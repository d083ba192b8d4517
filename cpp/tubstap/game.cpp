#include "tubstap/game.h"

namespace sandtable::tubstap {

template <class Size>
void Game<Size>::moves(const State& state, std::vector<Move>& out) {
  for_each_operation(state, [&](const Operation& op) { out.push_back(op); });
}

template void Game<Small>::moves(const State&, std::vector<Move>&);
template void Game<Compact>::moves(const State&, std::vector<Move>&);
template void Game<Medium>::moves(const State&, std::vector<Move>&);
template void Game<Large>::moves(const State&, std::vector<Move>&);

}  // namespace sandtable::tubstap
