"""`sandtable games`: the games of a store; `export` and `import` for other formats of records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sandtable.arena.record import MAX_BYTES, Record
from sandtable.arena.record_formats import GENERAL, formats_of, read
from sandtable.arena.stored_games import recorded_games, stored_game
from sandtable.cli.app import App, Group
from sandtable.cli.games import games
from sandtable.errors import RecordError, SandtableError, nearest
from sandtable.files import check_writable, read_at_most, write_whole
from sandtable.games import game_of
from sandtable.games import games as all_games


class _ListByDefault(Group):
    """`games STORE` is `games list STORE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = App(
    cls=_ListByDefault,
    help="List the games of a store (games STORE), and bring records into other formats and back.\n\n"
    "Example: sandtable games cup.sqlite",
    no_args_is_help=True,
)
app.command("list")(games)


@app.command("export")
def export(
    source: Annotated[Path, typer.Argument(metavar="GAMES", help="Records, one JSON line each, or a store (.sqlite).")],
    format: Annotated[str, typer.Option("--format", help="text, json, or a format of the game's own.")] = "text",
    out: Annotated[
        Path | None, typer.Option(help="Write here: a file for one game, a folder for several. Default: the terminal.")
    ] = None,
    number: Annotated[int | None, typer.Option("--game", min=1, help="Only this game.")] = None,
) -> None:
    """Write games in a format for people (text), for other programs (json), or of the game's own platform (sgf).

    Example: sandtable games export cup.sqlite --game 3 --format json
    """
    known = [one.name for one in GENERAL] + [name for game in all_games() for name in formats_of(game)]
    if format not in known:
        choices = ", ".join(dict.fromkeys(known))
        raise RecordError(f"there is no format {format!r:.40}{nearest(format, known)}; there are {choices}")
    to_folder = out is not None and out.is_dir()
    check_writable(None if to_folder else out)
    files: list[tuple[str, bytes]] = []
    for place, record in _chosen(source, number):
        own = formats_of(game_of(record.start))
        if format not in own:
            raise RecordError(f"{source}, game {place}: records of {record.game} have no format {format}")
        try:
            files.append((f"{place}-{record.digest}.{format}", own[format].write(record)))
        except SandtableError as error:
            raise RecordError(f"{source}, game {place}: {error}") from None
    if out is None:
        sys.stdout.write("\n".join(data.decode() for _, data in files))
    elif to_folder:
        for name, data in files:
            write_whole(out / name, data)
    elif len(files) == 1 or format == "text":
        write_whole(out, b"\n".join(data for _, data in files))
    else:
        raise RecordError(f"{out}: {len(files)} games need a folder that exists, or --game for one of them")


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Records of other formats, such as .sgf.")],
    out: Annotated[Path, typer.Option(help="Write the records here, one JSON line each.")],
) -> None:
    """Read games of other formats, replay them, and write them as records.

    Example: sandtable games import games/*.sgf --out games.jsonl
    """
    check_writable(out)
    lines = []
    for path in files:
        try:
            lines.append(read(read_at_most(path, MAX_BYTES), path.suffix.removeprefix("."), path.stem).to_line())
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None
    write_whole(out, "".join(f"{line}\n" for line in lines).encode())
    print(f"{len(lines)} {'game' if len(lines) == 1 else 'games'} replayed and written to {out}")


def _chosen(source: Path, number: int | None) -> Iterator[tuple[int, Record]]:
    for game in recorded_games(source) if number is None else [stored_game(source, number)]:
        try:
            yield game.number, Record.from_line(game.line)
        except SandtableError as error:
            raise RecordError(f"{source}, game {game.number}: {error}") from None
