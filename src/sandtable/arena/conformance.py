"""The conformance test for players. Run it on a player of your own: `sandtable check-player SPEC`."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from sandtable.arena.playing import play
from sandtable.errors import ForfeitError, PlayerError, SandtableError, of_player, with_place
from sandtable.games import IllegalMoveError, game_of
from sandtable.games import games as all_games
from sandtable.games.sources import MapSource, find
from sandtable.players.bots.bot import Bot
from sandtable.players.protocol import Analysis, Player
from sandtable.players.registry import settings_of
from sandtable.players.spec import player
from sandtable.players.timing import overran
from sandtable.rng import Rng

CLOCK = 0.05
ATTEMPTS = 20  # to keep to the clock; one success is enough, because the machine may be busy


def check_player(spec: str, games: int = 2, seed: int = 0) -> Iterator[tuple[str, str | None]]:
    """The name of each check, with the problem or None."""
    known = _games_of(player(spec))
    names = [one.name for one in all_games()]
    if not set(known) & set(names):
        raise PlayerError(f"{spec}: its `games` must be a tuple of {' or '.join(names)}, not {known!r:.60}")
    left_out = unchecked(spec)
    for start in example_maps(known, seed):
        for name, check in CHECKS.items():
            if name not in left_out:
                yield f"{start.name}: {name}", _problem(check, Case(spec, start, games, seed))


def unchecked(spec: str) -> dict[str, str]:
    """The checks that cannot be applied to a player, with the reasons."""
    made = player(spec)
    found: dict[str, str] = {}
    with of_player(spec):
        if _on_a_clock(made):
            found[REPEATS] = "moves under a time limit depend on the machine"
        if not hasattr(made, "analyse"):
            found[ANALYSES] = "it has no analyse(state, side)"
    if "seconds" not in settings_of(type(made)):
        found[KEEPS_TIME] = "it has no setting `seconds`"
    return found


def _games_of(made: Any) -> Collection[str]:
    """The games of a player. For a bot that can be started, only the games that its `hello` names."""
    known: Collection[str] = getattr(made, "games", None) or ()
    if isinstance(made, Bot):
        try:
            said = made.launch().games
        except ForfeitError:
            return known  # the checks report the problem
        finally:
            made.stop()
        known = [name for name in known if name in said]
    return known


class Case(NamedTuple):
    """The arguments of a check."""

    spec: str
    start: Any
    games: int
    seed: int


Check = Callable[[Case], None]


def example_maps(names: Collection[str], seed: int) -> Iterator[Any]:
    """The example maps of the games with these names."""
    for game in all_games():
        for example in game.examples if game.name in names else ():
            source = find(f"{game.name}:{example}")
            assert isinstance(source, MapSource)
            yield source.generate(seed) if source.is_generator else game.load(example)


def _problem(check: Check, case: Case) -> str | None:
    try:
        check(case)
    except SandtableError as error:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a player may raise anything, and its author wants to know what
        return with_place(error)
    return None


def _games(case: Case) -> None:
    for game in range(max(2, case.games)):
        seats = (case.spec, "random") if game % 2 == 0 else ("random", case.spec)
        play(case.start, *seats, seed=case.seed + game).verify()


def _repeats(case: Case) -> None:
    first, second = (play(case.start, case.spec, "random", seed=case.seed).moves for _ in range(2))
    if first != second:
        raise PlayerError("two games with the same seed differ; draw all random numbers from the seed given to start()")


def _acts(case: Case) -> None:
    state, side = _first_decision(case)
    before = state.hash()
    move = player(case.spec).act(state, side)
    if state.hash() != before:
        raise PlayerError("act() changed the state it was given; play on state.copy()")
    _check_playable(state, side, move)


def _analyses(case: Case) -> None:
    made: Any = player(case.spec)
    state, side = _first_decision(case)
    analysis: Analysis = made.analyse(state, side)
    values = [analysis.value, *[candidate.value for candidate in analysis.candidates]]
    if not analysis.candidates:
        raise PlayerError("analyse() gives no candidates")
    if not all(-1 <= value <= 1 for value in values):
        raise PlayerError("analyse() gives a value outside [-1, 1]")
    for candidate in analysis.candidates:
        _check_playable(state.copy(), side, candidate.move)


def _on_a_clock(made: Player) -> bool:
    return any(getattr(made, name, None) is not None for name in ("seconds", "seconds_per_turn"))


def _keeps_time(case: Case) -> None:
    made: Any = player(case.spec)
    timed: Player = made if _on_a_clock(made) else dataclasses.replace(made, seconds=CLOCK)
    limit: float = getattr(timed, "seconds", None) or getattr(timed, "seconds_per_turn", None) or CLOCK
    state, side = _first_decision(case)
    best = float("inf")
    for _ in range(ATTEMPTS):
        begin = time.perf_counter()
        timed.act(state, side)
        best = min(best, time.perf_counter() - begin)
        if not overran(best, limit):
            return
    raise PlayerError(f"took {best:.3f} s; the limit is {limit} s")


REPEATS, ANALYSES, KEEPS_TIME = "the same seed gives the same game", "analyses", "keeps its time limit"
CHECKS: dict[str, Check] = {
    "plays whole games, both seats, with legal moves only": _games,
    REPEATS: _repeats,
    "moves without start()": _acts,
    ANALYSES: _analyses,
    KEEPS_TIME: _keeps_time,
}


def _first_decision(case: Case) -> tuple[Any, int]:
    """The first state of a game, and a side that has to decide there."""
    game = game_of(case.start)
    state = game.start(case.start, case.seed)
    return state, game.movers(state)[0]


def _check_playable(state: Any, side: int, move: Any) -> None:
    """PlayerError if the move cannot be played; the other side of a simultaneous turn moves at random."""
    game, rng = game_of(state), Rng(0, "check")
    moves = [move if one == side else game.random_move(state, one, 0) for one in game.movers(state)]
    try:
        game.advance(state, moves, rng)
    except IllegalMoveError as error:
        raise PlayerError(str(error)) from None
