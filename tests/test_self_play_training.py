"""Training by self-play: a recipe gives the same weights wherever it was stopped; changed and damaged folders."""

import dataclasses
import functools
import json
import multiprocessing
import os
import random
import shutil
import signal
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import sandtable as st
from sandtable.arena.playing import play
from sandtable.errors import CheckpointError, RecipeError, SandtableError
from sandtable.learn import self_play_training
from sandtable.learn.adapter import Played, adapter
from sandtable.learn.recipe import Learning, Network, Recipe, Strength
from sandtable.nets import checkpoints, read_card
from sandtable.tubstap.training import self_play
from support.tiny_trainings import TINY, digests, training_state, with_options

torch.set_num_threads(1)  # as training does


each_network = pytest.mark.parametrize("name", TINY)


Undisturbed = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The state of a training that was never stopped, by the name of its network."""

    @functools.cache
    def trained_without_a_stop(name: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("undisturbed")
        self_play_training.train(TINY[name], folder)
        return training_state(folder)

    return trained_without_a_stop


@each_network
def test_the_same_recipe_gives_the_same_weights(name: str, tmp_path: Path, undisturbed: Undisturbed) -> None:
    seen: list[int] = []
    made = self_play_training.train(TINY[name], tmp_path, watch=lambda now: seen.append(now.games))
    assert made == tmp_path / "net.safetensors"
    assert training_state(tmp_path) == undisturbed(name)
    assert seen == [3, 6, 9]
    about = training_state(tmp_path)["progress"]
    assert about["updates"] == int(9 * TINY[name].learning.updates_per_game)
    assert about["published"] > 0
    card = read_card(made)
    assert (card.architecture, card.training["games"]) == (name, 9)
    assert card.training["recipe"]["seed"] == TINY[name].seed
    other = dataclasses.replace(TINY[name], seed=9)
    self_play_training.train(other, tmp_path / "other")
    assert digests(tmp_path / "other") != digests(tmp_path)


def test_a_finished_training_is_not_changed(tmp_path: Path) -> None:
    self_play_training.train(TINY["tokens_32"], tmp_path)
    before = training_state(tmp_path)
    rows = self_play_training.curve(tmp_path)
    self_play_training.train(TINY["tokens_32"], tmp_path)
    assert training_state(tmp_path) == before
    assert self_play_training.curve(tmp_path) == rows
    assert [row["games"] for row in rows] == [3, 6, 9]
    assert all(row["total_loss"] > 0 for row in rows[1:])
    assert list((tmp_path / "tensorboard").glob("events.*"))


def train_until_killed(made: Recipe, folder: Path, at: int) -> None:
    """Train, and end this child process by SIGKILL before or after the renaming of file `at // 2`."""
    rename, count = Path.replace, 0

    def replace(path: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count == at // 2 and at % 2 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        done = rename(path, target)
        if count == at // 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    Path.replace = replace  # type: ignore[method-assign,assignment]
    self_play_training.train(made, folder)


@each_network
def test_a_training_that_is_killed_repeatedly_gives_the_same_weights(
    name: str, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    """Whatever it was doing: games, an update, publishing weights, a checkpoint."""
    rng, kills = random.Random(6), 0
    while True:
        child = multiprocessing.get_context("fork").Process(
            target=train_until_killed, args=(TINY[name], tmp_path, rng.randint(2, 34))
        )
        child.start()
        child.join()
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        kills += 1
        assert kills < 100
    assert kills >= 3
    assert training_state(tmp_path) == undisturbed(name)


def test_a_training_with_two_workers_resumes(tmp_path: Path) -> None:
    made = dataclasses.replace(
        TINY["tokens_32"], games=18, search=dataclasses.replace(TINY["tokens_32"].search, games=2)
    )

    def first() -> None:
        os.setsid()
        self_play_training.train(made, tmp_path, workers=2)

    child = multiprocessing.get_context("fork").Process(target=first)
    child.start()
    while not list(tmp_path.glob("games/*.npz")) and child.is_alive():
        time.sleep(0.01)
    child.kill()
    child.join()
    self_play_training.train(made, tmp_path, workers=2)
    about = training_state(tmp_path)
    assert about["progress"]["games"] >= 18
    assert about["progress"]["updates"] == int(about["progress"]["games"] * made.learning.updates_per_game)
    assert len(about["memory"]) == len(set(about["memory"]))
    assert st.player(f"pvmcts(net={str(tmp_path / 'net.safetensors')!r}, simulations=2)").act(made.start(0).start())


def test_snapshots_are_kept_at_their_times(tmp_path: Path) -> None:
    made = with_options(games=6, snapshots=(0.0, 1e-4, 500))
    self_play_training.train(made, tmp_path)
    assert sorted(path.name for path in (tmp_path / "snapshots").glob("*.safetensors")) == [
        "0.0001min.safetensors",
        "0min.safetensors",
    ]
    for path in (tmp_path / "snapshots").glob("*.safetensors"):
        assert read_card(path).training["games"] == 3
        checkpoints.load(path)


def test_a_training_ends_after_its_minutes(tmp_path: Path) -> None:
    made = with_options(games=0, minutes=1e-3)
    self_play_training.train(made, tmp_path)
    assert training_state(tmp_path)["progress"]["games"] == 3  # the clock is checked after every task


def test_matches_during_training_are_recorded(tmp_path: Path) -> None:
    strength = Strength(every=1, games=2, simulations=2, opponents=("random", "greedy"), maps=("kimura-map01",))
    self_play_training.train(with_options(games=6, strength=strength), tmp_path)
    about = training_state(tmp_path)["progress"]
    assert about["games"] == 6
    assert set(about["strength"]) == {"random on kimura-map01"}
    assert sum(about["strength"]["random on kimura-map01"]) == 2
    # Matches do not count in the numbers of games, so the maps are those of a training without matches.
    assert set(training_state(tmp_path)["games"]) == {"0000000.npz", "0000002.npz"}
    numbers = [game.number for path in sorted(tmp_path.glob("games/*.npz")) for game in self_play.load(path)]
    assert numbers == list(range(6))


def test_the_name_of_a_map_file_sends_no_control_codes_to_the_terminal(tmp_path: Path) -> None:
    """Nor does it stop the training, which reads the stored results of its matches again."""
    map = tmp_path / "\x1b[31mred.tbsmap"
    st.tubstap.save(st.tubstap.load("duel"), map)
    strength = Strength(every=1, games=2, simulations=2, opponents=("random",), maps=(str(map),))
    seen: list[str] = []
    for games in (3, 6):
        made = with_options(games=games, strength=strength)
        self_play_training.train(made, tmp_path / "run", watch=lambda now: seen.extend(now.strength))
    assert set(seen) == {f"random on {tmp_path}/\ufffd[31mred.tbsmap"}


def test_a_warm_start_begins_with_another_net_s_weights(tiny_nets: dict[str, Path], tmp_path: Path) -> None:
    warm = Network("tokens_32", warm_start=str(tiny_nets["tokens_32"]))
    made = with_options(games=3, network=warm, learning=dataclasses.replace(Learning(), updates_per_game=0))
    self_play_training.train(made, tmp_path)
    assert digests(tmp_path) == {"net": read_card(tiny_nets["tokens_32"]).sha256}


@pytest.mark.parametrize(
    ("warm_start", "message"),
    [
        ("{kimura_sep_1}", "network.warm_start: {kimura_sep_1} is a kimura_sep_1, not a tokens_32"),
        ("gcn_4", "is a gcn_4, not a tokens_32"),
        ("no_such", "no net is called 'no_such'"),
        ("/no/such.safetensors", "/no/such.safetensors: there is no such file"),
    ],
)
def test_a_bad_warm_start_gets_a_one_line_error(
    warm_start: str, message: str, tiny_nets: dict[str, Path], tmp_path: Path
) -> None:
    made = with_options(network=Network("tokens_32", warm_start=warm_start.format(**tiny_nets)))
    with pytest.raises(SandtableError) as caught:
        self_play_training.train(made, tmp_path)
    assert message.format(**tiny_nets) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_one_process_works_on_a_training(tmp_path: Path) -> None:
    def within(_: Any) -> None:
        with pytest.raises(RecipeError, match="another process is at work on this training"):
            self_play_training.train(TINY["tokens_32"], tmp_path)

    self_play_training.train(with_options(games=3), tmp_path, watch=within)


# Changed and damaged folders.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that was stopped after six of nine games."""
    folder = tmp_path_factory.mktemp("trained")

    def watch(now: self_play_training.Progress) -> None:
        if now.games == 9:
            raise InterruptedError  # before the third checkpoint

    with pytest.raises(InterruptedError):
        self_play_training.train(TINY["tokens_32"], folder, watch=watch)
    return folder


