"""`sandtable play`: the page, served on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from sandtable.errors import SandtableError


def play(
    port: Annotated[int, typer.Option(help="Of the page's address; 0 is any free one.", min=0, max=65535)] = 8765,
    host: Annotated[
        str, typer.Option(help="Where to listen. Anything but this machine itself needs the token in the link.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page in the browser.")] = False,
    store: Annotated[
        Path | None, typer.Option(help="Where the games are kept; by default in your folder for programs' data.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Searches at once; by default one for each core.", min=1, max=64)
    ] = None,
) -> None:
    """Play in the browser: against a level, two at one screen, or watch two players; analyse and replay games.

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
    serve(host, port, store, workers=workers, opened=not no_open, say=lambda address: print(address, flush=True))
