"""Games: what a game is to everything that plays, records, shows or learns it, and which games there are."""

from sandtable.games.game import Choices, Game, IllegalMoveError, Map, State, Summary
from sandtable.games.python_game import PythonGame
from sandtable.games.registry import game, game_of, games, register_game
from sandtable.games.sources import load

__all__ = [
    "Choices",
    "Game",
    "IllegalMoveError",
    "Map",
    "PythonGame",
    "State",
    "Summary",
    "game",
    "game_of",
    "games",
    "load",
    "register_game",
]
