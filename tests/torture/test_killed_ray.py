"""A tournament on Ray loses no game, counts none twice and leaves no process behind, whether its workers or its driver
are killed."""

import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandtable.arena.store import Store
from sandtable.errors import StoreError
from support import commands
from support.processes import Program, send_signal, wait_until
from support.stored_games import games
from support.torture import size

pytest.importorskip("ray", reason="Ray is not installed: pip install 'sandtable[ray]'")

GAMES = 100  # of each pair on each map
TOML = f"""
players = ["random", "greedy", "uct(simulations=20)"]
maps = ["duel", "ford"]
games = {GAMES}
"""
TOTAL = 3 * 2 * GAMES
WORKING = "ray::run_batch"  # the title of a worker that has tasks


class Cup:
    """The tournament on Ray, in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "cup"
        self.folder.mkdir()
        (self.folder / "cup.toml").write_text(TOML)
        self._programs: list[Program] = []

    def start(self) -> Program:
        command = commands.command("tournament", "cup.toml", "--ray", "local")
        self._programs.append(Program(command, self.folder, self.folder.parent))
        return self._programs[-1]

    def played(self) -> int:
        """The number of games in the store, which may be unfinished itself."""
        try:
            with Store(self.folder / "cup.sqlite", write=False) as store:
                return sum(often for name in store.tournaments() for *_, often in store.scores(name, GAMES))
        except StoreError:
            return 0

    def wait_for(self, least: int, program: Program) -> None:
        """Wait until the store has at least this many games, or the program has ended."""
        wait_until(lambda: program.has_ended or self.played() >= least, f"{least} games are played")

    def end_all(self) -> None:
        for program in self._programs:
            program.end_all()


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    made = Cup(tmp_path)
    yield made
    made.end_all()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "cup.toml").write_text(TOML)
    commands.sandtable("tournament", "cup.toml", "--workers", 1, cwd=folder)
    return games(folder / "cup.sqlite")


def assert_ended_well(program: Program) -> None:
    assert program.process.wait() == 0, program.errors.read_text()
    assert "Traceback" not in program.errors.read_text()
    program.wait_until_none_is_left()


def test_killed_workers_lose_no_game(cup: Cup, undisturbed: list[Any]) -> None:
    chance = random.Random(1)
    wanted = size(20)
    program = cup.start()
    kills = 0
    for number in range(1, wanted + 1):
        # Games must be played between two kills: a task whose worker is killed three times fails.
        cup.wait_for(number * TOTAL // (wanted + 1), program)
        while not (working := program.running(WORKING)) and not program.has_ended:
            pass
        kills += bool(working) and send_signal(chance.choice(working), signal.SIGKILL)
    assert_ended_well(program)
    assert games(cup.folder / "cup.sqlite") == undisturbed
    assert kills
    print(f"\n{kills} workers killed in one tournament of {TOTAL} games on Ray")


def test_a_killed_driver_loses_no_game(cup: Cup, undisturbed: list[Any]) -> None:
    wanted = size(5)
    before = []
    for number in range(1, wanted + 1):
        program = cup.start()
        cup.wait_for(number * TOTAL // (wanted + 1), program)
        if not program.has_ended:
            program.process.kill()
            program.process.wait()
            before.append(cup.played())
        program.wait_until_none_is_left()
    assert_ended_well(cup.start())
    assert games(cup.folder / "cup.sqlite") == undisturbed
    assert before == sorted(before)
    assert before
    print(f"\nthe driver killed {len(before)} times, with {before} of {TOTAL} games played")
