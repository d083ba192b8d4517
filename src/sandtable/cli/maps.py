"""`sandtable maps`: list, show, check, convert and generate maps."""

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.cli.output import say_written, table
from sandtable.cli.rule_options import RulesName, SetRule, rule_choice
from sandtable.errors import SandtableError, nearest, reason_of
from sandtable.files import check_writable, write_whole
from sandtable.games import Summary, game_of, games
from sandtable.games.sources import MapSource, find
from sandtable.texts import shown, shown_line

app = App(help="List, show, check, convert and generate maps.\n\nExample: sandtable maps list", no_args_is_help=True)

MapName = Annotated[
    str,
    typer.Argument(metavar="MAP", autocompletion=completion.maps, help="A map's file, or the name of a shipped map."),
]

GENERATORS = {generator: one for one in games() for generator in one.generators}
ENDINGS = [*dict.fromkeys(ending for one in games() for ending in one.formats), ".svg"]


@app.command("list")
def list_maps() -> None:
    """List the maps that come with the package.

    Example: sandtable maps list
    """
    found = table("map", "game", "size", "rules", "about")
    for game in games():
        for name in game.shipped():
            about = game.summary(game.load(name))
            found.add_row(name, game.name, about.size, about.rules, about.comment)
    Console().print(found)


@app.command()
def show(
    map: MapName,
    rules: RulesName = None,
    set_rule: SetRule = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file as well.")] = None,
) -> None:
    """Print a map; with --svg, also write it as a picture.

    Example: sandtable maps show ford --svg ford.svg
    """
    if svg:
        _check_svg(svg)
        check_writable(svg)
    position = rule_choice(rules, set_rule).load(map)
    game = game_of(position)
    about = game.summary(position)
    console = Console(highlight=False)
    console.print(f"{position.name}: {_size_and_rules(about)}", style="bold", markup=False)
    if about.comment:
        console.print(about.comment, markup=False)
    console.print(game.text(position), no_wrap=True, crop=False, overflow="ignore")
    if game.legend:
        console.print(game.legend, style="dim")
    if svg:
        write_svg(position, svg)
        say_written(svg)


@app.command()
def check(
    maps: Annotated[
        list[str],
        typer.Argument(metavar="MAP...", autocompletion=completion.maps, help="Files, or names of shipped maps."),
    ],
    rules: RulesName = None,
    set_rule: SetRule = None,
) -> None:
    """Check that maps can be read and played. The exit code is 2 if one cannot.

    Example: sandtable maps check my.tbsmap
    """
    bad, choice = 0, rule_choice(rules, set_rule)
    for name in maps:
        try:
            position = choice.load(name)
        except (SandtableError, OSError) as error:
            bad += 1
            said = f"{error.filename}: {reason_of(error)}" if isinstance(error, OSError) else str(error)
            print("bad: " + shown(said.replace("\n", " ")), file=sys.stderr)
            continue
        game = game_of(position)
        print(f"ok: {shown_line(str(name))}: {_size_and_rules(game.summary(position))}")
        for remark in game.remarks(position):
            print(f"  remark: {remark}")
    if bad:
        raise typer.Exit(2)


@app.command()
def convert(
    map: MapName,
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help=f"The file to write. Its ending is one of {', '.join(ENDINGS)}."),
    ],
    rules: RulesName = None,
    set_rule: SetRule = None,
    encoding: Annotated[
        str, typer.Option(help="Encoding of a .tbsmap file: utf-8, or cp932 for the original platform.")
    ] = "utf-8",
) -> None:
    """Convert a map to the format that the ending of OUT names.

    Example: sandtable maps convert my.tbsmap my.json
    """
    _write(rule_choice(rules, set_rule).load(map), out, encoding=encoding)


