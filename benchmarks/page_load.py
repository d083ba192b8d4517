"""Many games on the page at once: does the server lose a move, and how fast does it answer while searches run?

    python benchmarks/page_load.py --games 50 --workers 2

Starts `sandtable play` on a free port and plays --games games at once, each as a page on which a person moves at
random against uct(200). An answer's time is from the message to its acknowledgement, without the thinking of the
players. With --pause 0 all pages move as fast as they can, and the answers wait for each other and for the script.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets

from sandtable.arena.record import Record


@dataclass
class Measured:
    answers: list[float] = field(default_factory=list)  # seconds from a move to its acknowledgement
    requests: list[float] = field(default_factory=list)  # seconds of an HTTP request meanwhile
    errors: list[str] = field(default_factory=list)
    sent: dict[str, list[Any]] = field(default_factory=dict)  # moves by game, as they were acknowledged


async def play(address: str, map: str, number: int, pause: float, found: Measured) -> None:
    """Play one game to its end, as a page does."""
    rng = random.Random(number)
    async with websockets.connect(address, max_size=None) as socket:
        sides = [{"kind": "human"}, {"kind": "player", "player": "uct", "count": 200}]
        await socket.send(json.dumps({"id": 0, "do": "new_game", "game": "tubstap", "map": map, "sides": sides}))
        state = json.loads(await socket.recv())["ok"]["state"]
        moves = found.sent[state["id"]] = []
        count = 0
        while not state["view"]["over"]:
            if state["choices"] is None:
                event = json.loads(await socket.recv())
                state = event["state"] if event.get("event") == "game" else state
                continue
            count += 1
            await asyncio.sleep(2 * pause * rng.random())
            move = rng.choice(state["choices"]["moves"])[:4]
            ply = state["view"]["ply"]
            begin = time.perf_counter()
            await socket.send(json.dumps({"id": count, "do": "move", "game_id": state["id"], "ply": ply, "move": move}))
            latest = state
            while True:
                message = json.loads(await socket.recv())
                if message.get("re") == count:
                    break
                latest = message["state"] if message.get("event") == "game" else latest
            found.answers.append(time.perf_counter() - begin)
            if "error" in message:
                found.errors.append(message["error"])
                return
            moves.append([ply, move])
            state = latest


async def browse(address: str, found: Measured, done: asyncio.Event) -> None:
    """Request the list of games again and again, as somebody who opens the page meanwhile."""
    while not done.is_set():
        begin = time.perf_counter()
        await asyncio.to_thread(lambda: urllib.request.urlopen(f"{address}api/games").read())
        found.requests.append(time.perf_counter() - begin)
        await asyncio.sleep(0.2)


async def measure(address: str, map: str, games: int, pause: float) -> Measured:
    found, done = Measured(), asyncio.Event()
    browsing = asyncio.ensure_future(browse(address, found, done))
    live = address.replace("http", "ws") + "api/live"
    results = await asyncio.gather(
        *(play(live, map, number, pause, found) for number in range(games)), return_exceptions=True
    )
    found.errors += [repr(one) for one in results if isinstance(one, BaseException)]
    done.set()
    await browsing
    return found


def lost_moves(address: str, found: Measured) -> int:
    """The number of acknowledged moves that are missing from the server's record of their game."""
    lost = 0
    for id, moves in found.sent.items():
        record = Record.from_line(urllib.request.urlopen(f"{address}api/kept/{id}/record").read().decode())
        record.verify()
        for ply, move in moves:
            lost += _plain(record.moves[ply]) != _plain(move)
    return lost


def _plain(move: Sequence[int | None]) -> list[int]:
    return [-1 if part is None else part for part in move]  # None: no target


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--map", default="duel")
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds that a person thinks before a move")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "games.sqlite"
        command = [sys.executable, "-m", "sandtable", "play", "--no-open", "--port", "0", "--store", str(store)]
        server = subprocess.Popen(
            [*command, "--workers", str(options.workers)], stdout=subprocess.PIPE, text=True, bufsize=1
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            load = os.getloadavg()[0]
            begin = time.perf_counter()
            found = asyncio.run(measure(address, options.map, options.games, options.pause))
            seconds = time.perf_counter() - begin
            lost = lost_moves(address, found)
        finally:
            server.terminate()
            server.wait()
    played = f"{options.games} games on {options.map}, {options.workers} workers"
    print(f"{played}: {seconds:.1f} s, {len(found.answers)} moves")
    print(f"load of the machine: {load:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores")
    for name, values in (("answers to moves", found.answers), ("GET /api/games", found.requests)):
        shown = ", ".join(f"{share:.0%} {1000 * percentile(values, share):.1f} ms" for share in (0.5, 0.95, 0.99))
        print(f"{name}: {shown}")
    print(f"errors: {len(found.errors)} {found.errors[:3]}, lost moves: {lost}")
    sys.exit(bool(found.errors or lost))


if __name__ == "__main__":
    main()
