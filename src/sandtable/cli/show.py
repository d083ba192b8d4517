"""`sandtable show`: a recorded game, move by move or its end."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable.arena import Record, early_end
from sandtable.arena.record import FORFEIT, MAX_BYTES
from sandtable.errors import RecordError
from sandtable.files import check_writable, lines_of, write_whole
from sandtable.games import game_of
from sandtable.texts import shown


def show(
    file: Annotated[Path, typer.Argument(metavar="RECORD", help="A file of records, one JSON line a game.")],
    number: Annotated[int, typer.Option("--game", min=1, help="Which game of the file.")] = 1,
    step: Annotated[int | None, typer.Option(min=0, help="The position before this move; default: the last.")] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Also list the moves.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the position to this file.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay all games and compare the results.")] = False,
) -> None:
    """Show a recorded game."""
    if svg and svg.suffix != ".svg":
        raise RecordError(f"{svg}: a picture is written as .svg")
    check_writable(svg)
    if verify:
        count = _verify(file)
        print(f"{count} games replayed: all come out as recorded")
        return
    with _naming(file, number):
        record = Record.from_line(_line(file, number))
        last = len(record.moves)
        if step is not None and step > last:
            raise RecordError(f"it has moves 0..{last - 1}")
        state = next(itertools.islice(record.states(), last if step is None else step, None))
    console = Console(highlight=False, markup=False)
    console.print(f"{record.game}: {record.players[0]} against {record.players[1]}, seed {record.seed}", style="bold")
    if record.reason in early_end.REASONS:
        ended = "a tie that both agreed on" if record.winner is None else f"player {1 - record.winner} surrendered"
        console.print(f"ended after {record.turns} turns: {ended}")
    elif (record.reason or "").startswith(FORFEIT):
        loser = 1 - (record.winner or 0)
        console.print(
            f"ended after {record.turns} turns: side {loser} lost by {shown(record.reason or '')}", soft_wrap=True
        )
    game = game_of(state)
    if moves:
        for step_number, (before, kept) in enumerate(zip(record.states(), record.moves, strict=False)):
            said = "; ".join(game.describe(before, move) for move in game.moves_of(before, kept))
            console.print(f"{step_number}: {said}", soft_wrap=True)
    console.print(game.text(state), no_wrap=True, crop=False, overflow="ignore")
    if svg:
        write_whole(svg, game.svg(state).encode())


def _verify(file: Path) -> int:
    """Replays all games; how many there are."""
    count = 0
    for count, line in enumerate(lines_of(file, MAX_BYTES), 1):
        with _naming(file, count):
            Record.from_line(line).verify()
    if not count:
        raise RecordError(f"{file}: there are no records in it")
    return count


def _line(file: Path, number: int) -> str:
    count = 0
    for count, line in enumerate(lines_of(file, MAX_BYTES), 1):
        if count == number:
            return line
    raise RecordError(f"there is no game {number}; it holds {count}" if count else "there are no records in it")


@contextlib.contextmanager
def _naming(file: Path, game: int) -> Iterator[None]:
    """Errors of a record with its file and number."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{file}, game {game}: {error}") from None
