"""The example bots in every language play whole games of TUBSTAP and Conquest. Part of `make ci`.

If the tools of a language are missing, its tests fail where the variable CI is set, and are skipped elsewhere.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable.arena.bot_check import check_bot
from sandtable.arena.record import FORFEIT
from sandtable.players.bots.bot import Bot

BOTS = Path(__file__).parents[2] / "examples" / "bots"
NEEDED = {"Python": "python3", "C++": "g++", "JavaScript": "node", "Java": "javac"}
SECONDS = 600.0  # the machine may be busy
GAMES = 6


@pytest.fixture(scope="module", params=NEEDED)
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command of the example bot in a language, compiled where necessary."""
    tool = NEEDED[request.param]
    if shutil.which(tool) is None:
        message = f"{tool} is not installed: the example bot in {request.param} is not tested"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    built = tmp_path_factory.mktemp("bots")
    if request.param == "Python":
        return f"python3 {BOTS / 'attack_bot.py'}"
    if request.param == "JavaScript":
        return f"node {BOTS / 'attack_bot.js'}"
    if request.param == "C++":
        warnings = ("-std=c++17", "-Wall", "-Wextra", "-Werror")
        subprocess.run(["g++", *warnings, str(BOTS / "attack_bot.cpp"), "-o", str(built / "bot")], check=True)
        return str(built / "bot")
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-d", str(built), str(BOTS / "AttackBot.java")], check=True)
    return f"java -cp {built} AttackBot"


@pytest.mark.parametrize("map", ["ford", "owl_island"])
def test_an_example_bot_plays_whole_games_and_beats_random(bot: str, map: str) -> None:
    wins = 0
    for seed in range(GAMES):
        player = Bot(command=bot, seconds=SECONDS, start_seconds=SECONDS)
        seats: tuple[Any, Any] = (player, "random") if seed % 2 == 0 else ("random", player)
        record = st.play(st.load(map), seats[0], seats[1], seed=seed)
        assert not (record.reason or "").startswith(FORFEIT), record.reason
        record.verify()
        wins += record.winner == seed % 2
    assert wins > GAMES // 2


def test_the_same_seed_gives_the_same_game(bot: str) -> None:
    player = Bot(command=bot, seconds=SECONDS, start_seconds=SECONDS)
    first, second = (st.play(st.load("duel"), player, "random", seed=3) for _ in range(2))
    assert first.moves == second.moves


def test_an_example_bot_passes_check_bot(bot: str) -> None:
    assert [problem for _, problem in check_bot(bot, games=2, seconds=SECONDS)] == [None] * 12


def test_example_bots_are_shorter_than_100_lines() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in BOTS.iterdir() if path.is_file()}
    assert len(lengths) == len(NEEDED)
    assert max(lengths.values()) < 100


@pytest.mark.parametrize("spec", ["greedy", "flow"])
def test_our_players_served_as_bots_pass_check_bot(spec: str) -> None:
    command = f"{sys.executable} -m sandtable bot {spec}"
    problems = [problem for _, problem in check_bot(command, games=2, seconds=SECONDS)]
    assert problems == [None] * len(problems)
    assert len(problems) > 4
