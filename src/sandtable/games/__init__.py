"""Games: the interface by which all other code plays, records, shows and learns a game, and the list of all games."""

from typing import TYPE_CHECKING

from sandtable.games.game import Choices, Command, Game, IllegalMoveError, Map, State, Summary
from sandtable.games.registry import check_position, game, game_of, games, include_game, register_game
from sandtable.games.sources import load
from sandtable.lazy import lazily

if TYPE_CHECKING:
    from sandtable.games.python_game import PythonGame
    from sandtable.games.rule_choice import RuleChoice

__all__ = [
    "Choices",
    "Command",
    "Game",
    "IllegalMoveError",
    "Map",
    "PythonGame",
    "RuleChoice",
    "State",
    "Summary",
    "check_position",
    "game",
    "game_of",
    "games",
    "include_game",
    "load",
    "register_game",
]

# The first needs the extension; few programs need the second.
__getattr__ = lazily(
    __name__, {"PythonGame": "sandtable.games.python_game", "RuleChoice": "sandtable.games.rule_choice"}
)
