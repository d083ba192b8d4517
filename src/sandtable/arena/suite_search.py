"""Making a suite: for each slot, candidates are drawn until one is fair.

If the seat decides the game, a better player cannot show that it is better. So a candidate is kept if the first seat
scores 35 to 65% in 40 games of its game's reference player against itself, of which at most half are draws.

Few random maps are fair. So each game has a way to propose candidates that are worth measuring (its part `suite`). This
only saves time: every position that is kept has passed the measurement itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.playing import play
from sandtable.arena.suites import Entry, FirstSeat, Source
from sandtable.games import game, games
from sandtable.rng import Rng

FAIR = (0.35, 0.65)
MOST_DRAWS = 0.5
GAMES = 40


@dataclass(frozen=True)
class Method:
    """The search for positions of one game. `slots` holds the argument of `propose` for each position of a suite, which
    spreads sizes over the suite. `propose` gives a candidate that is worth measuring, or None."""

    slots: tuple[Any, ...]
    propose: Callable[[Rng, Any], Source | None]
    player: str
    early_end: EarlyEnd | None = None
    networks: tuple[str, ...] = ()  # of the player


def repeated(counts: Mapping[Any, int]) -> tuple[Any, ...]:
    """Each key as often as its count says."""
    return tuple(slot for slot, count in counts.items() for _ in range(count))


def methods() -> dict[str, Method]:
    """The methods by the names of their games; some games have none."""
    return {one.name: one.part("suite") for one in games() if "suite" in one.parts}


def find(suite: str, seed: int, of: str, number: int) -> dict[str, Any]:
    """The entry of one slot: the first fair candidate, as plain JSON, with the number of candidates that it took."""
    method: Method = game(of).part("suite")
    for candidate in itertools.count():
        rng = Rng(seed, f"suite {suite} {of} {number} {candidate}")
        source = method.propose(rng, method.slots[number])
        if source is None:
            continue
        games_seed = rng.below(2**32 - 1)
        first_seat = measure(source.start(), method.player, GAMES, games_seed, early_end=method.early_end)
        if is_fair(first_seat):
            return {
                "map": source.map,
                "options": source.options,
                "start_seed": source.start_seed,
                "first_seat": list(first_seat),
                "candidates": candidate + 1,
                "games_seed": games_seed,
            }
    raise AssertionError("there is always another candidate")


def measured_again(entry: Entry) -> FirstSeat:
    """The result of playing the games of an entry's measurement again."""
    method: Method = game(entry.source.game).part("suite")
    return measure(entry.source.start(), method.player, GAMES, entry.games_seed, early_end=method.early_end)


def is_fair(first_seat: FirstSeat) -> bool:
    return FAIR[0] <= first_seat.share <= FAIR[1] and first_seat.draws <= MOST_DRAWS * first_seat.games


def measure(
    start: Any,
    player: str,
    games: int,
    seed: int,
    *,
    early_end: EarlyEnd | None = None,
    stop_early: bool = True,
) -> FirstSeat:
    """The results of games of the player against itself. With `stop_early` they stop as soon as the first seat's share
    can no longer be fair."""
    counts = [0, 0, 0]
    for number in range(games):
        own_seed = Rng(seed, f"fairness {number}").below(2**32 - 1)
        record = play(start, player, player, seed=own_seed, early_end=early_end)
        counts[2 if record.winner is None else record.winner] += 1
        points, left = counts[0] + counts[2] / 2, games - number - 1
        if stop_early and (points > FAIR[1] * games or points + left < FAIR[0] * games):
            break
    return FirstSeat(*counts)
