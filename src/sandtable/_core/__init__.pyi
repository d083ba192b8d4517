"""The native core of sandtable. Private: use the packages built on it."""

from sandtable._core import conquest as conquest, tubstap as tubstap


class Rng:
    """A stream of random numbers that is the same on every machine."""

    def __init__(self, seed: int, stream: str) -> None: ...

    def below(self, n: int) -> int:
        """A uniform integer in 0 .. n-1; n must be positive."""

    def uniform(self) -> float:
        """A uniform real number in [0, 1)."""
