"""`sandtable show`: step through a recorded game, or print one of its positions."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sandtable.arena import Record, early_end
from sandtable.arena.record import FORFEIT
from sandtable.arena.stored_games import StoredGame, recorded_games, stored_game
from sandtable.cli import stepping
from sandtable.cli.output import console as terminal
from sandtable.cli.output import write
from sandtable.errors import RecordError
from sandtable.files import check_writable
from sandtable.games import Game, game_of
from sandtable.progress import Bars
from sandtable.texts import shown


def show(
    file: Annotated[
        Path, typer.Argument(metavar="RECORD", help="A file of records, one JSON line per game, or a store.")
    ],
    number: Annotated[
        int, typer.Option("--game", min=1, help="Number of the game, as `sandtable games` lists it.")
    ] = 1,
    step: Annotated[
        int | None, typer.Option(min=0, help="Show the position before this move. Default: the last position.")
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Also list the moves.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the position to this file.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the game to this file, as a web page to step through; it needs no server."),
    ] = None,
    simulations: Annotated[
        int,
        typer.Option(
            min=0,
            max=20_000,
            help="For --html: simulations per position, for the page's value curve and turning points; 0 leaves them "
            "out.",
        ),
    ] = 100,
    stderr: Annotated[
        bool, typer.Option("--stderr", help="Print what bots wrote to their standard error (games of a store).")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Replay all games and compare the results.")] = False,
) -> None:
    """Step through a recorded game with the arrow keys; without a terminal, or with an option, print one position.

    Example: sandtable show games.jsonl --game 2 --moves
    """
    _check_outputs(svg, html)
    if verify and (svg or html):
        raise RecordError("--verify replays all games and cannot be combined with --svg or --html")
    if verify:
        count = _verify(file)
        print(f"{count} games replayed: all end as recorded")
        return
    game = stored_game(file, number)
    if stderr:
        _print_stderr(file, game)
        return
    with _naming(file, number):
        record = game.record()
        last = len(record.moves)
        if step is not None and step > last:
            raise RecordError(f"--step must be within 0..{last}, not {step}")
        if moves:
            record.last()  # plays all moves: a move can be described only if it can be played
        state = _state(record, last if step is None else step)
    console = terminal()
    if step is None and not moves and not svg and not html and sys.stdin.isatty() and console.is_terminal:
        with _naming(file, number):
            step_through(record, console, typer.getchar)
        return
    _print_heading(record, console)
    if moves:
        for line in _described(record):
            console.print(line, soft_wrap=True)
    console.print(game_of(state).text(state), no_wrap=True, crop=False, overflow="ignore")
    if svg:
        write(svg, game_of(state).svg(state).encode())
    if html:
        with _naming(file, number):
            _write_page(html, record, simulations)


def _check_outputs(svg: Path | None, html: Path | None) -> None:
    if svg and svg.suffix != ".svg":
        raise RecordError(f"{svg}: a picture's file name must end in .svg")
    if html and html.suffix != ".html":
        raise RecordError(f"{html}: a page's file name must end in .html")
    check_writable(svg)
    check_writable(html)


def _write_page(path: Path, record: Record, simulations: int) -> None:
    from sandtable.web.replay_file import position_values, replay_file  # slow to import, and only needed here

    values = None
    if simulations:
        with Bars(lines=False) as bars:
            values = position_values(
                record, simulations, lambda done, total: bars("analysis", done, total, things="positions")
            )
    write(path, replay_file(record, values).encode())


def step_through(record: Record, console: Console, read_key: Callable[[], str]) -> None:
    """Show the positions of a game, one at a time; keys choose which."""
    game, last, heading = game_of(record.start), len(record.moves), _heading(record)

    def page(at: int) -> stepping.Page:
        state = _state(record, at)
        place = f"position {at} of {last}"
        if at == last:
            return stepping.Page(heading, game.text(state), f"{place}; {_result(record)}", "")
        return stepping.Page(heading, game.text(state), place, f"next: {_sentence(state, record.moves[at])}")

    stepping.step_through(last, page, console, read_key)


def _print_heading(record: Record, console: Console) -> None:
    first, *others = _heading(record)
    console.print(first, style="bold", soft_wrap=True)
    for line in others:
        console.print(line, soft_wrap=True)


def _heading(record: Record) -> list[str]:
    game = game_of(record.start)
    rules = game.summary(game.map_of(record.start)).rules
    said = f"{record.game}: {record.players[0]} against {record.players[1]}, seed {record.seed}"
    lines = [said + (f", rules {rules}" if rules else "")]
    if record.reason in early_end.REASONS:
        surrendered = None if record.winner is None else _side(game, 1 - record.winner)
        ended = "both sides agreed on a draw" if surrendered is None else f"{surrendered} surrendered"
        lines.append(f"ended after {record.turns} turns: {ended}")
    elif (record.reason or "").startswith(FORFEIT):
        loser = _side(game, 1 - (record.winner or 0))
        lines.append(f"ended after {record.turns} turns: {loser} lost by {shown(record.reason or '')}")
    return lines


def _side(game: Game, side: int) -> str:
    """A side's name, as on the page."""
    from sandtable.web.pages import page_of  # slow to import, and not needed for every game

    return page_of(game).sides[side].lower()


def _print_stderr(file: Path, game: StoredGame) -> None:
    """Print the end of what each player wrote, without control characters."""
    if game.row is None:
        raise RecordError(
            f"{file}: this is a file of records; a match keeps the output of bots in its store (--store FILE)"
        )
    for player, text in zip((game.row.first, game.row.second), game.row.stderr, strict=True):
        if text:
            print(f"{player}:\n{shown(text).rstrip()}")
    if not any(game.row.stderr):
        print("no player wrote to its standard error")


def _result(record: Record) -> str:
    won = "a draw" if record.winner is None else f"{record.players[record.winner]} has won"
    return f"{won} after {record.turns} turns" + (f" ({record.reason})" if record.reason else "")


def _described(record: Record) -> Iterator[str]:
    """The moves, numbered as --step counts them, each in short notation and as a sentence."""
    game = game_of(record.start)
    for number, (before, kept) in enumerate(zip(record.states(), record.moves, strict=False)):
        short = " | ".join(game.notation(before, move) for move in game.moves_of(before, kept))
        said = _sentence(before, kept)
        yield f"{number}: {said}" if said == short else f"{number}: {short}: {said}"


def _sentence(before: Any, kept: Any) -> str:
    """A sentence on what was played in a position; in a simultaneous game, on each side's move."""
    game = game_of(before)
    said = [game.describe(before, move) for move in game.moves_of(before, kept)]
    sides = game.movers(before)
    if len(sides) > 1:
        said = [f"{_side(game, side)} {text}" for side, text in zip(sides, said, strict=True)]
    return "; ".join(said)


def _state(record: Record, step: int) -> Any:
    return next(itertools.islice(record.states(), step, None))


def _verify(file: Path) -> int:
    """Replay and verify all games; returns their number."""
    count = 0
    for game in recorded_games(file):
        with _naming(file, game.number):
            game.record().verify()
        count += 1
    return count


@contextlib.contextmanager
def _naming(file: Path, game: int) -> Iterator[None]:
    """Name the file and the number of the game in errors of its record."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{file}, game {game}: {error}") from None
