"""`sandtable recipes`: the recipes that come with the package, to read and to copy."""

import re
import tomllib
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.cli.output import table, write
from sandtable.errors import SandtableError, nearest
from sandtable.files import check_writable
from sandtable.texts import shown_line

app = App(help="List, show and copy the training recipes that come with the package.\n\nExample: sandtable recipes")

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", autocompletion=completion.recipes, help="A shipped recipe: `sandtable recipes` lists them."
    ),
]


@app.callback(invoke_without_command=True)
def recipes(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    from sandtable.learn.recipe import shipped

    found = table("recipe", "network", "ends after", "about")
    for name, path in shipped().items():
        text = path.read_text(encoding="utf-8")
        keys = tomllib.loads(text)
        end = f"{keys['minutes']} minutes" if keys.get("minutes") else f"{keys['games']} games"
        found.add_row(
            name, keys["network"]["architecture"], end, text.partition("\n")[0].strip("# ").partition(". ")[0]
        )
    console = Console(highlight=False, markup=False)
    console.print(found)
    console.print("sandtable train NAME trains with a recipe; sandtable recipes copy NAME makes a copy to edit.")


@app.command()
def show(name: Name) -> None:
    """Print a recipe.

    Example: sandtable recipes show NAME
    """
    print(_text(name), end="")


@app.command()
def copy(
    name: Name,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Write the copy to this file. Default: NAME.toml.")
    ] = None,
) -> None:
    """Copy a recipe to a file, to edit it there. Its training is named after the file and has a folder of its own.

    Example: sandtable recipes copy NAME mine.toml
    """
    text = _text(name)
    target = file or Path(f"{name}.toml")
    if target.suffix != ".toml":
        raise SandtableError(f"{target}: a recipe's file name must end in .toml")
    if target.exists():
        raise SandtableError(f"{target}: it already exists; choose another file name")
    check_writable(target)
    if re.fullmatch(r"\w[\w.+-]*", target.stem):  # a valid name of a recipe
        text = re.sub(r"^name = .*$", f'name = "{target.stem}"', text, count=1, flags=re.MULTILINE)
    write(target, text.encode())
    print(f"edit it, then: sandtable train {shown_line(str(target))}")


def _text(name: str) -> str:
    from sandtable.learn.recipe import shipped

    known = shipped()
    if name not in known:
        raise SandtableError(f"no recipe is called {name!r:.60}{nearest(name, known)}; there are {', '.join(known)}")
    return known[name].read_text(encoding="utf-8")
