"""A newcomer's first hour: everything the README promises, from a wheel in a clean environment, command by command.

`python tests/first_hour.py WHEEL FOLDER` makes the environment and the newcomer's working directory in FOLDER, which
must not exist. Nothing of the source tree is on the path there. It stops at the first command that fails or does not
say what it should, and shows what it printed. `make ci` runs it.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

from support.pages import ROOT, blocks, files

LOCKS = ROOT / "locks"

CUP = """\
name = "cup"
players = ["random", "greedy", "sandtable(simulations=16)"]
maps = ["duel"]
games = 2
"""

TRAINED = 'pvmcts(net="runs/mine/net.safetensors", simulations=8)'

# (command, a pattern that its output must contain)
WITHOUT_RUNTIMES: tuple[tuple[str, str], ...] = (
    (
        "sandtable match 'sandtable(simulations=16)' random --map duel --games 2",
        r"sandtable\(simulations=16\)( against)? +random",
    ),
    ("sandtable match 'sandtable(rounds=2)' random --map italy --games 2", r"sandtable\(rounds=2\)( against)? +random"),
)
WITH_PLAY: tuple[tuple[str, str], ...] = (
    ("sandtable", "To begin with"),
    ("sandtable maps list", "crossroads"),
    ("sandtable maps show ford --svg ford.svg", "red to move"),
    ("sandtable maps show italy", "Sardegna"),
    ("sandtable maps generate planar --territories 12 --out land.json", ""),
    ("sandtable maps check land.json", ""),
    ("sandtable players", "coevolution"),
    ("sandtable players uct", "simulations"),
    ("sandtable match sandtable greedy --map ford --games 4 --store first.sqlite", r"sandtable +greedy"),
    ("sandtable show first.sqlite --game 1 --moves --svg end.svg", "sandtable against greedy"),
    ("sandtable ratings first.sqlite --table --svg table.svg", "Elo"),
    ("sandtable games export first.sqlite --out games.jsonl", ""),
    ("sandtable show games.jsonl --verify", "4 games replayed"),
    ("sandtable match flow random --rules soares2025-text --map italy --games 2", "random"),
    ("sandtable match 'sandtable(rounds=20)' random --map land.json --games 2", "random"),
    ("sandtable tournament cup.toml", "greedy"),
    ("sandtable show cup.sqlite --game 1", "cup|against"),
    ("sandtable puzzles list", "finish"),
    ("sandtable puzzles --theme finish --player 'uct(simulations=50)' --seeds 1", "solved in"),
    ("sandtable demo --games 2", "The games are in demo.jsonl"),
    ("sandtable perft crossroads 2", r"\d"),
    ("python readme.py", r"uct\(simulations=200\)"),
    ("python arena.py", r"uct\(simulations=20\) +greedy|greedy +uct\(simulations=20\)"),
    ("sandtable check-player mine:Hunter --games 1", ""),
    ("sandtable recipes", "tubstap-fast"),
    ("sandtable recipes copy tubstap-fast mine.toml", "mine.toml"),
)
WITH_LEARN: tuple[tuple[str, str], ...] = (
    ("sandtable train mine.toml --workers 1", "net"),
    (f"sandtable match {shlex.quote(TRAINED)} random --map duel --games 2", "random"),
)


@dataclass
class Newcomer:
    """A clean environment, and the working directory of whoever uses it."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.commands = self.folder / "env" / "bin"
        kept = ("HOME", "LANG", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        self.environment = {name: os.environ[name] for name in kept if name in os.environ} | pip
        self.environment["PATH"] = f"{self.commands}:/usr/local/bin:/usr/bin:/bin"
        self.environment["OMP_NUM_THREADS"] = "1"
        self.run("python3 -m venv --without-pip env", where=self.folder, python=sys.executable)

    def run(self, command: str, pattern: str = "", where: Path | None = None, python: str | None = None) -> str:
        """Run a command, print it with its time, and stop the hour if it goes wrong."""
        print(f"$ {command}", flush=True)
        words = shlex.split(command)
        words[0] = python or str(self.commands / words[0])
        began = time.monotonic()
        done = subprocess.run(
            words,
            cwd=where or self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"    {time.monotonic() - began:.1f} s", flush=True)
        if done.returncode:
            self._stop(command, f"exit code {done.returncode}", done.stdout)
        if not re.search(pattern, done.stdout):
            self._stop(command, f"its output has nothing like {pattern!r}", done.stdout)
        return done.stdout

    def pip(self, words: str) -> None:
        """Install with the pip of this Python into the clean environment."""
        self.run(f"python -m pip --python {self.commands / 'python'} --quiet {words}", python=sys.executable)

    def _stop(self, command: str, what: str, output: str) -> None:
        sys.exit(f"{output}\nfirst hour: {command}: {what}")


def play_on_the_page(newcomer: Newcomer) -> None:
    """`sandtable play`: the page is served whole, and the champions of both games answer a turn."""
    newcomer.run("python -c 'import importlib.util; print(importlib.util.find_spec(\"torch\"))'", r"^None$")
    words = [str(newcomer.commands / "sandtable"), "play", "--no-open", "--port", "0", "--store", "page.sqlite"]
    print("$ sandtable play", flush=True)
    server = subprocess.Popen(
        words, cwd=newcomer.work, env=newcomer.environment, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        index = urlopen(address).read().decode()
        for name in re.findall(r'(?:href|src)="(/[^"]+)"', index):
            if not urlopen(address.rstrip("/") + name).read():
                sys.exit(f"first hour: sandtable play: {name} is empty")
        with connect(address.replace("http", "ws") + "api/live", max_size=None) as page:
            for game, map, nothing in (("tubstap", "duel", None), ("conquest", "simple", [])):
                seats = [{"kind": "human"}, {"kind": "player", "level": "champion"}]
                page.send(json.dumps({"id": 1, "do": "new_game", "game": game, "map": map, "sides": seats}))
                id = _answer(page)["game_id"]
                page.send(json.dumps({"id": 1, "do": "move", "game_id": id, "ply": 0, "move": nothing}))
                while not any(one["side"] == 1 for one in json.loads(page.recv(timeout=300)).get("played", ())):
                    pass
    finally:
        server.send_signal(signal.SIGINT)
        code = server.wait()
    if code:
        sys.exit(f"first hour: sandtable play: Ctrl-C ended it with {code}")


def _answer(page: ClientConnection) -> Any:
    while "re" not in (message := json.loads(page.recv(timeout=300))):
        pass
    return message["ok"]


def save_examples(work: Path) -> None:
    """What a newcomer copies from the README and the docs."""
    (work / "readme.py").write_text("\n".join(blocks(ROOT / "README.md", "python")), encoding="utf-8")
    for name, content in files(ROOT / "docs" / "tutorials" / "your-own-player.md"):
        (work / name).write_text(content, encoding="utf-8")
    match = next(block for block in blocks(ROOT / "docs" / "arena.md", "python") if "st.match(" in block)
    (work / "arena.py").write_text(match, encoding="utf-8")
    (work / "cup.toml").write_text(CUP, encoding="utf-8")


def shorten_recipe(recipe: Path) -> None:
    """Make the copy of a recipe end after a few seconds, as whoever tries it would."""
    text = recipe.read_text(encoding="utf-8")
    text = re.sub(r"^minutes = .*$", "minutes = 0.1", text, flags=re.MULTILINE)
    recipe.write_text(re.sub(r"^snapshots = .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")


def main(wheel: Path, folder: Path) -> None:
    began = time.monotonic()
    newcomer = Newcomer(folder.resolve())
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'play.txt'}")
    newcomer.pip(f"install --no-deps {wheel.resolve()}")
    newcomer.pip("check")
    # The core runs the champions' networks: nothing but the package's own requirements is needed.
    newcomer.pip("uninstall --yes onnxruntime")
    for command, pattern in WITHOUT_RUNTIMES:
        newcomer.run(command, pattern)
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'play.txt'}")
    save_examples(newcomer.work)
    for command, pattern in WITH_PLAY:
        newcomer.run(command, pattern)
    play_on_the_page(newcomer)
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'learn.txt'}")
    newcomer.pip(f"install -c {ROOT / 'constraints.txt'} torch")
    shorten_recipe(newcomer.work / "mine.toml")
    for command, pattern in WITH_LEARN:
        newcomer.run(command, pattern)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = f"{time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
    print(f"first hour: all went well, in {spent}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} WHEEL FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
