"""Positions and moves as plain JSON for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sandtable.games import Game
from sandtable.web.pages import page_of


def view(game: Game, state: Any, ply: int, last: Sequence[Any] = ()) -> dict[str, Any]:
    """A position: the data of the game's own board or, if the game has none, a picture and a text. `last` are the moves
    that led to the position, as JSON."""
    page = page_of(game)
    movers = game.movers(state)
    found = {
        "ply": ply,
        "turn": game.turn(state),
        "movers": list(movers),
        "over": not movers,
        "winner": game.winner(state),
        "reason": game.reason(state),
    }
    if not page.has_board:
        return found | {"svg": game.svg(state), "text": str(game.text(state))}
    return found | {"board": page.board(state) | {"last": list(last)}}


def outcome(game: Game, state: Any) -> float | None:
    """The value for side 0 of a game that has ended by its rules; None if the position is not final, as after a
    resignation."""
    if game.movers(state):
        return None
    winner = game.winner(state)
    return 0.0 if winner is None else 1.0 - 2.0 * winner


def played(game: Game, before: Any, kept: Any) -> Iterator[tuple[int, Any]]:
    """The side and the move of each mover, from moves in the form that records keep."""
    return zip(game.movers(before), game.moves_of(before, kept), strict=True)


def last_moves(game: Game, before: Any, kept: Any) -> list[Any]:
    """The moves of a ply as JSON: one for each mover."""
    return [game.write_move(before, side, move) for side, move in played(game, before, kept)]


def sentences(game: Game, before: Any, ply: int, kept: Any) -> list[dict[str, Any]]:
    """The moves of a ply in words: one entry for each mover."""
    return [
        {"ply": ply, "side": side, "sentence": game.describe(before, move), "notation": game.notation(before, move)}
        for side, move in played(game, before, kept)
    ]
