"""`sandtable maps`: list, show, check, convert and generate maps."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sandtable import tubstap
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.tubstap.drawing.terminal import LEGEND

app = typer.Typer(help="List, show, check, convert and generate maps.", no_args_is_help=True)

MapName = Annotated[str, typer.Argument(metavar="MAP", help="A .tbsmap or .json file, or the name of a shipped map.")]
RulesName = Annotated[str | None, typer.Option("--rules", help=f"Rules: {', '.join(tubstap.PRESETS)}.")]


@app.command("list")
def list_maps() -> None:
    """List the maps that come with the package."""
    table = Table("map", "size", "red v blue", "turns", "rules", "about", box=None, pad_edge=False)
    for name in tubstap.maps.shipped():
        scenario = tubstap.load(name)
        limit = scenario.rules.turn_limit if scenario.rules.turn_limit != "map" else scenario.turn_limit
        table.add_row(name, _size(scenario), _sides(scenario), str(limit), scenario.rules.name, scenario.comment)
    Console().print(table)


@app.command()
def show(
    map: MapName,
    rules: RulesName = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file as well.")] = None,
) -> None:
    """Print a map, and write it as a picture if asked."""
    scenario = tubstap.load(map, rules=rules)
    console = Console()
    console.print(f"{scenario.name}: {_size(scenario)}, {_sides(scenario)}, rules {scenario.rules.name}", style="bold")
    if scenario.comment:
        console.print(scenario.comment, markup=False, highlight=False)
    console.print(tubstap.text(scenario), no_wrap=True, crop=False, overflow="ignore")
    console.print(LEGEND, style="dim", highlight=False)
    if svg:
        write_whole(svg, tubstap.svg(scenario).encode())


@app.command()
def check(
    maps: Annotated[list[str], typer.Argument(metavar="MAP...", help="Files, or names of shipped maps.")],
    rules: RulesName = None,
) -> None:
    """Say of each map whether it can be read and played. Exit code 2 if one cannot."""
    bad = 0
    for name in maps:
        try:
            scenario = tubstap.load(name, rules=rules)
        except (SandtableError, OSError) as error:
            bad += 1
            print(f"bad: {error}".replace("\n", " "), file=sys.stderr)
            continue
        print(f"ok: {name}: {_size(scenario)}, {_sides(scenario)}, rules {scenario.rules.name}")
        for remark in tubstap.remarks(scenario):
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
    _write(tubstap.load(map, rules=rules), out, encoding)


@app.command()
def generate(
    generator: Annotated[str, typer.Argument(metavar="GENERATOR", help=", ".join(tubstap.maps.GENERATORS))],
    seed: Annotated[int, typer.Option(help="Seed of the first map.")] = 0,
    count: Annotated[int, typer.Option(min=1, help="Maps to make, with ascending seeds.")] = 1,
    size: Annotated[int | None, typer.Option(help="Playable cells along an edge.")] = None,
    rules: RulesName = None,
    out: Annotated[Path | None, typer.Option(help="A file, or with --count a folder. Default: print the map.")] = None,
    format: Annotated[str, typer.Option(help="Of the files in a folder: tbsmap, json or svg.")] = "tbsmap",
) -> None:
    """Make maps as the papers did, from a seed."""
    if generator not in tubstap.maps.GENERATORS:
        raise SandtableError(f"no generator is called {generator!r}; there are {', '.join(tubstap.maps.GENERATORS)}")
    options = {key: value for key, value in (("size", size), ("rules", rules)) if value is not None}
    folder = out if out and (count > 1 or out.is_dir()) else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        scenario = tubstap.maps.GENERATORS[generator](number, **options)
        if folder:
            _write(scenario, folder / f"{scenario.name}.{format}")
        elif out:
            _write(scenario, out)
        else:
            sys.stdout.write(tubstap.tbsmap.format(scenario))


def _write(scenario: tubstap.Scenario, path: Path, encoding: str = "utf-8") -> None:
    if path.suffix == ".svg":
        write_whole(path, tubstap.svg(scenario).encode())
    else:
        tubstap.save(scenario, path, encoding=encoding)


def _size(scenario: tubstap.Scenario) -> str:
    return f"{scenario.width - 2}x{scenario.height - 2}"


def _sides(scenario: tubstap.Scenario) -> str:
    return " v ".join(str(sum(unit.side == side for unit in scenario.units)) for side in (0, 1))
