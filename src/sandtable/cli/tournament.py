"""`sandtable tournament`: all pairs of some players on some maps, from a TOML file."""

from pathlib import Path
from typing import Annotated

import typer

from sandtable.arena.tournament import read
from sandtable.cli.allowing import AllowCode, allowance
from sandtable.cli.results import AsJson, CsvFile, Ray, SvgFile, Workers, play_and_report
from sandtable.cli.rule_options import RulesName, SetRule, rule_choice


def tournament(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.toml", help="TOML file with players, maps, games, rules, seed, workers and name."),
    ],
    workers: Workers = None,
    ray: Ray = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Keep the games in this file. Default: FILE.sqlite beside the tournament's file."),
    ] = None,
    rules: RulesName = None,
    set_rule: SetRule = None,
    allow_code: AllowCode = None,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Play a tournament into its store. It can be stopped at any time; the same command continues it.

    Example: sandtable tournament cup.toml --workers 2
    """
    described, asked = read(file, allowance(file, allow_code), rule_choice(rules, set_rule))
    play_and_report(
        described,
        file.with_suffix(".sqlite") if store is None else store,
        workers=asked if workers is None else workers,
        ray=ray,
        sprt=None,
        as_json=as_json,
        csv_file=csv_file,
        svg_file=svg_file,
        rated=True,
    )
