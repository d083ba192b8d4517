"""Positions with known right answers, by theme. docs/puzzles.md explains their use, `index.json` holds their questions.

A first move is right if it keeps the value of the position: it still wins a won position, or still draws a drawn one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError, nearest
from sandtable.json_fields import read_object
from sandtable.tubstap.loading import load as load_map
from sandtable.tubstap.scenario import Scenario
from sandtable.tubstap.types import Move

FOLDER = Path(__file__).parent

THEMES = {
    "pinch": "attack one enemy from two sides so that it dies",
    "chase": "leave a fleeing unit no safe cell",
    "guard": "shield a weak unit",
    "path": "take the path that arrives in time",
    "block": "stand where the enemy cannot pass",
    "select": "choose the unit that acts first",
    "tag": "two weak units beat a strong one",
    "finish": "win within the turn",
}


@dataclass(frozen=True)
class Puzzle:
    """A position, its question, and all first moves that are right."""

    name: str
    theme: str
    question: str
    scenario: Scenario
    value: int  # what the side to move can reach: 1 a win, 0 a draw
    solutions: tuple[Move, ...]
    depth: int  # player turns from here to the latest end of the game
    proven: bool  # by exhaustive search
    proof: str

    @property
    def whole_turn(self) -> bool:
        """Whether all moves of the turn are judged, not only the first. The solver judges the position after them."""
        return self.proven and self.theme != "select"


def load_all(theme: str | None = None) -> list[Puzzle]:
    """All puzzles, or those of one theme."""
    if theme is not None and theme not in THEMES:
        raise SandtableError(f"no theme is called {theme!r:.40}{nearest(theme, THEMES)}; there are {', '.join(THEMES)}")
    return [puzzle for puzzle in _all() if theme in (None, puzzle.theme)]


def load(name: str) -> Puzzle:
    """The puzzle with this name."""
    known = {puzzle.name: puzzle for puzzle in _all()}
    if name not in known:
        hint = nearest(name, known) or "; `sandtable puzzles list` shows them"
        raise SandtableError(f"no puzzle is called {name!r:.40}{hint}")
    return known[name]


@cache
def _all() -> Sequence[Puzzle]:
    index = read_object((FOLDER / "index.json").read_text(encoding="utf-8"))
    return tuple(_puzzle(entry) for entry in index["puzzles"])


def _puzzle(entry: dict[str, Any]) -> Puzzle:
    solutions = tuple(Move(unit, x, y, None if target < 0 else target) for unit, x, y, target in entry["solutions"])
    return Puzzle(**entry | {"solutions": solutions, "scenario": load_map(FOLDER / f"{entry['name']}.json")})
