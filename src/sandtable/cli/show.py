"""`sandtable show`: a recorded game, move by move or its end."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable.arena import Record, early_end
from sandtable.errors import RecordError
from sandtable.files import write_whole
from sandtable.games import game_of


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
    with file.open(encoding="utf-8", errors="replace") as text:
        lines = [line for line in text if line.strip()]
    if not lines:
        raise RecordError(f"{file}: there are no records in it")
    if verify:
        for place, line in enumerate(lines, 1):
            with _naming(file, place):
                Record.from_line(line).verify()
        print(f"{len(lines)} games replayed: all come out as recorded")
        return
    if number > len(lines):
        raise RecordError(f"{file}: there is no game {number}; it holds {len(lines)}")
    with _naming(file, number):
        record = Record.from_line(lines[number - 1])
        last = len(record.moves)
        if step is not None and step > last:
            raise RecordError(f"it has moves 0..{last - 1}")
        state = next(itertools.islice(record.states(), last if step is None else step, None))
    console = Console(highlight=False, markup=False)
    console.print(f"{record.game}: {record.players[0]} against {record.players[1]}, seed {record.seed}", style="bold")
    if record.reason in early_end.REASONS:
        ended = "a tie that both agreed on" if record.winner is None else f"player {1 - record.winner} surrendered"
        console.print(f"ended after {record.turns} turns: {ended}")
    game = game_of(state)
    if moves:
        for step_number, (before, kept) in enumerate(zip(record.states(), record.moves, strict=False)):
            said = "; ".join(game.describe(before, move) for move in game.moves_of(before, kept))
            console.print(f"{step_number}: {said}", soft_wrap=True)
    console.print(game.text(state), no_wrap=True, crop=False, overflow="ignore")
    if svg:
        write_whole(svg, game.svg(state).encode())


@contextlib.contextmanager
def _naming(file: Path, game: int) -> Iterator[None]:
    """Errors of a record with its file and number."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{file}, game {game}: {error}") from None
