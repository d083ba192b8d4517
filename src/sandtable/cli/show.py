"""`sandtable show`: a recorded game, move by move or its end."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable import conquest, tubstap
from sandtable.arena import Record
from sandtable.errors import RecordError
from sandtable.files import write_whole
from sandtable.players.protocol import State


def show(
    file: Annotated[Path, typer.Argument(metavar="RECORD", help="A file of records, one JSON line a game.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    step: Annotated[int | None, typer.Option(min=0, help="The position before this move; default: the last.")] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Also list the moves.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the position to this file.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay all games and compare the results.")] = False,
) -> None:
    """Show a recorded game."""
    lines = [line for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    if verify:
        for number, line in enumerate(lines, 1):
            try:
                Record.from_line(line).verify()
            except RecordError as error:
                raise RecordError(f"{file}, game {number}: {error}") from None
        print(f"{len(lines)} games replayed: all come out as recorded")
        return
    if game > len(lines):
        raise RecordError(f"{file}: there is no game {game}; it holds {len(lines)}")
    record = Record.from_line(lines[game - 1])
    states = list(record.states())
    if step is not None and step >= len(states):
        raise RecordError(f"{file}: game {game} has moves 0..{len(states) - 2}")
    console = Console(highlight=False, markup=False)
    console.print(f"{record.game}: {record.players[0]} against {record.players[1]}, seed {record.seed}", style="bold")
    if moves:
        for number, move in enumerate(record.moves):
            console.print(f"{number}: {'end of turn' if move is None else move}")
    state = states[-1 if step is None else step]
    console.print(_text(state), no_wrap=True, crop=False, overflow="ignore")
    if svg:
        write_whole(svg, _svg(state).encode())


def _text(state: State) -> object:
    return tubstap.text(state) if isinstance(state, tubstap.State) else conquest.text(state)


def _svg(state: State) -> str:
    return tubstap.svg(state) if isinstance(state, tubstap.State) else conquest.svg(state)
