"""The base of most players: checked settings, a stream of random numbers, the games that they play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandtable.errors import NoAnalysisError, PlayerError, SandtableError
from sandtable.games import game_of, games
from sandtable.players.spec import spec_of
from sandtable.rng import Rng
from sandtable.settings import checked_all, declared, declares, setting


class GamesWith:
    """The `games` of a player that plays every game, or every game that has a native search of that name."""

    def __init__(self, search: str | None = None) -> None:
        self._search = search

    def __get__(self, player: object, kind: type) -> tuple[str, ...]:
        return tuple(one.name for one in games() if self._search is None or self._search in one.searches)


class ShownBySpec:
    """A player that is shown as its spec."""

    def __repr__(self) -> str:
        return f"<player {spec_of(self)}>"  # type: ignore[arg-type]


@declares()
class Seeded(ShownBySpec):
    """A player with random numbers. `start` seeds their stream; until then the setting `seed` does."""

    seed: int = setting(0, "seed of the player's random numbers outside a game", low=0, high=2**64 - 1)

    if TYPE_CHECKING:

        def __init__(self, **settings: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name == "analyse":
            raise NoAnalysisError(f"{spec_of(self)} cannot analyse positions: it has no analyse(state, side)")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __post_init__(self) -> None:
        settings = declared(type(self))
        given = {one.name: getattr(self, one.name) for one in settings}
        for name, value in checked_all(type(self).__name__.lower(), settings, given).items():
            setattr(self, name, value)
        self._rng = Rng(self.seed, "player")

    def start(self, map: Any, side: int, seed: int) -> None:
        self._rng = Rng(seed, f"player {side}")

    def next_seed(self) -> int:
        """A seed for one decision."""
        return self._rng.below(2**32 - 1)

    def check_position(self, state: Any, side: int | None) -> int:
        """The side that decides: `side`, or by default the only side that is to move. PlayerError if this player does
        not play the state's game, if the game is over, or if it is not that side's move."""
        try:
            game = game_of(state)
        except SandtableError:
            raise PlayerError(f"act() needs a state, not {state!r:.40}") from None
        known: tuple[str, ...] = getattr(self, "games", ())
        if game.name not in known:
            raise PlayerError(f"{type(self).__name__.lower()} plays {' and '.join(known)}, not {game.name}")
        movers = game.movers(state)
        if not movers:
            raise PlayerError("there is no move: the game is over")
        if side is None and len(movers) == 1:
            return movers[0]
        if type(side) is not int or side not in movers:
            if len(movers) > 1:
                raise PlayerError(f"in {game.name} both sides move at once: pass the side, 0 or 1, to act(state, side)")
            raise PlayerError(f"side must be {movers[0]}, the side to move, not {side!r:.20}")
        return side
