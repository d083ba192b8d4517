"""The figures of kimura2020, as printed: results against PMC and against MCTS, by the name of the variant."""

from typing import NamedTuple


class Result(NamedTuple):
    wins: int
    draws: int
    losses: int
    rate: float  # wins, %, as printed


# Table 1, on Map01. The counts of the long training without the attack term against MCTS add up to 52 games; its 24
# wins are 46.2% of them, but the paper prints 48.0.
MAP01: dict[str, tuple[Result, Result]] = {
    "short-sep-4": (Result(7, 3, 40, 14.0), Result(3, 5, 42, 6.0)),
    "short-sep-6": (Result(18, 5, 27, 36.0), Result(13, 9, 28, 26.0)),
    "short-sep-8": (Result(16, 1, 33, 32.0), Result(11, 4, 35, 22.0)),
    "short-conv-6": (Result(17, 6, 27, 34.0), Result(20, 4, 26, 40.0)),
    "long-sep-8-no-attack": (Result(20, 3, 27, 40.0), Result(24, 2, 26, 48.0)),
    "short-sep-8-no-dropout": (Result(7, 3, 40, 14.0), Result(6, 1, 43, 12.0)),
    "long-sep-8": (Result(130, 5, 15, 86.7), Result(128, 6, 16, 85.3)),
}


def on_map01(variant: str) -> tuple[Result | None, Result | None]:
    """The row of Table 1; (None, None) for a variant that the paper does not have."""
    return MAP01.get(variant, (None, None))


# Table 2: the long training on Map02.
MAP02: tuple[Result, Result] = (Result(28, 5, 17, 56.0), Result(24, 5, 21, 48.0))
