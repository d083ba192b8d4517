"""`flow`, a rule-based player of Conquest."""

from __future__ import annotations

import time
from typing import ClassVar

from sandtable.conquest.flow import INCOME, STANCES, flow_orders, flow_ranking
from sandtable.conquest.land import State
from sandtable.conquest.types import Order
from sandtable.players.protocol import Analysis, Candidate
from sandtable.players.seeding import Seeded
from sandtable.settings import declares


@declares()
class Flow(Seeded):
    """Rule-based: assigns armies to attacks and borders by minimum-cost flow and plays the best of a few such plans. It
    does not learn, so it can serve as a fixed reference."""

    games: ClassVar[tuple[str, ...]] = ("conquest",)
    estimates: ClassVar[bool] = False  # values are leads after the turn, not chances to win

    def act(self, state: State, side: int | None = None) -> list[Order]:
        return flow_orders(state, self.check_position(state, side), self._rng)

    def analyse(self, state: State, side: int | None = None) -> Analysis:
        """Its plans, one for each stance; a value is the lead expected after the turn over the strength of both."""
        begin = time.perf_counter()
        ranked = flow_ranking(state, self.check_position(state, side), self._rng)
        armies = sum(n for owner, n in zip(state.owner, state.armies, strict=True) if owner != -1)
        strength = armies + INCOME * (state.income(0) + state.income(1))
        candidates: dict[tuple[Order, ...], Candidate] = {}
        for lead, plan in ranked:  # several stances may give the same plan
            value = max(-1.0, min(1.0, lead / strength))
            known = candidates.get(tuple(plan))
            visits = 1 if known is None else known.visits + 1
            candidates[tuple(plan)] = Candidate(plan, visits, value, pv=[plan])
        found = list(candidates.values())
        return Analysis(found[0].value, found, len(STANCES), time.perf_counter() - begin)
