"""A training on a Ray cluster of two nodes that share no files: each has its own home and working folder, and no
worker can open a file of the training's folder."""

import json
import secrets
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import sandtable as st
from sandtable.nets import checkpoints, evaluators
from support import commands
from support.processes import Program, wait_until
from support.small_training import TOML

pytest.importorskip("ray", reason="Ray is not installed: pip install 'sandtable[ray]'")

# Runs in every process of a node: hides the folder, and logs the networks that are read in the node's home.
SITE = """
import os, sys

def watch(event, arguments):
    if event != "open" or not isinstance(arguments[0], str):
        return
    if arguments[0].startswith(os.environ["HIDDEN"]):
        raise PermissionError("another machine's: " + arguments[0])
    if arguments[0].endswith(".safetensors"):
        with open(os.environ["HOME"] + "/read", "a") as file:
            file.write(arguments[0] + chr(10))

sys.addaudithook(watch)
"""
MINUTES = 3
STRENGTH = """
[strength]
every = 1
games = 2
simulations = 2
opponents = ["pvmcts(net='own.safetensors', simulations=2)"]
maps = ["field.json"]
"""
# Games take longer than updates; otherwise one node keeps the learner busy, and the other gets no tasks.
RECIPE = (
    TOML.replace("games = 8\n", f"minutes = {MINUTES}\n", 1)
    .replace("red = 1, blue = 1", "red = 4, blue = 4")
    .replace("simulations = 3\n", "simulations = 200\n")
    .replace("updates_per_game = 1\n", "updates_per_game = 0.5\n")
) + STRENGTH


class Cluster:
    def __init__(self, folder: Path, hidden: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        site = folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE)
        self._folder, self._of_nodes = folder, [f"PYTHONPATH={site}", f"HIDDEN={hidden}"]
        self._programs: list[Program] = []
        self.homes: list[Path] = []

    def add(self, *options: str) -> None:
        home = self._folder / f"node{len(self.homes)}"
        home.mkdir()
        ray = str(Path(sys.executable).with_name("ray"))
        command = ["env", f"HOME={home}", *self._of_nodes, ray, "start", *options, "--num-cpus", "1", "--block"]
        self.start(command, home)
        self.homes.append(home)
        wait_until(lambda: "Ray runtime started" in (home / "out").read_text(), "the node has started")

    def start(self, command: Sequence[str], folder: Path) -> Program:
        self._programs.append(Program(command, folder, folder))
        return self._programs[-1]

    def end(self) -> None:
        for program in reversed(self._programs):
            program.end_all()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    made = Cluster(tmp_path, tmp_path / "driver")
    try:
        made.add("--head", "--port", made.address.rpartition(":")[2], "--include-dashboard", "false")
        made.add("--address", made.address)
        yield made
    finally:
        made.end()


def test_a_training_uses_both_nodes(cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "driver"
    folder.mkdir()
    (folder / "small.toml").write_text(RECIPE)
    checkpoints.copy(evaluators.locate("sandtable"), folder / "own.safetensors")
    st.tubstap.save(st.tubstap.load("kimura-map01"), folder / "field.json")
    program = cluster.start(commands.command("train", "small.toml", "--ray", cluster.address), folder)
    wait_until(lambda: program.has_ended, "the training has ended")
    assert program.process.wait() == 0, program.errors.read_text()
    nets = [opened(home) for home in cluster.homes]
    assert all(found - {"own", "00000000"} for found in nets), "both nodes played with weights that were learnt"
    assert any("own" in found for found in nets), "one of them against the opponent"
    figures = [json.loads(line) for line in (folder / "runs/small/progress.jsonl").read_text().splitlines()]
    assert figures[-1]["minutes"] >= MINUTES
    checkpoints.load(folder / "runs/small/net.safetensors")
    print(f"{figures[-1]['games']} games, new networks on the nodes: {[len(found) - 1 for found in nets]}")


def opened(home: Path) -> set[str]:
    """The names of the networks that the node has read."""
    return {Path(line).stem for line in (home / "read").read_text().split()} if (home / "read").exists() else set()
