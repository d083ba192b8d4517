"""Sandtable: a laboratory for turn-based strategy AI.

>>> import sandtable as st
>>> state = st.tubstap.load("crossroads").start()
>>> state.play(state.moves()[0])
"""

from sandtable import startup as startup  # before what takes time

# isort: split
from importlib.metadata import version

from sandtable import tubstap  # registered first, listed first

# isort: split
from sandtable import conquest
from sandtable.arena import Record, play
from sandtable.errors import CheckpointError, MapError, PlayerError, RecordError, RulesError, SandtableError
from sandtable.games import Game, PythonGame, game, games, load, register_game
from sandtable.players import Analysis, Candidate, Player, PlayerSpec, player, players, register
from sandtable.rng import Rng

__version__ = version("sandtable")

__all__ = [
    "Analysis",
    "Candidate",
    "CheckpointError",
    "Game",
    "MapError",
    "Player",
    "PlayerError",
    "PlayerSpec",
    "PythonGame",
    "Record",
    "RecordError",
    "Rng",
    "RulesError",
    "SandtableError",
    "__version__",
    "conquest",
    "game",
    "games",
    "load",
    "play",
    "player",
    "players",
    "register",
    "register_game",
    "tubstap",
]
