"""`flow`, a rule-based player of Conquest."""

from __future__ import annotations

from typing import ClassVar

from sandtable.conquest.flow import flow_orders
from sandtable.conquest.land import State
from sandtable.conquest.types import Order
from sandtable.players.seeding import Seeded
from sandtable.settings import declares


@declares()
class Flow(Seeded):
    """Rule-based: armies assigned to attacks and borders by flow, the best of a few such plans. The anchor that does
    not learn."""

    games: ClassVar[tuple[str, ...]] = ("conquest",)

    def act(self, state: State, side: int | None = None) -> list[Order]:
        return flow_orders(state, self.check_position(state, side), self._rng)
