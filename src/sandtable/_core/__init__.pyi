"""The native core of sandtable. Private: use the packages built on it."""

from sandtable._core import (
    conquest as conquest,
    python_game as python_game,
    tubstap as tubstap
)
import sandtable.analysis


class Rng:
    """A stream of random numbers that is the same on every machine."""

    def __init__(self, seed: int, stream: str) -> None: ...

    def below(self, n: int) -> int:
        """A uniform integer in 0 .. n-1; n must be positive."""

    def uniform(self) -> float:
        """A uniform real number in [0, 1)."""

class SearchResult:
    """What a search found."""

    def __init__(self, *, best: int, candidates: list[sandtable.analysis.Candidate], value: float, nodes: int, simulations: int) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    @property
    def best(self) -> int:
        """Place of the move to play among the candidates."""

    @property
    def candidates(self, /) -> list[sandtable.analysis.Candidate]:
        """The moves that were considered."""

    @property
    def value(self) -> float:
        """Of the position for the player that searches, in [-1, 1]."""

    @property
    def nodes(self) -> int:
        """Positions or nodes of the tree."""

    @property
    def simulations(self) -> int:
        """Simulations, iterations or generations that were made."""
