// The searches on Conquest, on maps of any size: compiled once, in conquest.cpp. They search the turn of one player;
// the game must not be over. Candidate moves of both players at the root may be given.
#pragma once

#include <vector>

#include "conquest/any_state.h"
#include "evaluation/conquest.h"
#include "search/coevolution/coevolution.h"
#include "search/equilibrium/equilibrium.h"
#include "search/simultaneous/decoupled_uct.h"
#include "search/simultaneous/regret_matching.h"
#include "search/simultaneous/simultaneous.h"
#include "search/turn_mcts/guided_mcts.h"
#include "search/turn_mcts/turn_mcts.h"

namespace sandtable::search {

using conquest::Orders;
using evaluation::TurnPolicies, evaluation::TurnWeights;

// The arguments that all of them take.
struct Turn {
  const conquest::AnyState& root;
  int player;
  Run run;
  const MovesOfBoth<Orders>* given = nullptr;
};

Result<Orders> mcts(const Turn& turn, const TurnMctsSettings& settings);
Result<Orders> guided_mcts(const Turn& turn, const GuidedMctsSettings& settings, TurnWeights& network);

// The result of coevolution, and the last population of the other player, best first.
struct CoevolutionResult {
  Result<Orders> found;
  std::vector<Orders> others;
};

// Without a network, resolved pairs are evaluated by the shares of armies and income. With `weigh`, the network also
// chooses the first populations.
CoevolutionResult coevolution(const Turn& turn, CoevolutionSettings settings, TurnWeights* network, bool weigh);
CoevolutionResult coevolution(const Turn& turn, CmaSettings settings, TurnWeights* network, bool weigh);

using DuctSettings = SimultaneousSettings<DecoupledUct::Settings>;
using RegretSettings = SimultaneousSettings<RegretMatching::Settings>;

// Without a network, positions are evaluated by playouts.
StrategyResult<Orders> simultaneous(const Turn& turn, const DuctSettings& settings, TurnWeights* network);
StrategyResult<Orders> simultaneous(const Turn& turn, const RegretSettings& settings, TurnWeights* network);

// Solves the turn for both players. Positions are evaluated from the perspective of turn.player.
TurnResult<Orders> equilibrium(const Turn& turn, const EquilibriumSettings& settings, TurnPolicies& network);

}  // namespace sandtable::search
