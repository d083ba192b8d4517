"""Proposes fair maps of TUBSTAP for the suites (arena/suite_search.py).

A candidate is balanced as li2022 balances its maps (section 4.1, local search): a cheap player plays it against itself;
then units of the losing side gain HP, or units of the winning side lose HP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandtable.arena.suite_search import MOST_DRAWS, Method, measure, repeated
from sandtable.arena.suites import Source
from sandtable.rng import Rng
from sandtable.tubstap.maps import varied
from sandtable.tubstap.scenario import MAX_HP


def _propose(rng: Rng, size: int) -> Source | None:
    """A map whose HP are balanced so that a cheap player wins about equally often from either seat; None if balancing
    fails or too many games are draws."""
    options: dict[str, Any] = {"seed": rng.below(2**32 - 1), "size": size}
    scenario = varied(**options)
    hp = [int(unit.hp) for unit in scenario.units]
    sides = [unit.side for unit in scenario.units]
    for _ in range(24):
        source = Source("tubstap", "varied", options | {"hp": hp})
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
    """Add 1 HP to a random unit of the weaker side or take 1 HP from one of the other, within the allowed range."""
    gaining = [i for i, side in enumerate(sides) if side == weaker and hp[i] < MAX_HP]
    losing = [i for i, side in enumerate(sides) if side != weaker and hp[i] > 1]
    if gaining and (rng.below(2) or not losing):
        hp[rng.choice(gaining)] += 1
    elif losing:
        hp[rng.choice(losing)] -= 1


# The number of maps of each size. There are few large ones because measuring one takes up to half an hour.
_MAPS_PER_SIZE = dict.fromkeys(range(6, 12), 5) | dict.fromkeys(range(12, 17), 4) | {17: 2, 18: 3, 19: 1, 20: 1}
_MORE_SIZES = (12, 13, 14)

METHOD = Method((*repeated(_MAPS_PER_SIZE), *_MORE_SIZES), _propose, "muct(simulations=2000)")
