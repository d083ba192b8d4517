"""`sandtable tournament`: all pairs of some players on some maps, from a TOML file."""

from pathlib import Path
from typing import Annotated

import typer

from sandtable.arena.tournament import read
from sandtable.cli.allowing import AllowCode, allowance
from sandtable.cli.results import AsJson, CsvFile, Ray, SvgFile, Workers, play_and_report


def tournament(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="players, maps, games, seed, workers, name.")],
    workers: Workers = None,
    ray: Ray = None,
    store: Annotated[Path | None, typer.Option(help="Default: FILE.sqlite beside the file.")] = None,
    allow_code: AllowCode = None,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Play a tournament into its store. Stop it anywhere and run it again: it goes on."""
    described, asked = read(file, allowance(file, allow_code))
    play_and_report(
        described,
        file.with_suffix(".sqlite") if store is None else store,
        workers=asked if workers is None else workers,
        ray=ray,
        sprt=None,
        as_json=as_json,
        csv_file=csv_file,
        svg_file=svg_file,
    )
