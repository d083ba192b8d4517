"""`tempered`, a weaker version of another player: it draws its move from the visit counts of that player's search."""

from __future__ import annotations

import dataclasses
from typing import Any

from sandtable.errors import PlayerError
from sandtable.players.protocol import Analysis, Candidate
from sandtable.players.seeding import GamesWith, Seeded
from sandtable.players.spec import player
from sandtable.settings import declares, setting


class _GamesOfSearcher(GamesWith):
    """For the class all games; for an instance the games of the player whose search it draws from."""

    def __get__(self, player: Any, kind: type) -> tuple[str, ...]:
        return super().__get__(player, kind) if player is None else tuple(player._searcher.games)


@declares()
class Tempered(Seeded):
    """Draws its move with a probability proportional to its visits in another player's search, to the power of
    1 / `temperature`: at 1 in proportion to the visits, at high temperatures nearly evenly among the visited moves."""

    player: str = setting(
        "uct(simulations=50)", "the player whose search the move is drawn from, by its spec", names="player"
    )
    temperature: float = setting(
        1.0,
        "temperature of the draw; the higher, the more often the move is not the best one",
        low=0,
        high=100,
        above=True,
    )
    games = _GamesOfSearcher()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._searcher: Any = player(self.player)
        if not hasattr(self._searcher, "analyse"):
            raise PlayerError(f"{self.player:.60} cannot analyse positions: give a player that searches")

    @property
    def estimates(self) -> bool:
        """Whether the values of analyse() estimate how the game will end: true if the other player's do."""
        return bool(getattr(self._searcher, "estimates", True))

    def start(self, map: Any, side: int, seed: int) -> None:
        super().start(map, side, seed)
        self._searcher.start(map, side, self.next_seed())

    def act(self, state: Any, side: int | None = None) -> Any:
        return self.analyse(state, side).candidates[0].move

    def analyse(self, state: Any, side: int | None = None) -> Analysis:
        """The other player's analysis, with the drawn move in front."""
        found: Analysis = self._searcher.analyse(state, self.check_position(state, side))
        drawn = self._drawn(found.candidates)
        rest = [one for one in found.candidates if one is not drawn]
        return dataclasses.replace(found, candidates=[drawn, *rest])

    def _drawn(self, candidates: list[Candidate]) -> Candidate:
        most = max(one.visits for one in candidates)
        if most <= 0:
            return candidates[0]
        weights = [(max(one.visits, 0) / most) ** (1 / self.temperature) for one in candidates]
        left = self._rng.uniform() * sum(weights)
        for one, weight in zip(candidates, weights, strict=True):
            left -= weight
            if left < 0:
                return one
        return candidates[0]
