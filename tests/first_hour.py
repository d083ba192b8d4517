"""A newcomer's first hour: everything the README promises, from a wheel in a clean environment, command by command.

`python tests/first_hour.py WHEEL FOLDER` makes the environment and the newcomer's working directory in FOLDER, which
must not exist. The source tree is not on the path there. The script stops at the first command that fails or whose
output is not as expected, and shows this output. `make ci` runs it.
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

CRASH = """\
class Crash:
    games = ("tubstap",)

    def act(self, state, side):
        return self.best(state.moves()[:0])

    def best(self, moves):
        return moves[0]
"""

LONG = "sandtable match 'uct(simulations=1000)' greedy --map ford --games 10 --store long.sqlite"
TRAINED = 'pvmcts(net="runs/mine/net.safetensors", simulations=8)'

# (command, a pattern that its output must contain)
WITHOUT_RUNTIMES: tuple[tuple[str, str], ...] = (
    (
        "sandtable match 'sandtable(simulations=16)' random --map duel --games 2",
        r"sandtable\(simulations=16\)( against)? +random",
    ),
    ("sandtable match 'sandtable(rounds=2)' random --map italy --games 2", r"sandtable\(rounds=2\)( against)? +random"),
)
# Commands that are refused, each with one line.
REFUSED: tuple[tuple[str, str], ...] = (
    ("sandtable match 'minimax(evaluator=gcn_4)' random --map duel", r"gcn_4: .*pip install 'sandtable\[onnx\]'"),
    ("sandtable train tubstap-fast", r"training needs torch.*pip install 'sandtable\[learn\]'"),
    ("sandtable match greedy randm --map ford", "did you mean 'random'"),
    ("sandtable match greedy random --map frod", "did you mean 'ford'"),
    ("sandtable match mcts flow --map italy --rules soares2025-txt", "did you mean 'soares2025-text'"),
    ("sandtable maps generate complex --count 3 --out one.json", "3 maps need a folder"),
    ("sandtable train nothing", "conquest-fast, tubstap-fast"),
)
WITH_PLAY: tuple[tuple[str, str], ...] = (
    ("sandtable", "To begin with"),
    ("sandtable --version", r"^sandtable \d+\.\d+"),
    ("sandtable --help", "Play and watch(.|\n)*Compete(.|\n)*Learn(.|\n)*Reproduce(.|\n)*Look inside"),
    ("sandtable maps list", "crossroads"),
    ("sandtable maps show ford --svg ford.svg", "red to move"),
    ("sandtable maps show italy", "Sardegna"),
    ("sandtable maps generate planar --territories 12 --out land.json", ""),
    ("sandtable maps check land.json", ""),
    ("sandtable players", "coevolution"),
    ("sandtable players uct", "simulations"),
    ("sandtable match sandtable greedy --map ford --games 4 --store first.sqlite", r"sandtable +greedy"),
    ("sandtable show first.sqlite --game 1 --moves --svg end.svg", "sandtable against greedy"),
    ("sandtable show first.sqlite --game 2 --html game.html --simulations 10", "wrote game.html"),
    ("sandtable games first.sqlite", r"(?m)^4 .*sandtable \| greedy \| ford"),
    ("sandtable ratings first.sqlite --table --svg table.svg", "Elo"),
    ("sandtable games export first.sqlite --out games.jsonl", ""),
    ("sandtable show games.jsonl --verify", "4 games replayed"),
    ("sandtable match flow random --rules soares2025-text --map italy --games 2", "random"),
    ("sandtable match greedy random --map ford --set-rule turn_limit=4 --games 2 --store short.sqlite", "greedy"),
    ("sandtable games short.sqlite", r"(?m)^2 .* 4 *$"),
    ("sandtable match 'sandtable(rounds=20)' random --map land.json --games 2", "random"),
    ("sandtable tournament cup.toml", "cup: 6 of 6 games(.|\n)*Elo(.|\n)*sandtable show cup.sqlite"),
    ("sandtable tournament cup.toml", r"^cup: 6 of 6 games"),  # all games are stored already
    ("sandtable show cup.sqlite --game 6 --moves", r"0: \d+:\d+,\d+x?\d*: red \w+ at .* (goes to|stays)"),
    ("sandtable puzzles list", "finish"),
    ("sandtable puzzles --theme finish --player 'uct(simulations=50)' --seeds 1", "solved in"),
    ("sandtable demo --games 2", "The games are in demo.jsonl"),
    ("sandtable perft crossroads 2 --rules li2022", "depth 2: 50673"),
    ("python readme.py", r"uct\(simulations=200\)"),
    ("python objects.py", r"<Record tubstap: greedy against random, .*> Move\(unit="),
    ("python arena.py", r"uct\(simulations=20\) +greedy|greedy +uct\(simulations=20\)"),
    ("sandtable check-player mine:Hunter --games 1", "not checked: analyses: it has no analyse"),
    ("sandtable match mine:Hunter random --map ford --games 2 --store hunter.sqlite", "mine:Hunter"),
    ("sandtable recipes", "tubstap-fast"),
    ("sandtable recipes show conquest-fast", r"(?m)^minutes = \d+"),
    ("sandtable recipes copy tubstap-fast mine.toml", "mine.toml"),
)


@dataclass
class Newcomer:
    """A clean environment, and a working directory for its user."""

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

    def run(
        self, command: str, pattern: str = "", code: int = 0, where: Path | None = None, python: str | None = None
    ) -> str:
        """Run a command and print it with its time. Stop if its exit code or its output is not as expected."""
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
        if done.returncode != code:
            self._stop(command, f"exit code {done.returncode}", done.stdout)
        if not re.search(pattern, done.stdout):
            self._stop(command, f"its output has nothing like {pattern!r}", done.stdout)
        return done.stdout

    def refused(self, command: str, pattern: str) -> None:
        """Run a command that must say in one line why it is refused."""
        said = self.run(command, pattern, code=2)
        if said.count("\n") != 1:
            self._stop(command, "more than one line", said)

    def interrupted(self, command: str, line: str, pattern: str) -> None:
        """Press Ctrl-C when the command has printed the line: it must say how to continue."""
        print(f"$ {command} ^C", flush=True)
        words = shlex.split(command)
        with subprocess.Popen(
            [str(self.commands / words[0]), *words[1:]],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,  # Ctrl-C goes to all processes of a command
        ) as process:
            assert process.stdout is not None
            said = ""
            while line not in said and (read := process.stdout.readline()):
                said += read
            os.killpg(process.pid, signal.SIGINT)
            said += process.communicate()[0]
        if process.returncode != 130 or not re.search(pattern, said):
            self._stop(command, f"exit code {process.returncode} after Ctrl-C, or nothing like {pattern!r}", said)

    def pip(self, words: str) -> None:
        """Run the pip of this Python on the clean environment."""
        self.run(f"python -m pip --python {self.commands / 'python'} --quiet {words}", python=sys.executable)

    def _stop(self, command: str, what: str, output: str) -> None:
        sys.exit(f"{output}\nfirst hour: {command}: {what}")


def play_on_the_page(newcomer: Newcomer) -> None:
    """`sandtable play` serves all files of the page, and the champions of both games answer a turn."""
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
    """Save the examples that a newcomer copies from the README and the docs."""
    (work / "readme.py").write_text("\n".join(blocks(ROOT / "README.md", "python")), encoding="utf-8")
    for name, content in files(ROOT / "docs" / "tutorials" / "your-own-player.md"):
        (work / name).write_text(content, encoding="utf-8")
    match = next(block for block in blocks(ROOT / "docs" / "arena.md", "python") if "st.match(" in block)
    (work / "arena.py").write_text(match, encoding="utf-8")
    (work / "objects.py").write_text("\n".join(blocks(ROOT / "docs" / "python.md", "python")), encoding="utf-8")
    (work / "cup.toml").write_text(CUP, encoding="utf-8")
    (work / "crash.py").write_text(CRASH, encoding="utf-8")


def stop_and_crash(newcomer: Newcomer) -> None:
    """Interrupt a match with Ctrl-C and continue it; then run a user's player that raises an error."""
    newcomer.interrupted(LONG, "match: 0 of 10 games", "stopped; the finished games are in long.sqlite.* to continue")
    newcomer.run(LONG, r" 10 +\d+-\d+-\d+ ")
    where = r"IndexError: .* \(at crash.py:5 in act, crash.py:8 in best\)"
    crash = "sandtable match crash:Crash random --map ford --games 2 --store crash.sqlite"
    said = newcomer.run(crash, rf"and 1 more game\): {where}", code=1)
    if "Traceback" in said:
        sys.exit(f"{said}\nfirst hour: {crash}: it printed a traceback")
    newcomer.run("sandtable games crash.sqlite", where)


