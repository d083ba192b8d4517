"""Players: anything that can name its next move. `player("uct(simulations=200)")` makes one, `register` adds one."""

from sandtable.players.protocol import Analysis, Candidate, Player
from sandtable.players.registry import player_class, players, register, settings_of
from sandtable.players.spec import PlayerSpec, player, spec_of

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
