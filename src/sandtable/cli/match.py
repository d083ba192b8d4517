"""`sandtable match`: two players, a map or a generator, a number of games."""

from pathlib import Path
from typing import Annotated

import typer

from sandtable.arena.statistics import Sprt
from sandtable.arena.tournament import make
from sandtable.cli import completion
from sandtable.cli.results import AsJson, CsvFile, Ray, SvgFile, Workers, play_and_report
from sandtable.cli.rule_options import RulesName, SetRule, rule_choice
from sandtable.errors import SandtableError


def match(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A", autocompletion=completion.players, help="A player, for instance 'uct(simulations=200)'."
        ),
    ],
    second: Annotated[str, typer.Argument(metavar="B", autocompletion=completion.players, help="The other player.")],
    map: Annotated[
        list[str],
        typer.Option(
            "--map",
            metavar="MAP",
            autocompletion=completion.grounds,
            help="A map, a generator, or a suite such as suite:dev:GAME; may be given several times.",
        ),
    ],
    games: Annotated[int, typer.Option(help="Games on each map: an even number, because seats are swapped.")] = 100,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    workers: Workers = None,
    ray: Ray = None,
    store: Annotated[
        Path | None, typer.Option(help="Keep the games in this file. If it exists, the match continues from it.")
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop as soon as a sequential test decides between two Elo differences, such as 0,50.",
        ),
    ] = None,
    rules: RulesName = None,
    set_rule: SetRule = None,
    early_end: Annotated[
        bool, typer.Option("--early-end", help="End a game as soon as both players are sure of its result.")
    ] = False,
    why: Annotated[
        str | None, typer.Option(help="The reason for using the frozen suite; it is logged in results/frozen.jsonl.")
    ] = None,
    as_json: AsJson = False,
    csv_file: CsvFile = None,
    svg_file: SvgFile = None,
) -> None:
    """Play two players against each other, seats swapped, and print the score with its interval.

    Example: sandtable match "uct(simulations=200)" greedy --map ford --games 20
    """
    test = _sprt(sprt)
    choice = rule_choice(rules, set_rule)
    tournament = make("match", [first, second], map, games, seed, early_end=early_end, why=why, rules=choice)
    play_and_report(
        tournament,
        store,
        workers=workers or 1,
        ray=ray,
        sprt=test,
        as_json=as_json,
        csv_file=csv_file,
        svg_file=svg_file,
    )


def _sprt(text: str | None) -> Sprt | None:
    if text is None:
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise SandtableError(f"--sprt takes two numbers, ELO0,ELO1, not {text!r:.40}") from None
    return Sprt.between(elo0, elo1)