def edit_tensors(path: Path, change: Callable[[dict[str, Any], dict[str, str]], Any]) -> None:
    with safe_open(path, framework="pt") as file:
        about = file.metadata()
    tensors = load_file(path)
    change(tensors, about)
    save_file(tensors, path, about)


def drop_tensors(part: str) -> Callable[[Path], Any]:
    def change(tensors: dict[str, Any], _: Any) -> None:
        for key in [key for key in tensors if key.startswith(part)]:
            del tensors[key]

    return lambda path: edit_tensors(path, change)


def rename_tensors(old: str, new: str) -> Callable[[Path], Any]:
    def change(tensors: dict[str, Any], _: Any) -> None:
        for key in [key for key in tensors if key.startswith(old)]:
            tensors[new + key.removeprefix(old)] = tensors.pop(key)

    return lambda path: edit_tensors(path, change)


def edit_training(**changes: Any) -> Callable[[Path], Any]:
    def change(_: Any, about: dict[str, str]) -> None:
        about["training"] = json.dumps(json.loads(about["training"]) | changes)

    return lambda path: edit_tensors(path, change)


def edit_progress(**changes: Any) -> Callable[[Path], Any]:
    """Change the progress in a stored training."""

    def change(_: Any, about: dict[str, str]) -> None:
        kept = json.loads(about["training"])
        about["training"] = json.dumps(kept | {"progress": kept["progress"] | changes})

    return lambda path: edit_tensors(path, change)