# Options of a generator are its parameters: --territories 30 is territories=30.
@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def generate(
    context: typer.Context,
    generator: Annotated[
        str,
        typer.Argument(
            metavar="GENERATOR [ITS OPTIONS]",
            autocompletion=completion.generators,
            help=f"One of: {', '.join(GENERATORS)}.",
        ),
    ],
    seed: Annotated[int, typer.Option(help="Seed of the first map.")] = 0,
    count: Annotated[int, typer.Option(min=1, help="Number of maps, with consecutive seeds.")] = 1,
    rules: RulesName = None,
    set_rule: SetRule = None,
    out: Annotated[
        Path | None, typer.Option(help="The file, or with --count the folder. Default: print the map.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Format of the files in a folder: the ending of a map file, or svg.")
    ] = None,
) -> None:
    """Generate maps from a seed, as the papers did. The generator's own options follow its name, such as --size 10.

    Example: sandtable maps generate complex --seed 1 --count 100 --out maps
    """
    source = _generator(generator)
    options = _options(source, context.args)
    chosen = rule_choice(rules, set_rule).of_generator(source)
    if chosen is not None:
        options["rules"] = chosen
    folder = _folder(out, count, (".svg", *source.game.formats))
    if format and not folder:
        raise SandtableError("--format applies to files in a folder; the ending of a single file determines its format")
    ending = f".{format}" if format else source.game.formats[0]
    for number in range(seed, seed + count):
        position = source.generate(number, **options)
        if folder:
            _save(position, folder / f"{position.name}{ending}")
        elif out:
            _write(position, out)
        else:
            sys.stdout.write(source.game.format(position))
    if folder:
        say_written(folder, f": {count} map{'s' * (count > 1)}")


def _size_and_rules(about: Summary) -> str:
    return f"{about.size}, rules {about.rules}" if about.size else f"rules {about.rules}"


def _folder(out: Path | None, count: int, endings: Sequence[str]) -> Path | None:
    """The folder for several maps, or for one map if `out` is a folder; None: write one file, or print."""
    if count > 1 and not out:
        raise SandtableError("several maps need a folder: add --out FOLDER")
    if out is None or (count == 1 and not out.is_dir()):
        return None
    if out.suffix in endings and not out.is_dir():
        raise SandtableError(f"--out {out}: {count} maps need a folder, but this is a file's name; try {out.stem}")
    out.mkdir(parents=True, exist_ok=True)
    return out


def write_svg(position: Any, path: Path) -> None:
    """Write a map or state as a picture."""
    _check_svg(path)
    write_whole(path, game_of(position).svg(position).encode())


def _check_svg(path: Path) -> None:
    if path.suffix != ".svg":
        raise SandtableError(f"{path}: a picture's file name must end in .svg")


def _write(position: Any, path: Path, **options: Any) -> None:
    """Write the map in the format of the path's ending, which may be .svg, and say so."""
    _save(position, path, **options)
    say_written(path)


def _save(position: Any, path: Path, **options: Any) -> None:
    if path.suffix == ".svg":
        write_svg(position, path)
    else:
        game_of(position).save(position, path, **options)


def _generator(name: str) -> MapSource:
    _, colon, generator = name.rpartition(":")
    if colon:
        found = find(name)
        if isinstance(found, MapSource) and found.is_generator:
            return found
    elif generator in GENERATORS:
        return MapSource(GENERATORS[generator], generator, is_generator=True)
    raise SandtableError(
        f"no generator is called {name!r}{nearest(generator, GENERATORS)}; there are {', '.join(GENERATORS)}"
    )


def _options(source: MapSource, words: list[str]) -> dict[str, Any]:
    """The generator's parameters from the words `--name value ...`."""
    accepted = inspect.signature(source.game.generators[source.name]).parameters
    found: dict[str, Any] = {}
    for flag, value in zip(words[::2], [*words[1::2], None], strict=False):
        name = flag.removeprefix("--").replace("-", "_")
        if not flag.startswith("--") or name in ("seed", "rules") or name not in accepted:
            options = ", ".join(f"--{one.replace('_', '-')}" for one in accepted if one not in ("seed", "rules"))
            raise SandtableError(
                f"the generator {source.name} has no option {flag}{nearest(name, accepted)}; it has {options or 'none'}"
            )
        if value is None:
            raise SandtableError(f"the option {flag} needs a value")
        found[name] = _number(value)
    return found


def _number(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
