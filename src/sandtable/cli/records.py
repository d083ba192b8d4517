"""`sandtable games`: the games of a store; `export` and `import` for other formats of records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sandtable.arena.record import MAX_BYTES
from sandtable.arena.record_formats import GENERAL, formats_of, read
from sandtable.arena.stored_games import StoredGame, recorded_games, stored_game
from sandtable.cli import output
from sandtable.cli.app import App, Group
from sandtable.cli.games import Map, Name, Player, games
from sandtable.errors import RecordError, SandtableError, nearest
from sandtable.files import check_writable, read_at_most, write_whole
from sandtable.games import game_of
from sandtable.games import games as all_games
from sandtable.texts import shown_line

LINES = "jsonl"  # the format of the records themselves, which are copied unchanged


class _ListByDefault(Group):
    """`games STORE` is `games list STORE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = App(
    cls=_ListByDefault,
    help="List the games of a store (games STORE), or convert records to other formats and back.\n\n"
    "Example: sandtable games cup.sqlite",
    no_args_is_help=True,
)
app.command("list")(games)


@app.command("export")
def export(
    source: Annotated[Path, typer.Argument(metavar="GAMES", help="Records, one JSON line each, or a store (.sqlite).")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonl (the records themselves), text, json, or a format of the game's own. Default: the ending of "
            "--out, or text.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write, or a folder for one file per game. Default: print the games. Only jsonl and text "
            "files can hold several games."
        ),
    ] = None,
    number: Annotated[int | None, typer.Option("--game", min=1, help="Only this game.")] = None,
    tournament: Name = None,
    player: Player = None,
    map: Map = None,
) -> None:
    """Write games as records (jsonl), as text, as JSON for other programs, or in the format of the game's own
    platform (sgf).

    Example: sandtable games export cup.sqlite --player greedy --out games.jsonl
    """
    chosen = _format(format, out)
    to_folder = out is not None and out.is_dir() and chosen != LINES
    check_writable(None if to_folder else out)
    games = recorded_games(source, tournament) if number is None else iter([stored_game(source, number)])
    wanted = (game for game in games if _matches(source, game, player, map))
    if chosen == LINES:
        files = [("", _line(source, game)) for game in wanted]
    else:
        files = [_written(source, game, chosen) for game in wanted]
    if not files:
        raise RecordError(f"{source}: no game matches this player and map")
    between = b"" if chosen == LINES else b"\n"
    if to_folder:
        assert out is not None
        for name, data in files:
            write_whole(out / name, data)
    elif out is None:
        sys.stdout.write(between.join(data for _, data in files).decode())
    elif len(files) == 1 or chosen in (LINES, "text"):
        output.write(out, between.join(data for _, data in files))
    else:
        raise RecordError(f"{out}: {len(files)} games need an existing folder; or choose one of them with --game")


def _format(given: str | None, out: Path | None) -> str:
    """The format that was asked for; by default the ending of `out`, or text. RecordError if it is unknown."""
    known = [LINES, *(one.name for one in GENERAL), *(name for game in all_games() for name in formats_of(game))]
    if given is None:
        ending = "" if out is None else out.suffix.removeprefix(".")
        return ending if ending in known else "text"
    if given not in known:
        choices = ", ".join(dict.fromkeys(known))
        raise RecordError(f"there is no format {given!r:.40}{nearest(given, known)}; there are {choices}")
    return given


def _matches(source: Path, game: StoredGame, player: str | None, map: str | None) -> bool:
    if game.row is not None:
        return game.row.matches(player, map)
    if player is not None or map is not None:
        raise RecordError(f"{source}: this is a file of records; --player and --map work only with a store")
    return True


def _line(source: Path, game: StoredGame) -> bytes:
    """A game as its record."""
    try:
        return f"{game.checked_line()}\n".encode()
    except SandtableError as error:
        raise RecordError(f"{source}, game {game.number}: {error}") from None


def _written(source: Path, game: StoredGame, format: str) -> tuple[str, bytes]:
    """A game in a format: the name of its file, and the file's content."""
    try:
        record = game.record()
        own = formats_of(game_of(record.start))
        if format not in own:
            raise RecordError(f"records of {record.game} have no format {format}")
        return f"{game.number}-{record.digest}.{format}", own[format].write(record)
    except SandtableError as error:
        raise RecordError(f"{source}, game {game.number}: {error}") from None


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Records of other formats, such as .sgf.")],
    out: Annotated[Path, typer.Option(help="Write the records here, one JSON line each.")],
) -> None:
    """Read games in other formats, replay them, and write them as records.

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
    print(f"{len(lines)} {'game' if len(lines) == 1 else 'games'} replayed and written to {shown_line(str(out))}")