IMPOSSIBLE: list[dict[str, Any]] = [
    *({name: value} for name in ("tasks", "games", "updates", "published") for value in ("x", -1, 1.5, None, 10**40)),
    {"ahead": "x"},
    {"ahead": {}},
    {"ahead": [0.5]},
    *({"seconds": value} for value in ("1", -1, float("nan"), float("inf"))),
    {"strength": [1]},
    {"strength": {"uct on duel": [1]}},
    {"strength": {"uct on duel": [0, 0, 0]}},
    {"strength": {"\x1b[31m": [1, 2, 3]}},
    {"losses": {"value": "x"}},
    {"spent_playing": None},
]
DAMAGED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "this training cannot be resumed"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-99]), "this training cannot be resumed"),
    "text": (lambda path: path.write_bytes(b"nonsense\n" * 99), "this training cannot be resumed"),
    "a net": (lambda path: save_file({"x": torch.zeros(2)}, path), "this training cannot be resumed"),
    "a later version": (edit_training(version=99), "the stored training differs in version"),
    "no progress": (edit_training(progress={"steps": 3}), "this training cannot be resumed"),
    "progress that is text": (edit_training(progress="far"), "this training cannot be resumed"),
    "a memory of texts": (edit_training(memory=["x"]), "this training cannot be resumed"),
    "a missing memory": (edit_training(memory=[55]), "the replay buffer cannot be restored"),
    "an infinite memory": (edit_training(memory=[float("inf")]), "this training cannot be resumed"),
    "recent losses of texts": (edit_training(recent={"value": ["x"]}), "this training cannot be resumed"),
    "no recent losses": (edit_training(recent=[]), "this training cannot be resumed"),
    **{str(one): (edit_progress(**one), "this training cannot be resumed") for one in IMPOSSIBLE},
    "no weights": (drop_tensors("now."), "the stored training is of another network"),
    "no mean": (drop_tensors("average."), "this training cannot be resumed"),
    "a part of the mean": (drop_tensors("average.enter"), "this training cannot be resumed"),
    "nothing published": (drop_tensors("published."), "this training cannot be resumed"),
    "moments of no parameter": (
        rename_tensors("moments.1.", "moments.x."),
        "the stored training is of another network",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_resume_file_gets_a_one_line_error(name: str, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "copy")
    inflict, message = DAMAGED[name]
    inflict(tmp_path / "copy/resume")
    with pytest.raises(CheckpointError) as caught:
        self_play_training.train(TINY["tokens_32"], tmp_path / "copy")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_archives_that_unpack_to_gigabytes_are_refused(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "copy")
    with (
        zipfile.ZipFile(tmp_path / "copy/games/0000000.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        packed.open("number.npy", "w", force_zip64=True) as file,
    ):
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (3 << 30,)})
        for _ in range(3 << 6):
            file.write(bytes(1 << 24))
    with pytest.raises(CheckpointError, match="larger than the 2,147,483,648 bytes"):
        self_play_training.train(TINY["tokens_32"], tmp_path / "copy")


