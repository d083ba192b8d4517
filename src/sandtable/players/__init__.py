"""Players: anything that can name its next move. `player("uct(simulations=200)")` makes one, `register` adds one."""

from sandtable.players.conquest import CmaEs, Coevolution, Guided, Mcts
from sandtable.players.equilibrium import Equilibrium
from sandtable.players.policy import Pvmcts, Sandtable
from sandtable.players.protocol import Analysis, Candidate, Player
from sandtable.players.registry import player_class, players, register, settings_of
from sandtable.players.simple import Random
from sandtable.players.simultaneous import Duct, Regret
from sandtable.players.spec import PlayerSpec, player, spec_of
from sandtable.players.tubstap import Minimax, Muct, Pmc, Uct

register("random", Random)
register("pmc", Pmc)
register("uct", Uct)
register("muct", Muct)
register("minimax", Minimax)
register("pvmcts", Pvmcts)
register("sandtable", Sandtable)
register("mcts", Mcts)
register("guided", Guided)
register("coevolution", Coevolution)
register("cmaes", CmaEs)
register("duct", Duct)
register("regret", Regret)
register("equilibrium", Equilibrium)

__all__ = [
    "Analysis",
    "Candidate",
    "Player",
    "PlayerSpec",
    "player",
    "player_class",
    "players",
    "register",
    "settings_of",
    "spec_of",
]
