"""A small training by self-play, for tests that interrupt it, and the check of its result."""

import json
from pathlib import Path

from safetensors import safe_open

from sandtable.nets import checkpoints
from sandtable.tubstap.training import self_play

GAMES, GAMES_OF_A_TASK = 8, 2
TOML = """
name = "small"
games = 8
seed = 5
[network]
architecture = "tokens_32"
[[maps]]
source = "skirmish"
options = { red = 1, blue = 1 }
[search]
root = "gumbel"
simulations = 3
games = 2
[learning]
optimiser = "adam"
batch = 8
first_update = 4
updates_per_game = 1
publish_every = 3
"""


def check_training(folder: Path) -> None:
    """With two workers the games depend on the clock, but the counts must agree with the stored games."""
    with safe_open(folder / "resume", framework="pt") as file:
        about = json.loads(file.metadata()["training"])
    now, held = about["progress"], about["memory"]
    assert now["games"] == GAMES, "it ends with the task that completes them"
    assert now["updates"] == now["games"]
    tasks = [*range(now["tasks"]), *now["ahead"]]
    assert len(set(tasks)) == len(tasks) == GAMES // GAMES_OF_A_TASK
    assert sorted(held) == sorted(tasks), "all games are still in the replay buffer"
    files = {int(path.stem): self_play.load(path) for path in (folder / "games").glob("*.npz")}
    assert sorted(files) == sorted(tasks)
    numbers = [game.number for task in sorted(files) for game in files[task]]
    assert numbers == [number for task in sorted(tasks) for number in (2 * task, 2 * task + 1)]
    assert now["positions"] == sum(len(game.moves) for games in files.values() for game in games)
    published = folder / "published" / (folder / "published/latest").read_text().strip()
    for net in (folder / "net", published):
        checkpoints.load(net.with_suffix(".safetensors"))
    for line in (folder / "progress.jsonl").read_text().splitlines():
        json.loads(line)