def test_another_recipe_in_the_same_folder_is_refused(trained: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    shutil.copytree(trained, tmp_path / "copy")
    others = {
        "seed": with_options(seed=77),
        "search.simulations": with_options(search=dataclasses.replace(TINY["tokens_32"].search, simulations=5)),
        "network.architecture": TINY["kimura_sep_1"],
    }
    for key, other in others.items():
        with pytest.raises(CheckpointError) as caught:
            self_play_training.train(other, tmp_path / "copy")
        assert str(caught.value) == (
            f"{tmp_path / 'copy/resume'}: the stored training differs in recipe.{key}; only recipe.games, "
            "recipe.minutes, recipe.snapshots may change; delete the file to start over"
        )
    self_play_training.train(TINY["tokens_32"], tmp_path / "copy")
    assert training_state(tmp_path / "copy") == undisturbed("tokens_32")


@pytest.mark.usefixtures("no_unpickling")
def test_a_training_is_extended_by_more_games(tmp_path: Path, undisturbed: Undisturbed) -> None:
    folder = tmp_path / "extended"
    self_play_training.train(with_options(games=3), folder)
    assert training_state(folder) != undisturbed("tokens_32")
    self_play_training.train(TINY["tokens_32"], folder)
    assert training_state(folder) == undisturbed("tokens_32")


def test_deleting_the_resume_file_starts_the_training_again(
    trained: Path, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    """As the message says. Nothing of the earlier training is left."""
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    (folder / "resume").unlink()
    for number in (400, 500, 600):  # weights that the earlier training published
        for path in list((folder / "published").glob("00000000.*")) or list((folder / "published").glob("*.*")):
            shutil.copy(path, folder / "published" / f"{number:08d}{path.suffix}")
    (folder / "snapshots").mkdir()
    (folder / "snapshots/0min.safetensors").write_text("the other's")
    self_play_training.train(with_options(snapshots=(0.0,)), folder)
    again = training_state(folder)
    assert again["net"] == undisturbed("tokens_32")["net"]
    assert again["games"] == undisturbed("tokens_32")["games"]
    assert [row["games"] for row in self_play_training.curve(folder)] == [3, 6, 9]
    assert read_card(folder / "snapshots/0min.safetensors").training["games"] == 3


def test_weights_published_after_the_checkpoint_are_discarded(
    trained: Path, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    """However many there are: workers must find the weights with which the training continues."""
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    last = sorted((folder / "published").glob("*.safetensors"))[-1]
    for number in range(50, 55):
        for suffix in (".safetensors", ".onnx", ".json"):
            shutil.copy(last.with_suffix(suffix), folder / "published" / f"{number:08d}{suffix}")
    self_play_training.train(TINY["tokens_32"], folder)
    assert training_state(folder) == undisturbed("tokens_32")


def test_a_slow_worker_reads_newer_weights(
    tiny_nets: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights that a slow worker was about to read may be gone; then there are newer ones."""
    published = tmp_path / "published"
    published.mkdir()
    (published / "latest").write_text("00000001\n")

    def read(path: Path, *rest: Any) -> Any:
        for suffix in (".safetensors", ".onnx", ".json"):
            shutil.copy(tiny_nets["tokens_32"].with_suffix(suffix), published / f"00000002{suffix}")
        (published / "latest").write_text("00000002\n")
        return played(path, *rest)

    own = adapter("tubstap")
    played = own.play
    monkeypatch.setattr(self_play_training, "adapter", lambda name: dataclasses.replace(own, play=read))
    found = self_play_training._task(published, TINY["tokens_32"], 0)
    assert isinstance(found, Played)
    assert len(found.games) == 3
    (published / "latest").write_text("00000003\n")
    monkeypatch.setattr(self_play_training, "adapter", lambda name: own)
    with pytest.raises(CheckpointError, match="every net needs a card"):
        self_play_training._task(published, TINY["tokens_32"], 0)


def test_a_match_outlasts_its_published_weights(
    tiny_nets: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match may take longer than the weights are kept."""
    for suffix in (".safetensors", ".onnx", ".json"):
        shutil.copy(tiny_nets["tokens_32"].with_suffix(suffix), tmp_path / f"00000001{suffix}")
    (tmp_path / "latest").write_text("00000001\n")

    def then_gone(*arguments: Any, **options: Any) -> Any:
        for path in tmp_path.glob("00000001.*"):
            path.unlink()
        return play(*arguments, **options)

    monkeypatch.setattr("sandtable.learn.self_play_training.play_game", then_gone)
    strength = Strength(every=1, games=3, simulations=2, opponents=("random",), maps=("kimura-map01",))
    found = self_play_training._task(tmp_path, with_options(strength=strength), 1)
    assert isinstance(found, dict)
    assert sum(found["random on kimura-map01"]) == 3


def test_a_training_by_the_clock_needs_little_memory_for_its_tasks(tmp_path: Path) -> None:
    training = self_play_training._Training(with_options(games=0, minutes=10), tmp_path, 1, None, lambda now: None)
    tracemalloc.start()
    tasks = training._tasks()
    assert len(next(tasks).value.games) == 3
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_workers_find_the_weights_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    training = self_play_training._Training(TINY["tokens_32"], Path("here"), 1, None, lambda now: None)
    tasks = training._tasks()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert next(tasks).error is None


def test_dropout_is_refused_for_a_network_without_it(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"^network.dropout: tokens_32 has no dropout$"):
        self_play_training.train(with_options(network=Network("tokens_32", dropout=0.1)), tmp_path)
