"""The conformance test for bots: `sandtable check-bot COMMAND` checks that a program follows the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sandtable.arena.conformance import example_maps
from sandtable.arena.playing import play
from sandtable.arena.record import FORFEIT
from sandtable.errors import ForfeitError, PlayerError, SandtableError
from sandtable.games import game_of
from sandtable.games import games as all_games
from sandtable.players.bots.bot import Bot
from sandtable.players.bots.process import EXIT_SECONDS
from sandtable.rng import Rng

POSITIONS = 3  # of a random game; the bot gets each of them by a `start`, without the moves before it


def check_bot(
    command: str, *, games: int = 2, seconds: float = 10.0, seed: int = 0
) -> Iterator[tuple[str, str | None]]:
    """The name of each check, with the problem or None. If one fails that the others need, the rest are skipped."""
    bot = Bot(command=command, seconds=seconds)
    try:
        try:
            named = _announced_games(bot)
        except ForfeitError as error:
            yield "starts and says hello", str(error)
            return
        yield "starts and says hello", None
        known = [one.name for one in all_games() if one.name in named]
        if not known:
            yield "plays a game", f"hello: games: none of {', '.join(named) or 'an empty list'} is known here"
            return
        for start in example_maps(known, seed):
            yield f"{start.name}: plays whole games in both seats", _plays(bot, start, games, seed)
            yield f"{start.name}: plays from any position", _plays_anywhere(bot, start, seed)
        yield "ends when its input ends", _ends(bot)
    finally:
        bot.stop()


def _announced_games(bot: Bot) -> list[str]:
    """The games that the bot names in its `hello`."""
    bot.launch()
    assert bot.hello is not None
    return bot.hello.games


def _plays(bot: Bot, start: Any, games: int, seed: int) -> str | None:
    for number in range(games):
        seats: tuple[Any, Any] = (bot, "random") if number % 2 == 0 else ("random", bot)
        record = play(start, *seats, seed=seed + number)
        if (record.reason or "").startswith(FORFEIT):
            turn = f"as side {number % 2}, seed {seed + number}, after {len(record.moves)} moves"
            return f"{(record.reason or '').removeprefix(FORFEIT)} ({turn})"
    return None


def _plays_anywhere(bot: Bot, start: Any, seed: int) -> str | None:
    """The problem, if the bot does not accept a `start` with a new position and move there."""
    game, rng = game_of(start), Rng(seed, "check bot")
    state = game.start(start, seed)
    for _ in range(POSITIONS):
        movers = game.movers(state)
        if not movers:
            break
        try:
            moves = [bot.act(state, side) if side == movers[0] else _random(state, side, rng) for side in movers]
            game.advance(state.copy(), moves, rng)
        except SandtableError as error:
            return f"{error} (in a position given by `start`)"
        for _ in range(2):
            if movers := game.movers(state):
                game.advance(state, [_random(state, side, rng) for side in movers], rng)
    return None


def _random(state: Any, side: int, rng: Rng) -> Any:
    return game_of(state).random_move(state, side, rng.below(2**32 - 1))


def _ends(bot: Bot) -> str | None:
    try:
        bot.launch()
    except PlayerError as error:
        return str(error)
    if bot.stop(EXIT_SECONDS):
        return None
    return f"still ran {EXIT_SECONDS:g} s after its input was closed; it must end at the end of its input"
