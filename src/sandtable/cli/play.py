"""`sandtable play`: the page, served on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from sandtable.errors import SandtableError


def play(
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes any free port.", min=0, max=65535)] = 8765,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. Unless it is a loopback address, the printed link contains a token that is "
            "required to open the page."
        ),
    ] = "127.0.0.1",
    token: Annotated[
        bool,
        typer.Option("--token", help="Require the token even on a loopback address, for a machine with several users."),
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page in the browser.")] = False,
    store: Annotated[
        Path | None, typer.Option(help="Keep the games in this file. Default: a file in your user data folder.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Searches that run at the same time. Default: one per core.", min=1, max=64)
    ] = None,
) -> None:
    """Play in the browser: against a level or another person, or watch two players; analyse and replay games.

    Example: sandtable play
    """
    try:
        from sandtable.web.keeping import default_store
        from sandtable.web.serving import serve
    except ImportError as error:
        raise SandtableError(f"the page needs {error.name}: pip install 'sandtable[play]'") from None
    if store is None:
        store = default_store()
        store.parent.mkdir(parents=True, exist_ok=True)
    serve(
        host,
        port,
        store,
        workers=workers,
        with_token=token,
        opened=not no_open,
        say=lambda address: print(address, flush=True),
    )
