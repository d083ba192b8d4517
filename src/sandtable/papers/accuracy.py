"""Shares of states that are predicted, with intervals that know that the states of one game are alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from sandtable.arena.statistics import clustered

Share = dict[str, float]  # value, low, high, n, games


def share_of_states(scores: Iterable[float], games: Iterable[int]) -> Share:
    """The mean of the states' scores; its interval takes the games as drawn, for the states of one are alike."""
    won: defaultdict[int, float] = defaultdict(float)
    sizes: Counter[int] = Counter()
    for score, game in zip(scores, games, strict=True):
        won[int(game)] += float(score)
        sizes[int(game)] += 1
    low, high = clustered([won[game] for game in sizes], list(sizes.values()))
    n = sum(sizes.values())
    return {"value": sum(won.values()) / n if n else 0.0, "low": low, "high": high, "n": n, "games": len(sizes)}
