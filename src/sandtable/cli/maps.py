"""`sandtable maps`: list, show, check, convert and generate maps of both games."""

import inspect
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sandtable import conquest, tubstap
from sandtable.any_map import GENERATORS, load
from sandtable.cli import positions
from sandtable.errors import SandtableError, nearest
from sandtable.tubstap.drawing.terminal import LEGEND

app = typer.Typer(help="List, show, check, convert and generate maps.", no_args_is_help=True)

MapName = Annotated[str, typer.Argument(metavar="MAP", help="A .tbsmap or .json file, or the name of a shipped map.")]
RulesName = Annotated[str | None, typer.Option("--rules", help=f"Rules: {', '.join(positions.PRESETS)}.")]


@app.command("list")
def list_maps() -> None:
    """List the maps that come with the package."""
    table = Table("map", "game", "size", "rules", "about", box=None, pad_edge=False)
    for game, maps in positions.GAMES.items():
        for name in maps.shipped():
            position = load(name)
            table.add_row(name, game, positions.size(position), position.rules.name, position.comment)
    Console().print(table)


@app.command()
def show(
    map: MapName,
    rules: RulesName = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file as well.")] = None,
) -> None:
    """Print a map, and write it as a picture if asked."""
    position = load(map, rules)
    console = Console(highlight=False)
    console.print(
        f"{position.name}: {positions.size(position)}, rules {position.rules.name}", style="bold", markup=False
    )
    if position.comment:
        console.print(position.comment, markup=False)
    if isinstance(position, conquest.Land):
        console.print(conquest.text(position), no_wrap=True, crop=False, overflow="ignore")
    else:
        console.print(tubstap.text(position), no_wrap=True, crop=False, overflow="ignore")
        console.print(LEGEND, style="dim")
    if svg:
        positions.write_svg(position, svg)


@app.command()
def check(
    maps: Annotated[list[str], typer.Argument(metavar="MAP...", help="Files, or names of shipped maps.")],
    rules: RulesName = None,
) -> None:
    """Say of each map whether it can be read and played. Exit code 2 if one cannot."""
    bad = 0
    for name in maps:
        try:
            position = load(name, rules)
        except (SandtableError, OSError) as error:
            bad += 1
            print(f"bad: {error}".replace("\n", " "), file=sys.stderr)
            continue
        print(f"ok: {name}: {positions.size(position)}, rules {position.rules.name}")
        if isinstance(position, tubstap.Scenario):
            for remark in tubstap.remarks(position):
                print(f"  remark: {remark}")
    if bad:
        raise typer.Exit(2)


@app.command()
def convert(
    map: MapName,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .tbsmap, .json or .svg.")],
    rules: RulesName = None,
    encoding: Annotated[str, typer.Option(help="Of a .tbsmap: utf-8, or cp932 for the original platform.")] = "utf-8",
) -> None:
    """Write a map in another format, by the ending of OUT."""
    positions.write(load(map, rules), out, encoding)


@app.command()
def generate(
    generator: Annotated[str, typer.Argument(metavar="GENERATOR", help=", ".join(GENERATORS))],
    seed: Annotated[int, typer.Option(help="Seed of the first map.")] = 0,
    count: Annotated[int, typer.Option(min=1, help="Maps to make, with ascending seeds.")] = 1,
    size: Annotated[int | None, typer.Option(help="Of a TUBSTAP map: playable cells along an edge.")] = None,
    units: Annotated[int | None, typer.Option(help="Of `mixed`: units a side.")] = None,
    red: Annotated[int | None, typer.Option(help="Of `battle` and `skirmish`: red's units.")] = None,
    blue: Annotated[int | None, typer.Option(help="Of `battle` and `skirmish`: blue's units.")] = None,
    distance: Annotated[int | None, typer.Option(help="Of `skirmish`: least steps between enemies.")] = None,
    hp_difference: Annotated[
        int | None, typer.Option(help="Of `skirmish`: most by which the HP sums of the sides differ.")
    ] = None,
    rollouts: Annotated[
        int | None, typer.Option(help="Of `local_search`: a decision's, in the games it plays.")
    ] = None,
    territories: Annotated[int | None, typer.Option(help="Of `planar`.")] = None,
    bonuses: Annotated[int | None, typer.Option(help="Of `planar`.")] = None,
    rules: RulesName = None,
    out: Annotated[Path | None, typer.Option(help="A file, or with --count a folder. Default: print the map.")] = None,
    format: Annotated[str | None, typer.Option(help="Of the files in a folder: tbsmap, json or svg.")] = None,
) -> None:
    """Make maps as the papers did, from a seed."""
    if generator not in GENERATORS:
        raise SandtableError(
            f"no generator is called {generator!r}{nearest(generator, GENERATORS)}; there are {', '.join(GENERATORS)}"
        )
    accepted = inspect.signature(GENERATORS[generator]).parameters
    given = {
        "size": size,
        "units": units,
        "red": red,
        "blue": blue,
        "distance": distance,
        "hp_difference": hp_difference,
        "rollouts": rollouts,
        "territories": territories,
        "bonuses": bonuses,
    }
    options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if rules:
        options["rules"] = rules
    for key in options:
        if key not in accepted:
            raise SandtableError(f"the generator {generator} has no option --{key.replace('_', '-')}")
    if count > 1 and not out:
        raise SandtableError("several maps need a folder: add --out FOLDER")
    folder = out if out and (count > 1 or out.is_dir()) else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    if format and not folder:
        raise SandtableError("--format is of the files in a folder; a single file's format is its ending")
    ending = format or ("json" if generator in conquest.maps.GENERATORS else "tbsmap")
    for number in range(seed, seed + count):
        position = GENERATORS[generator](number, **options)
        if folder:
            positions.write(position, folder / f"{position.name}.{ending}")
        elif out:
            positions.write(position, out)
        else:
            sys.stdout.write(positions.text_of(position))
