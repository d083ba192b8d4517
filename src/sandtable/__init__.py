"""Sandtable: a laboratory for turn-based strategy AI.

>>> import sandtable as st
>>> state = st.tubstap.load("crossroads").start()
>>> state.play(state.moves()[0])
"""

from sandtable import startup as startup  # first: it handles Ctrl-C during the imports below

# isort: split
from typing import TYPE_CHECKING

from sandtable.errors import CheckpointError, MapError, PlayerError, RecordError, RulesError, SandtableError
from sandtable.games import Command, Game, game, games, include_game, load, register_game
from sandtable.lazy import lazily
from sandtable.players import Analysis, Candidate, Player, PlayerSpec, player, players, register

if TYPE_CHECKING:
    from sandtable import _core as _core
    from sandtable import conquest, tubstap
    from sandtable.arena import Record, play
    from sandtable.arena.matches import TournamentResult, match, tournament
    from sandtable.games import PythonGame
    from sandtable.nets.caching import clear_cache, set_cache_size
    from sandtable.rng import Rng
    from sandtable.version import __version__

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
    "TournamentResult",
    "__version__",
    "clear_cache",
    "conquest",
    "game",
    "games",
    "load",
    "match",
    "play",
    "player",
    "players",
    "register",
    "register_game",
    "set_cache_size",
    "tournament",
    "tubstap",
]

include_game(
    "tubstap",
    "sandtable.tubstap.game:GAME",
    {
        "perft": Command(
            "sandtable.tubstap.commands.perft:perft",
            "Look inside",
            "Count the sequences of operations from a map's start, for every number of operations up to DEPTH.",
        ),
        "puzzles": Command(
            "sandtable.tubstap.commands.puzzles:app",
            "Play and watch",
            "Let players solve positions whose right answers are known, and print how many they solve of each theme.",
        ),
        "tubstap-net": Command(
            "sandtable.tubstap.commands.net:app",
            "Compete",
            "Play over the original TUBSTAP platform's network protocol.",
        ),
    },
)
include_game(
    "conquest",
    "sandtable.conquest.game:GAME",
    {
        "exploitability": Command(
            "sandtable.conquest.commands.exploitability:exploitability",
            "Look inside",
            "Measure how exploitable players of Conquest are, on small games whose equilibria are known.",
        )
    },
)

# Names that need numpy or the extension are imported on first use.
__getattr__ = lazily(
    __name__,
    {
        "PythonGame": "sandtable.games.python_game",
        "Record": "sandtable.arena",
        "Rng": "sandtable.rng",
        "TournamentResult": "sandtable.arena.matches",
        "__version__": "sandtable.version",
        "clear_cache": "sandtable.nets.caching",
        "match": "sandtable.arena.matches",
        "play": "sandtable.arena",
        "set_cache_size": "sandtable.nets.caching",
        "tournament": "sandtable.arena.matches",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
