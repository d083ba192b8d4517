"""How a suite is made: for each slot, candidates are drawn until one is fair.

Where the seat decides the game, a better player cannot show that it is better. So a candidate is kept if the reference
player of its game, against itself, gives the first seat 35 to 65% of 40 games, of which at most half are draws.

Few random maps are fair. A candidate of TUBSTAP is first balanced as li2022 balances its maps (section 4.1, local
search): a cheap player plays it against itself, and HP is moved from the side that wins to the one that loses. A start
of Conquest is first judged by the champion's own value of it. Both only choose what is worth measuring: every position
that is kept has passed the measurement itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.any_map import Position
from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.playing import play
from sandtable.arena.suites import Entry, FirstSeat, Source
from sandtable.players.protocol import State
from sandtable.players.registry import player
from sandtable.rng import Rng
from sandtable.tubstap.maps import varied
from sandtable.tubstap.scenario import MAX_HP

FAIR = (0.35, 0.65)
MOST_DRAWS = 0.5
GAMES = 40


@dataclass(frozen=True)
class Method:
    """How positions of one game are found. `slots` has an entry for each position of a suite, what `propose` is given:
    it spreads sizes over the suite. `propose` gives a candidate that is worth measuring, or None."""

    slots: tuple[Any, ...]
    propose: Callable[[Rng, Any], Source | None]
    player: str
    early_end: EarlyEnd | None = None


def _propose_tubstap(rng: Rng, size: int) -> Source | None:
    """A map on which a cheap player is about as good from either seat, after its HP has been balanced."""
    options: dict[str, Any] = {"seed": rng.below(2**32 - 1), "size": size}
    scenario = varied(**options)
    hp = [int(unit.hp) for unit in scenario.units]
    sides = [unit.side for unit in scenario.units]
    for _ in range(24):
        source = Source("varied", options | {"hp": hp})
        found = measure(source.start(), "muct(simulations=200)", 16, rng.below(2**32 - 1), stop_early=False)
        if found.draws > MOST_DRAWS * found.games:
            return None
        lead = found.share - 0.5
        if abs(lead) <= 0.1:
            return source
        for _ in range(max(1, round(8 * abs(lead)))):
            _move_hp(rng, hp, sides, weaker=int(lead > 0))
    return None


def _move_hp(rng: Rng, hp: list[int], sides: Sequence[int], weaker: int) -> None:
    """One HP more for a unit of the weaker side or one less for a unit of the other, as far as the range allows."""
    gaining = [i for i, side in enumerate(sides) if side == weaker and hp[i] < MAX_HP]
    losing = [i for i, side in enumerate(sides) if side != weaker and hp[i] > 1]
    if gaining and (rng.below(2) or not losing):
        hp[rng.choice(gaining)] += 1
    elif losing:
        hp[rng.choice(losing)] -= 1


def _propose_conquest(rng: Rng, slot: int | str) -> Source | None:
    """A random start on a map of the thesis, or on a generated one with so many territories, that the champion holds
    for open, and that it wins from either seat in a few quick games."""
    start_seed = rng.below(2**32 - 1)
    if isinstance(slot, str):
        source = Source(slot, None, start_seed)
    else:
        options = {
            "seed": rng.below(2**32 - 1),
            "territories": slot,
            "unions": rng.below(3),
            "shape": round(0.2 + 0.6 * rng.uniform(), 2),
        }
        source = Source("planar", options, start_seed)
    start = source.start()
    quick = "sandtable(rounds=4)"
    if abs(player(quick).analyse(start, 0).value) > 0.3:  # type: ignore[attr-defined]
        return None
    found = measure(start, quick, 12, rng.below(2**32 - 1), early_end=EarlyEnd())
    return source if is_fair(found) else None


# How many positions of each size. Of the larger boards there are fewer: measuring one takes minutes.
_CELLS_A_SIDE = dict.fromkeys(range(6, 12), 5) | dict.fromkeys(range(12, 17), 4) | {17: 2, 18: 3, 19: 2, 20: 3}
_LANDS: dict[int | str, int] = dict.fromkeys(("simple", "banana", "owl_island", "italy"), 6)
_TERRITORIES = dict.fromkeys((*range(6, 30), *range(30, 42, 2), *range(45, 61, 3)), 1)


def _repeated(counts: Mapping[Any, int]) -> tuple[Any, ...]:
    return tuple(slot for slot, count in counts.items() for _ in range(count))


METHODS = {
    "tubstap": Method(_repeated(_CELLS_A_SIDE), _propose_tubstap, "muct(simulations=2000)"),
    # Without the early end most of the time would go into games that both players consider decided.
    "conquest": Method(_repeated(_LANDS | _TERRITORIES), _propose_conquest, "sandtable(rounds=40)", EarlyEnd()),
}


def find(suite: str, seed: int, game: str, number: int) -> dict[str, Any]:
    """The entry of one slot: the first fair candidate, as plain JSON, with the number of candidates that it took."""
    method = METHODS[game]
    for candidate in itertools.count():
        rng = Rng(seed, f"suite {suite} {game} {number} {candidate}")
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
                "digest": source.digest,
                "first_seat": list(first_seat),
                "candidates": candidate + 1,
                "games_seed": games_seed,
            }
    raise AssertionError("there is always another candidate")


def measured_again(entry: Entry) -> FirstSeat:
    """The games of an entry's measurement, played once more."""
    method = METHODS[entry.game]
    return measure(entry.source.start(), method.player, GAMES, entry.games_seed, early_end=method.early_end)


def is_fair(first_seat: FirstSeat) -> bool:
    return FAIR[0] <= first_seat.share <= FAIR[1] and first_seat.draws <= MOST_DRAWS * first_seat.games


def measure(
    start: Position | State,
    player: str,
    games: int,
    seed: int,
    *,
    early_end: EarlyEnd | None = None,
    stop_early: bool = True,
) -> FirstSeat:
    """Games of the player against itself; stopped as soon as the first seat's share cannot be fair any more."""
    counts = [0, 0, 0]
    for game in range(games):
        record = play(start, player, player, seed=Rng(seed, f"fairness {game}").below(2**32 - 1), early_end=early_end)
        counts[2 if record.winner is None else record.winner] += 1
        points, left = counts[0] + counts[2] / 2, games - game - 1
        if stop_early and (points > FAIR[1] * games or points + left < FAIR[0] * games):
            break
    return FirstSeat(*counts)