def set_minutes(recipe: Path, minutes: float) -> None:
    """Change the length of a copied recipe, and remove its snapshots."""
    text = recipe.read_text(encoding="utf-8")
    text = re.sub(r"^minutes = .*$", f"minutes = {minutes}", text, flags=re.MULTILINE)
    recipe.write_text(re.sub(r"^snapshots = .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")


def train_and_extend(newcomer: Newcomer) -> None:
    """Train for a few seconds and extend the training by raising `minutes`; other changes of its recipe are refused."""
    recipe, train = newcomer.work / "mine.toml", "sandtable train mine.toml --workers 1"
    set_minutes(recipe, 0.1)
    newcomer.run(train, r"100% of 0\.1 minutes(.|\n)*runs/mine/net\.safetensors")
    newcomer.run(train, "this training has ended; more games or minutes in its recipe extend it")
    set_minutes(recipe, 0.5)
    newcomer.run(train, r"100% of 0\.5 minutes")
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("rate = 0.001", "rate = 0.01"), encoding="utf-8")
    newcomer.refused(train, r"differs in recipe\.learning\.rate; only .*recipe\.minutes.* may change")
    newcomer.run(f"sandtable match {shlex.quote(TRAINED)} random --map duel --games 2", "random")


def main(wheel: Path, folder: Path) -> None:
    began = time.monotonic()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    newcomer = Newcomer(folder.resolve())
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'play.txt'}")
    newcomer.pip(f"install --no-deps {wheel.resolve()}")
    newcomer.pip("check")
    # The core runs the champions' networks: the package's own requirements are enough.
    newcomer.pip("uninstall --yes onnxruntime")
    for command, pattern in WITHOUT_RUNTIMES:
        newcomer.run(command, pattern)
    for command, pattern in REFUSED:
        newcomer.refused(command, pattern)
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'play.txt'}")
    save_examples(newcomer.work)
    for command, pattern in WITH_PLAY:
        newcomer.run(command, pattern)
    stop_and_crash(newcomer)
    play_on_the_page(newcomer)
    newcomer.pip(f"install --require-hashes -r {LOCKS / 'learn.txt'}")
    newcomer.pip(f"install -c {ROOT / 'constraints.txt'} torch")
    train_and_extend(newcomer)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = f"{time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
    print(f"first hour: all went well, in {spent}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} WHEEL FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
