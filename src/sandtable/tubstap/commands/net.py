"""`sandtable tubstap-net`: play against the original platform's program over its network protocol."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Annotated

import typer

from sandtable import tubstap
from sandtable.arena.record import FORFEIT, Record
from sandtable.cli import completion
from sandtable.cli.app import App
from sandtable.errors import CONNECTING, MapError, SandtableError, reason_of
from sandtable.files import check_writable, write_whole
from sandtable.texts import shown
from sandtable.tubstap import tbsmap
from sandtable.tubstap.platform import sgf
from sandtable.tubstap.platform.client import RULES, Client
from sandtable.tubstap.platform.connection import PORT, Connection
from sandtable.tubstap.platform.server import accept_two, listen, referee
from sandtable.tubstap.types import SIDES

app = App(
    help="Play over the original TUBSTAP platform's network protocol.\n\nExample: sandtable tubstap-net client muct",
    no_args_is_help=True,
)

Port = Annotated[int, typer.Option(min=0, max=65535, help="TCP port.")]
RecordFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Add the game's record to this file.")]


@app.command()
def client(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            autocompletion=completion.players,
            help="A player, for instance 'muct(seconds_per_turn=10)'.",
        ),
    ],
    host: Annotated[str, typer.Option(help="Address of the server.")] = "127.0.0.1",
    port: Port = PORT,
    seed: Annotated[int, typer.Option(help="Random seed of the player.")] = 0,
    record: RecordFile = None,
) -> None:
    """Play one game as a client of the platform, or of `sandtable tubstap-net server`.

    Example: sandtable tubstap-net client "muct(seconds_per_turn=10)" --port 7777
    """
    check_writable(record)
    try:
        peer = socket.create_connection((host, port), timeout=60)
    except CONNECTING as error:
        raise SandtableError(f"{host:.100}:{port}: {reason_of(error)}") from None
    connection = Connection(peer)
    with contextlib.closing(connection):
        _report(Client(connection, spec, seed).play(), record)


@app.command()
def server(
    map: Annotated[
        str,
        typer.Option(
            "--map",
            autocompletion=completion.names(tubstap.GAME.shipped),
            help="A TUBSTAP map: a file, or the name of a shipped map.",
        ),
    ],
    rules: Annotated[str, typer.Option(help="Rules: original or platform.")] = RULES,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets clients on other machines connect.")
    ] = "127.0.0.1",
    port: Port = PORT,
    seconds: Annotated[
        float, typer.Option(min=0.001, max=100_000, help="Seconds that a client has for each answer.")
    ] = 600.0,
    record: RecordFile = None,
) -> None:
    """Referee one game between two clients; the first to connect is red. The exit code is 1 if one of them forfeits.

    Example: sandtable tubstap-net server --map ford
    """
    check_writable(record)
    if rules not in sgf.RULES:
        raise MapError(f"rules: the platform plays {' or '.join(sgf.RULES)}, not {rules!r:.40}")
    scenario = tubstap.load(map.removeprefix("tubstap:"), rules)
    tbsmap.format(scenario)  # reports a map that cannot be sent before anybody waits for a client
    with listen(host, port) as listening:
        bound = listening.getsockname()
        print(f"listening on {bound[0]}:{bound[1]}; the first client is red", flush=True)
        clients = accept_two(listening, seconds)
    with contextlib.closing(clients[0]), contextlib.closing(clients[1]):
        game = referee(scenario, clients)
    _report(game, record)
    if (game.reason or "").startswith(FORFEIT):
        raise typer.Exit(1)


def _report(game: Record, path: Path | None) -> None:
    outcome = "a draw" if game.winner is None else f"{SIDES[game.winner]} wins"
    names = f"{game.players[0]} (red) against {game.players[1]} (blue)"
    print(shown(f"{names}: {outcome} after {game.turns} turns, {game.reason}"))
    if path:
        before = path.read_bytes() if path.exists() else b""
        write_whole(path, before + game.to_line().encode() + b"\n")
