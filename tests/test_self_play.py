"""Training by self-play: recipes, games and their files, the memory, what is learnt, and trainings that are stopped
anywhere and go on."""

import contextlib
import dataclasses
import functools
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as s
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

import sandtable as st
from sandtable import cli
from sandtable.arena.playing import play
from sandtable.errors import CheckpointError, RecipeError, SandtableError
from sandtable.learn import optimisation, recipe, self_play_training
from sandtable.learn.adapter import Played, adapter
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search, Strength, Turns
from sandtable.learn.replay_buffer import ReplayBuffer
from sandtable.nets import checkpoints, read_card
from sandtable.nets.architectures import POLICIES
from sandtable.tubstap import Move
from sandtable.tubstap.training import losses as policy_losses
from sandtable.tubstap.training import self_play
from sandtable.tubstap.training.self_play import Game, Sample
from support import commands
from test_policy_encoders import turned_move, turned_scenario
from test_tubstap_rules import field

torch.set_num_threads(1)  # as training does

TINY = {
    "kimura_sep_1": Recipe(
        name="tiny",
        network=Network("kimura_sep_1", dropout=0.2),
        maps=(Maps("skirmish", options={"red": [1, 2], "blue": 1}), Maps("technical", share=0.5, from_game=3)),
        seed=3,
        games=9,
        search=Search(simulations=6, lanes=2, games=3, cache=64),
        learning=Learning(batch=8, memory=60, first_update=12, updates_per_game=1.5, publish_every=5),
    ),
    "tokens_32": Recipe(
        name="tiny",
        network=Network("tokens_32"),
        maps=(Maps("battle", options={"size": [4, 5], "red": [1, 2], "blue": "red"}), Maps("kimura-map01", share=0.2)),
        seed=4,
        games=9,
        search=Search(root="gumbel", simulations=4, considered=3, full_share=0.6, lanes=3, games=3),
        learning=Learning(
            optimiser="adam",
            rate=0.003,
            half_life=50,
            batch=16,
            memory=200,
            first_update=20,
            updates_per_game=2,
            publish_every=6,
            average=0.9,
            fate_weight=0.3,
        ),
    ),
}

both = pytest.mark.parametrize("name", TINY)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A fresh network of each kind, saved."""
    folder = tmp_path_factory.mktemp("weights")
    for name in TINY:
        torch.manual_seed(2)
        checkpoints.save(folder / f"{name}.safetensors", POLICIES[name].build(), name, "", {})
    return {name: folder / f"{name}.safetensors" for name in TINY}


@functools.cache
def some_games(path: Path, name: str, count: int = 6) -> list[Game]:
    return self_play.play(path, TINY[name], range(count)).games


@functools.cache
def some_samples(path: Path, name: str) -> list[Sample]:
    return [sample for game in some_games(path, name) for sample in self_play.samples(game, TINY[name])]


# Recipes.

GOOD = """
name = "mine"
games = 100
snapshots = [1, 2.5]

[network]
architecture = "tokens_32"

[[maps]]
source = "skirmish"
options = { red = [1, 3], rules = ["kimura2020", "original"] }

[[maps]]
source = "kimura-map01"
share = 2
from_game = 50

[search]
root = "gumbel"
simulations = 16

[strength]
every = 5
opponents = ["random", "uct(simulations=10)"]
maps = ["kimura-map01"]
"""


def load(text: str | bytes, tmp_path: Path) -> Recipe:
    path = tmp_path / "recipe.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return recipe.load(path)


def test_a_recipe_is_its_file(tmp_path: Path) -> None:
    made = load(GOOD, tmp_path)
    assert (made.name, made.games, made.snapshots) == ("mine", 100, (1.0, 2.5))
    assert made.network == Network("tokens_32")
    assert made.maps[1] == Maps("kimura-map01", share=2.0, from_game=50)
    assert isinstance(made.maps[1].share, float)
    assert made.search == Search(root="gumbel", simulations=16)
    assert made.learning == Learning()
    assert made.strength.opponents == ("random", "uct(simulations=10)")


@pytest.mark.parametrize(
    "path", sorted((Path(st.__file__).parent / "recipes").glob("tubstap*.toml")), ids=lambda p: p.stem
)
def test_shipped_recipes_can_be_followed(path: Path) -> None:
    made = recipe.load(path)
    encoder = POLICIES[made.network.architecture].encoder.core
    for number in (0, 1, 10**4, 10**6):
        state = self_play.beginning(made, number)
        assert st._core.tubstap.encode_policy(encoder, [state])[2][0] == len(state.moves())


def without(line: str) -> str:
    assert line in GOOD
    return GOOD.replace(line, "")


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


BAD: dict[str, tuple[str | bytes, str]] = {
    "not TOML": ("name = ", "not TOML: "),
    "not text": (b"\xff\xfe\x00", "not TOML: "),
    "deep": ("name = " + "[" * 5000, "not TOML: "),
    "huge": ("#" + " " * (2 << 20), "larger than"),
    "empty": ("", "the key 'name' is missing"),
    "unknown key": (changed("games", "gamse"), "there is no key 'gamse' (did you mean 'games'?)"),
    "unknown key of a table": (
        changed("simulations", "simulation"),
        "there is no key 'search.simulation' (did you mean 'simulations'?)",
    ),
    "unknown key of a list's table": (changed("share", "shrae"), "no key 'maps.shrae' (did you mean 'share'?)"),
    "unknown table": (changed("[strength]", "[strenght]"), "no key 'strenght' (did you mean 'strength'?)"),
    "missing key": (without('name = "mine"\n'), "the key 'name' is missing"),
    "missing key of a table": (without('architecture = "tokens_32"\n'), "the key 'network.architecture' is missing"),
    "missing key of a list's table": (without('source = "skirmish"\n'), "the key 'maps.source' is missing"),
    "no maps": ('name = "x"\ngames = 1\nmaps = []\n[network]\narchitecture = "tokens_32"\n', "maps: no source"),
    "a name for a folder": (changed('"mine"', '"../mine"'), "name: '../mine'"),
    "no name": (changed('"mine"', '""'), "name: ''"),
    "two lines for a name": (changed('"mine"', '"a\\nb"'), "name: 'a\\nb'"),
    "a word for a number": (changed("100", '"many"'), "games must be a whole number, not 'many'"),
    "a fraction for a number": (changed("100", "1.5"), "games must be a whole number, not 1.5"),
    "a truth for a number": (changed("100", "true"), "games must be a whole number, not True"),
    "a number for a word": (changed('"gumbel"', "1"), "search.root must be puct or gumbel, not 1"),
    "a number for a table": (
        changed('[network]\narchitecture = "tokens_32"', "network = 1"),
        "network must be a table",
    ),
    "a number for a list": (changed("[1, 2.5]", "1"), "snapshots must be a list"),
    "a word in a list": (changed("[1, 2.5]", '["x"]'), "snapshots must be a number, not 'x'"),
    "a table for a list": (GOOD.split("[[")[0] + '[maps]\nsource = "skirmish"', "maps must be a list"),
    "too few": (changed("= 16", "= 0"), "search.simulations must be within 1..1000000, not 0"),
    "too many": (changed("100", "10000000000"), "games must be within 0..1000000000"),
    "no number at all": (changed("[search]", "[search]\nc = nan"), "search.c must be within 0..1000, not nan"),
    "a negative share": (changed("share = 2", "share = -1"), "maps.share must be within 0.."),
    "an endless share": (changed("share = 2", "share = inf"), "maps.share must be within 0.."),
    "a negative game": (changed("from_game = 50", "from_game = -1"), "maps.from_game must be within 0.."),
    "a snapshot before the beginning": (changed("2.5]", "-1]"), "snapshots must be within 0.."),
    "never": (changed("games = 100", "games = 0"), "a recipe needs games or minutes"),
    "no map to begin with": (
        changed('source = "skirmish"', 'source = "skirmish"\nfrom_game = 1'),
        "maps: no source is used from the first game on",
    ),
    "unknown map": (changed("kimura-map01", "kimura-mp01"), "is called 'kimura-mp01' (did you mean 'kimura-map01'?)"),
    "one position to normalise over": (
        GOOD.replace("tokens_32", "kimura_sep_1_affine") + "[learning]\nbatch = 1\n",
        "learning.batch: an affine policy head normalises over a batch of 2 positions or more",
    ),
    "unknown generator": (changed("skirmish", "skirmsh"), "no map is called 'skirmsh' (did you mean 'skirmish'?)"),
    "unknown option": (changed("red =", "rde ="), "maps.options: skirmish has no option 'rde' (did you mean 'red'?)"),
    "seeds are drawn": (changed("red =", "seed ="), "maps.options: skirmish has no option 'seed'"),
    "options of a map": (changed("share = 2", "options = { size = 6 }"), "maps.options: kimura-map01 has none"),
    "a bad option": (changed("[1, 3]", "40"), "40 v "),
    "an end of what is drawn": (changed("[1, 3]", "[1, 40]"), "40 v "),
    "a word for an option": (changed("[1, 3]", '"two"'), "maps.options of skirmish: "),
    "a table for an option": (changed("[1, 3]", "{ a = 1 }"), "maps.options of skirmish: "),
    "unknown rules": (changed('["kimura2020", "original"]', '"kimura202"'), "did you mean 'kimura2020'?"),
    "unknown architecture": (changed("tokens_32", "token_32"), "(did you mean 'tokens_32'?)"),
    "a value network": (changed("tokens_32", "gcn_4"), "network.architecture: 'gcn_4' is none of"),
    "a network for other maps": (
        changed("tokens_32", "kimura_sep_1").replace("{ red = [1, 3],", "{ size = 8,"),
        "maps.source: skirmish: made for boards of 6x6, and this one is 8x8",
    ),
    "unknown root": (changed('"gumbel"', '"puc"'), "search.root must be puct or gumbel"),
    "unknown optimiser": (changed("[search]", '[learning]\noptimiser = "adma"\n[search]'), "must be sgd or adam"),
    "nobody to play against": (without('opponents = ["random", "uct(simulations=10)"]'), "strength.opponents"),
    "nowhere to play": (changed('maps = ["kimura-map01"]', ""), "strength.maps"),
    "unknown opponent": (changed('"random"', '"randm"'), "strength.opponents: no player is called 'randm'"),
    "an opponent of another game": (changed('"random"', '"mcts"'), "strength.opponents: mcts plays conquest"),
    "unknown place": (changed('maps = ["kimura-map01"]', 'maps = ["kimura"]'), "strength.maps: "),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recipe_gets_one_line(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    with pytest.raises(RecipeError) as caught:
        load(text, tmp_path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(RecipeError) as caught:
            recipe.load(path)
        assert str(caught.value) == f"{path}: there is no such file"


values = s.none() | s.booleans() | s.integers() | s.floats() | s.text(max_size=8) | s.sampled_from(("size", "red", "6"))
tables = s.recursive(values, lambda inner: s.lists(inner, max_size=3) | s.dictionaries(s.text(max_size=5), inner))


@given(s.dictionaries(s.sampled_from(("red", "blue", "size", "rules", "units", "x")), tables, max_size=3))
@settings(max_examples=100, deadline=None)
def test_any_options_of_a_generator(options: dict[str, Any]) -> None:
    with contextlib.suppress(SandtableError):
        Recipe("x", Network("tokens_32"), (Maps("skirmish", options=options),), games=1)


@given(s.binary(max_size=40) | s.text("nameg=[]{}\"'#.\n 10", max_size=60).map(str.encode))
@settings(max_examples=200, deadline=None)
def test_any_file(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    with pytest.raises(RecipeError) as caught:
        recipe.load(path)
    assert "\n" not in str(caught.value)


def test_the_map_of_a_game_depends_on_its_number_alone() -> None:
    made = TINY["tokens_32"]
    assert [made.start(number) for number in (5, 1, 5)] == [made.start(number) for number in (5, 1, 5)]
    assert len({str(made.start(number)) for number in range(20)}) > 10
    other = dataclasses.replace(made, seed=5)
    assert any(made.start(number) != other.start(number) for number in range(5))


def test_maps_come_by_their_shares_and_when_they_should() -> None:
    made = Recipe(
        "x",
        Network("tokens_32"),
        (
            Maps("skirmish", until_game=1000),
            Maps("technical", share=3.0),
            Maps("kimura-map01", from_game=500),
            Maps("kimura-map02", share=0.0),
        ),
        games=1,
    )

    def counted(numbers: range) -> Counter[str]:
        return Counter(re.split(r"-\d+$", made.start(number).name)[0] for number in numbers)

    early, middle, late = counted(range(400)), counted(range(500, 900)), counted(range(1000, 1400))
    assert set(early) == {"skirmish", "technical"}
    assert early["technical"] == pytest.approx(300, abs=40)
    assert set(middle) == {"skirmish", "technical", "kimura-map01"}
    assert middle["technical"] == pytest.approx(240, abs=40)
    assert set(late) == {"technical", "kimura-map01"}


# Games and their files.


@both
def test_games_are_played_to_their_end(name: str, weights: dict[str, Path]) -> None:
    made = TINY[name]
    played = self_play.play(weights[name], made, range(6))
    assert [game.number for game in played.games] == list(range(6))
    assert played.evaluated > 0
    assert played.seconds >= played.forward_seconds > 0
    for game in played.games:
        state = self_play.beginning(made, game.number)
        for move, count, shares in zip(
            game.moves.tolist(), game.counts.tolist(), np.split(game.policy, np.cumsum(game.counts)[:-1]), strict=True
        ):
            assert count == len(state.moves()) == len(shares)
            assert shares.sum() == pytest.approx(1, abs=1e-5)
            state.play(state.moves()[move])
        assert state.over
    again = self_play.play(weights[name], made, [4]).games[0]  # alone, and later
    assert same(again, played.games[4])


@both
def test_samples_have_the_result_of_the_side_to_move(name: str, weights: dict[str, Path]) -> None:
    made, results = TINY[name], set()
    for game in some_games(weights[name], name):
        found = self_play.samples(game, made)
        assert len(found) == len(game.moves)
        end = found[-1].state.copy()
        end.play(end.moves()[int(game.moves[-1])])
        assert end.over
        left = {unit.id: unit.hp for unit in end.units}
        for sample, full in zip(found, game.full, strict=True):
            wanted = 0 if end.winner is None else 1 if end.winner == sample.state.side else -1
            assert sample.result == wanted
            assert sample.full == bool(full)
            assert len(sample.policy) == len(sample.state.moves())
            assert sample.last_hp.tolist() == pytest.approx([left.get(unit.id, 0) for unit in sample.state.units])
            results.add(sample.result)
    assert {-1.0, 1.0} <= results


def same(one: Game, other: Game) -> bool:
    pairs: Any = zip(one, other, strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


@both
def test_games_come_back_from_their_file(name: str, weights: dict[str, Path], tmp_path: Path) -> None:
    games = some_games(weights[name], name)
    self_play.save(games, tmp_path / "games.npz")
    back = self_play.load(tmp_path / "games.npz")
    assert all(same(one, self_play.rounded(other)) for one, other in zip(back, games, strict=True))
    assert np.abs(back[0].policy - games[0].policy).max() < 1e-3


def resaved(path: Path, **changes: Any) -> None:
    with np.load(path) as found:
        arrays = {name: found[name] for name in found.files} | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "a bit": flip,
    "text": lambda path: path.write_text("nonsense\n"),
    "one array": lambda path: np.save(path.open("wb"), np.zeros(3)),
    "an empty archive": lambda path: zipfile.ZipFile(path, "w").close(),
    "an array missing": lambda path: resaved(path, counts=None),
    "objects": lambda path: resaved(path, moves=np.array([{}], object)),
    "too few moves": lambda path: resaved(path, moves=np.zeros(3, np.uint16)),
    "too many shares": lambda path: resaved(path, policy=np.zeros(10**4, np.float16)),
    "too few games": lambda path: resaved(path, number=np.zeros(1, np.int64)),
    "moves that are not there": lambda path: resaved(path, moves=np.load(path)["moves"] + 9000),
    "words": lambda path: resaved(path, moves=np.array(["a"])),
    "two dimensions": lambda path: resaved(path, decisions=np.zeros((2, 2), np.int64)),
    "of another map": lambda path: resaved(path, number=np.load(path)["number"] + 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_games_gets_one_line(damage: str, weights: dict[str, Path], tmp_path: Path) -> None:
    made = TINY["kimura_sep_1"]
    memory = ReplayBuffer(made, tmp_path)
    memory.add(7, some_games(weights["kimura_sep_1"], "kimura_sep_1"))
    DAMAGES[damage](tmp_path / "0000007.npz")
    with pytest.raises(CheckpointError) as caught:
        ReplayBuffer(made, tmp_path).fill([7])
    assert "the replay buffer cannot be filled again: " in str(caught.value)
    assert "0000007.npz" in str(caught.value)
    assert "\n" not in str(caught.value)


@both
def test_a_memory_filled_again_gives_the_same(name: str, weights: dict[str, Path], tmp_path: Path) -> None:
    made, games = TINY[name], some_games(weights[name], name)
    memory = ReplayBuffer(made, tmp_path)
    for task, game in enumerate(games):
        assert memory.add(task, [game]) == len(game.moves)
    held = sum(len(game.moves) for task, game in enumerate(games) if task in memory.tasks)
    assert len(memory) == held
    assert held >= min(made.learning.memory, sum(len(game.moves) for game in games))
    assert memory.tasks == list(range(6))[-len(memory.tasks) :]
    first = len(games[memory.tasks[0]].moves)
    assert len(memory.tasks) == 1 or held - first < made.learning.memory  # no more than it needs
    again = ReplayBuffer(made, tmp_path)
    again.fill(memory.tasks)
    assert again.tasks == memory.tasks
    for one, other in zip(*(held.draw(50, np.random.default_rng(1)) for held in (memory, again)), strict=True):
        assert one.state.hash() == other.state.hash()
        assert np.array_equal(one.policy, other.policy)
        assert (one.full, one.result, one.last_hp.tolist()) == (other.full, other.result, other.last_hp.tolist())
    memory.forget_files()
    assert sorted(int(path.stem) for path in tmp_path.glob("*.npz")) == memory.tasks


def test_all_of_the_memory_is_drawn(weights: dict[str, Path], tmp_path: Path) -> None:
    memory = ReplayBuffer(TINY["tokens_32"], tmp_path)
    memory.add(0, some_games(weights["tokens_32"], "tokens_32"))
    drawn = memory.draw(40 * len(memory), np.random.default_rng(0))
    assert len({id(sample) for sample in drawn}) == len(memory)


# What is learnt.


def losses(name: str, module: nn.Module, batch: Sequence[Sample], how: Learning, number: int = 0) -> dict[str, float]:
    """With the board turned by a symmetry of that number."""

    class Chosen(np.random.Generator):
        def integers(self, *_: Any, **__: Any) -> Any:
            return number

    generator = Chosen(np.random.PCG64(0))
    with torch.no_grad():
        found = policy_losses.losses(module, POLICIES[name].encoder, batch, how, generator)
    return {key: float(value) for key, value in found.items()}


@both
def test_the_loss_is_its_formula(name: str, weights: dict[str, Path]) -> None:
    batch, how = some_samples(weights[name], name)[:40:2], Learning(symmetries=False, value_weight=0.7, fate_weight=0.4)
    module, encoder = checkpoints.load(weights[name]), POLICIES[name].encoder
    wanted: dict[str, list[float]] = {"policy": [], "value": [], "fate": []}
    for sample in batch:
        arrays, places, _ = st._core.tubstap.encode_policy(encoder.core, [sample.state])
        with torch.no_grad():
            inputs = [torch.from_numpy(array) for array in arrays]
            if name == "tokens_32":
                results, logits, fates = (out.double().numpy() for out in module.everything(*inputs))  # type: ignore[operator]
                chances = np.exp(results[0]) / np.exp(results[0]).sum()
                wanted["value"].append(-float(np.log(chances[int(1 - sample.result)])))
                if sample.full:
                    wanted["policy"].append(divergence(sample.policy, logits))
                for (survival, hp), last in zip(fates[0], sample.last_hp, strict=True):
                    lives = 1 / (1 + np.exp(-survival))
                    wanted["fate"].append(float(-np.log(lives if last > 0 else 1 - lives) + (hp - last / 10) ** 2))
                continue
            values, logits = (out.double().numpy() for out in module(*inputs))
        wanted["value"] += [float((sample.result - value) ** 2) for value in values]
        for row in range(len(values)):  # a unit's own moves, and its own share of the visits
            own = places // 180 == row
            if sample.policy[own].sum() > 0 and sample.full:
                shares = sample.policy[own] / sample.policy[own].sum()
                wanted["policy"].append(divergence(shares, logits.ravel()[places[own]]))
    means = {key: np.mean(terms) for key, terms in wanted.items() if terms}
    means["total"] = means["policy"] + 0.7 * means["value"] + 0.4 * means.get("fate", 0)
    assert losses(name, module, batch, how) == pytest.approx(means, rel=1e-3, abs=1e-5)


def divergence(shares: Any, logits: Any) -> float:
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    return float(sum(p * np.log(p / q) for p, q in zip(shares.astype(float), chances, strict=True) if p > 0))


@both
def test_learning_reduces_the_loss_on_a_fixed_memory(name: str, weights: dict[str, Path]) -> None:
    how = dataclasses.replace(TINY[name].learning, rate=0.01)
    batch = []
    for sample in some_samples(weights[name], name)[:24]:  # of which something is to be learnt: one move is right
        right = np.zeros_like(sample.policy)
        right[sample.policy.argmax()] = 1
        batch.append(sample._replace(policy=right))
    module = checkpoints.load(weights[name])
    optimizer = optimisation.optimiser(module, how)
    generator = np.random.default_rng(0)
    seen: list[dict[str, float]] = []
    for _ in range(60 if name == "tokens_32" else 15):
        module.train()
        found = policy_losses.losses(module, POLICIES[name].encoder, batch, how, generator)
        optimizer.zero_grad(set_to_none=True)
        found["total"].backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        seen.append({key: float(value.detach()) for key, value in found.items()})
    for key in seen[0]:
        assert seen[-1][key] < 0.8 * seen[0][key], key


def test_augmentation_is_the_loss_of_the_turned_board(weights: dict[str, Path]) -> None:
    """Planes, answers and shares go together."""
    module = checkpoints.load(weights["kimura_sep_1"])
    how = Learning()
    for sample in some_samples(weights["kimura_sep_1"], "kimura_sep_1")[::5]:
        scenario = sample.state.scenario.at(sample.state)
        for number in range(8):
            turned = turned_scenario(scenario, number).start()
            places = {move: i for i, move in enumerate(turned.moves())}
            order = [places[turned_move(move, scenario, number)] for move in sample.state.moves()]
            shares = np.zeros_like(sample.policy)
            shares[order] = sample.policy
            moved = sample._replace(state=turned, policy=shares)
            plain = losses("kimura_sep_1", module, [moved], dataclasses.replace(how, symmetries=False))
            assert losses("kimura_sep_1", module, [sample], how, number) == pytest.approx(plain, abs=1e-5)


def symmetric_sample() -> Sample:
    """A position and a policy that look the same from all sides."""
    corners = [(1, 1), (6, 1), (1, 6), (6, 6)]
    middle = [(3, 3), (4, 3), (3, 4), (4, 4)]
    units = [("infantry", 0, x, y, 7) for x, y in middle] + [("infantry", 1, x, y, 4) for x, y in corners]
    state = field(*units, size=6, rules="kimura2020").start()
    moves = state.moves()

    def share(move: Move) -> float:
        """By how far the unit goes, and to which ring of the board."""
        unit = state.units[move.unit]
        ring = max(abs(2 * move.x - 7), abs(2 * move.y - 7))
        return 1 + ring + 3 * (abs(unit.x - move.x) + abs(unit.y - move.y)) + (move.target is not None)

    shares = np.array([share(move) for move in moves], np.float32)
    return Sample(state, shares / shares.sum(), True, 1.0, np.zeros(8, np.float32))


@pytest.mark.parametrize("training", [False, True])
def test_a_symmetric_position_has_one_loss(training: bool, weights: dict[str, Path]) -> None:
    module = checkpoints.load(weights["kimura_sep_1"]).train(training)
    sample = symmetric_sample()
    expected = losses("kimura_sep_1", module, [sample], Learning(symmetries=False))
    for number in range(8):
        assert losses("kimura_sep_1", module, [sample], Learning(), number) == pytest.approx(expected, abs=1e-5)
    other = some_samples(weights["kimura_sep_1"], "kimura_sep_1")[3]
    found = {losses("kimura_sep_1", module, [other], Learning(), number)["policy"] for number in range(8)}
    assert len(found) > 4  # of others it depends on how they lie


def test_rates_fall_by_halves() -> None:
    how = Learning(rate=0.1, half_life=100)
    assert [optimisation.learning_rate(how, update) for update in (0, 100, 300)] == pytest.approx([0.1, 0.05, 0.0125])
    assert optimisation.learning_rate(Learning(rate=0.1), 10**6) == 0.1


# Trainings.


def digests(folder: Path) -> dict[str, str]:
    """The nets of a training by their cards: of the weights, not of the time they took."""
    return {path.stem: read_card(path).sha256 for path in folder.glob("*.safetensors")}


@functools.cache
def undisturbed(name: str) -> dict[str, Any]:
    """What a training that nobody stops comes to."""
    folder = Path(os.environ["SANDTABLE_TEST_FOLDER"]) / name
    self_play_training.train(TINY[name], folder)
    return told(folder)


def told(folder: Path) -> dict[str, Any]:
    """All of a training that must not depend on when it was stopped."""
    with safe_open(folder / "resume", framework="pt") as file:
        about = json.loads(file.metadata()["training"])
        tensors = {key: file.get_tensor(key).numpy().tobytes() for key in file.keys()}  # noqa: SIM118
    progress = {
        key: value for key, value in about["progress"].items() if key != "seconds" and not key.startswith("spent")
    }
    games = {path.name: [game.moves.tolist() for game in self_play.load(path)] for path in folder.glob("games/*.npz")}
    return {
        **{"net": digests(folder), "progress": progress, "memory": about["memory"], "recent": about["recent"]},
        **{"tensors": tensors, "games": games, "published": digests(folder / "published").get(latest(folder))},
    }


def latest(folder: Path) -> str:
    return (folder / "published/latest").read_text().strip()


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    os.environ["SANDTABLE_TEST_FOLDER"] = str(tmp_path_factory.mktemp("undisturbed"))
    yield
    del os.environ["SANDTABLE_TEST_FOLDER"]


@both
def test_the_same_recipe_gives_the_same_weights(name: str, tmp_path: Path) -> None:
    seen: list[int] = []
    made = self_play_training.train(TINY[name], tmp_path, watch=lambda now: seen.append(now.games))
    assert made == tmp_path / "net.safetensors"
    assert told(tmp_path) == undisturbed(name)
    assert seen == [3, 6, 9]
    about = told(tmp_path)["progress"]
    assert about["updates"] == int(9 * TINY[name].learning.updates_per_game)
    assert about["published"] > 0
    card = read_card(made)
    assert (card.architecture, card.training["games"]) == (name, 9)
    assert card.training["recipe"]["seed"] == TINY[name].seed
    other = dataclasses.replace(TINY[name], seed=9)
    self_play_training.train(other, tmp_path / "other")
    assert digests(tmp_path / "other") != digests(tmp_path)


def test_a_training_that_has_ended_is_left_as_it_is(tmp_path: Path) -> None:
    self_play_training.train(TINY["tokens_32"], tmp_path)
    before = told(tmp_path)
    rows = self_play_training.curve(tmp_path)
    self_play_training.train(TINY["tokens_32"], tmp_path)
    assert told(tmp_path) == before
    assert self_play_training.curve(tmp_path) == rows
    assert [row["games"] for row in rows] == [3, 6, 9]
    assert all(row["total_loss"] > 0 for row in rows[1:])
    assert list((tmp_path / "tensorboard").glob("events.*"))


def killed(made: Recipe, folder: Path, at: int) -> None:
    """Train, and end by SIGKILL at a file's renaming, before or after it: in this process's child."""
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


@both
def test_a_training_that_is_killed_again_and_again_ends_the_same(name: str, tmp_path: Path) -> None:
    """Whatever was under way: games, an update, weights being published, a checkpoint."""
    rng, kills = random.Random(6), 0
    while True:
        child = multiprocessing.get_context("fork").Process(
            target=killed, args=(TINY[name], tmp_path, rng.randint(2, 34))
        )
        child.start()
        child.join()
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        kills += 1
        assert kills < 100
    assert kills >= 3
    assert told(tmp_path) == undisturbed(name)


def test_two_workers_go_on_too(tmp_path: Path) -> None:
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
    about = told(tmp_path)
    assert about["progress"]["games"] >= 18
    assert about["progress"]["updates"] == int(about["progress"]["games"] * made.learning.updates_per_game)
    assert len(about["memory"]) == len(set(about["memory"]))
    assert st.player(f"pvmcts(net={str(tmp_path / 'net.safetensors')!r}, simulations=2)").act(made.start(0).start())


def with_options(**changes: Any) -> Recipe:
    return dataclasses.replace(TINY["tokens_32"], **changes)


def test_snapshots_are_kept_when_their_time_has_come(tmp_path: Path) -> None:
    made = with_options(games=6, snapshots=(0.0, 1e-4, 500))
    self_play_training.train(made, tmp_path)
    assert sorted(path.name for path in (tmp_path / "snapshots").glob("*.safetensors")) == [
        "0.0001min.safetensors",
        "0min.safetensors",
    ]
    for path in (tmp_path / "snapshots").glob("*.safetensors"):
        assert read_card(path).training["games"] == 3
        checkpoints.load(path)


def test_minutes_end_a_training(tmp_path: Path) -> None:
    made = with_options(games=0, minutes=1e-3)
    self_play_training.train(made, tmp_path)
    assert told(tmp_path)["progress"]["games"] == 3  # the clock is looked at after every task


def test_matches_tell_how_strong_it_is(tmp_path: Path) -> None:
    strength = Strength(every=1, games=2, simulations=2, opponents=("random", "greedy"), maps=("kimura-map01",))
    self_play_training.train(with_options(games=6, strength=strength), tmp_path)
    about = told(tmp_path)["progress"]
    assert about["games"] == 6
    assert set(about["strength"]) == {"random on kimura-map01"}
    assert sum(about["strength"]["random on kimura-map01"]) == 2
    # Games are numbered without the matches: their maps are those of a training without any.
    assert set(told(tmp_path)["games"]) == {"0000000.npz", "0000002.npz"}
    numbers = [game.number for path in sorted(tmp_path.glob("games/*.npz")) for game in self_play.load(path)]
    assert numbers == list(range(6))


def test_a_warm_start_begins_with_another_net_s_weights(weights: dict[str, Path], tmp_path: Path) -> None:
    warm = Network("tokens_32", warm_start=str(weights["tokens_32"]))
    made = with_options(games=3, network=warm, learning=dataclasses.replace(Learning(), updates_per_game=0))
    self_play_training.train(made, tmp_path)
    assert digests(tmp_path) == {"net": read_card(weights["tokens_32"]).sha256}


@pytest.mark.parametrize(
    ("warm_start", "message"),
    [
        ("{kimura_sep_1}", "network.warm_start: {kimura_sep_1} is a kimura_sep_1, not a tokens_32"),
        ("gcn_4", "is a gcn_4, not a tokens_32"),
        ("no_such", "no net is called 'no_such'"),
        ("/no/such.safetensors", "/no/such.safetensors: there is no such file"),
    ],
)
def test_a_warm_start_that_cannot_be(warm_start: str, message: str, weights: dict[str, Path], tmp_path: Path) -> None:
    made = with_options(network=Network("tokens_32", warm_start=warm_start.format(**weights)))
    with pytest.raises(SandtableError) as caught:
        self_play_training.train(made, tmp_path)
    assert message.format(**weights) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    def within(_: Any) -> None:
        with pytest.raises(RecipeError, match="another process is at work on this training"):
            self_play_training.train(TINY["tokens_32"], tmp_path)

    self_play_training.train(with_options(games=3), tmp_path, watch=within)


# Folders that are not what they should be.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which six of nine games were played."""
    folder = tmp_path_factory.mktemp("trained")

    def watch(now: self_play_training.Progress) -> None:
        if now.games == 9:
            raise InterruptedError  # before the third checkpoint

    with pytest.raises(InterruptedError):
        self_play_training.train(TINY["tokens_32"], folder, watch=watch)
    return folder


def retensored(path: Path, change: Callable[[dict[str, Any], dict[str, str]], Any]) -> None:
    with safe_open(path, framework="pt") as file:
        about = file.metadata()
    tensors = load_file(path)
    change(tensors, about)
    save_file(tensors, path, about)


def drop(part: str) -> Callable[[Path], Any]:
    def change(tensors: dict[str, Any], _: Any) -> None:
        for key in [key for key in tensors if key.startswith(part)]:
            del tensors[key]

    return lambda path: retensored(path, change)


def renamed(old: str, new: str) -> Callable[[Path], Any]:
    def change(tensors: dict[str, Any], _: Any) -> None:
        for key in [key for key in tensors if key.startswith(old)]:
            tensors[new + key.removeprefix(old)] = tensors.pop(key)

    return lambda path: retensored(path, change)


def retold(**changes: Any) -> Callable[[Path], Any]:
    def change(_: Any, about: dict[str, str]) -> None:
        about["training"] = json.dumps(json.loads(about["training"]) | changes)

    return lambda path: retensored(path, change)


SPOILED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "not a training to go on with"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-99]), "not a training to go on with"),
    "text": (lambda path: path.write_bytes(b"nonsense\n" * 99), "not a training to go on with"),
    "a net": (lambda path: save_file({"x": torch.zeros(2)}, path), "not a training to go on with"),
    "a later version": (retold(version=99), "a training with other version"),
    "no progress": (retold(progress={"steps": 3}), "not a training to go on with"),
    "progress of words": (retold(progress="far"), "not a training to go on with"),
    "a memory of words": (retold(memory=["x"]), "not a training to go on with"),
    "a memory that is gone": (retold(memory=[55]), "the replay buffer cannot be filled again"),
    "no weights": (drop("now."), "the training of another network"),
    "no mean": (drop("average."), "not a training to go on with"),
    "a part of the mean": (drop("average.enter"), "not a training to go on with"),
    "nothing published": (drop("published."), "not a training to go on with"),
    "moments of nobody": (renamed("moments.1.", "moments.x."), "the training of another network"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_damaged_resume_gets_one_line(name: str, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "copy")
    spoil, message = SPOILED[name]
    spoil(tmp_path / "copy/resume")
    with pytest.raises(CheckpointError) as caught:
        self_play_training.train(TINY["tokens_32"], tmp_path / "copy")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_recipe_in_the_same_folder_is_refused(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "copy")
    for other in (with_options(seed=77), with_options(games=12), TINY["kimura_sep_1"]):
        with pytest.raises(CheckpointError) as caught:
            self_play_training.train(other, tmp_path / "copy")
        assert (
            str(caught.value)
            == f"{tmp_path / 'copy/resume'}: a training with other recipe; delete the file to begin anew"
        )
    self_play_training.train(TINY["tokens_32"], tmp_path / "copy")
    assert told(tmp_path / "copy") == undisturbed("tokens_32")


def test_who_deletes_the_file_begins_anew(trained: Path, tmp_path: Path) -> None:
    """As the message says: nothing of the other training is left over."""
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    (folder / "resume").unlink()
    for number in (400, 500, 600):  # weights that the other one has published
        for path in list((folder / "published").glob("00000000.*")) or list((folder / "published").glob("*.*")):
            shutil.copy(path, folder / "published" / f"{number:08d}{path.suffix}")
    (folder / "snapshots").mkdir()
    (folder / "snapshots/0min.safetensors").write_text("the other's")
    self_play_training.train(with_options(snapshots=(0.0,)), folder)
    again = told(folder)
    assert again["net"] == undisturbed("tokens_32")["net"]
    assert again["games"] == undisturbed("tokens_32")["games"]
    assert [row["games"] for row in self_play_training.curve(folder)] == [3, 6, 9]
    assert read_card(folder / "snapshots/0min.safetensors").training["games"] == 3


def test_weights_published_after_the_checkpoint_are_forgotten(trained: Path, tmp_path: Path) -> None:
    """However many there were: workers must find those that the training goes on with."""
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    last = sorted((folder / "published").glob("*.safetensors"))[-1]
    for number in range(50, 55):
        for suffix in (".safetensors", ".onnx", ".json"):
            shutil.copy(last.with_suffix(suffix), folder / "published" / f"{number:08d}{suffix}")
    self_play_training.train(TINY["tokens_32"], folder)
    assert told(folder) == undisturbed("tokens_32")


def test_weights_that_are_replaced_while_they_are_read(
    weights: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may be slow: then what it was about to read is gone, and there is something newer."""
    published = tmp_path / "published"
    published.mkdir()
    (published / "latest").write_text("00000001\n")

    def read(path: Path, *rest: Any) -> Any:
        for suffix in (".safetensors", ".onnx", ".json"):
            shutil.copy(weights["tokens_32"].with_suffix(suffix), published / f"00000002{suffix}")
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
    with pytest.raises(CheckpointError, match="there is none"):
        self_play_training._task(published, TINY["tokens_32"], 0)


def test_weights_that_are_replaced_during_a_match(
    weights: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match may take longer than the weights are kept."""
    for suffix in (".safetensors", ".onnx", ".json"):
        shutil.copy(weights["tokens_32"].with_suffix(suffix), tmp_path / f"00000001{suffix}")
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


def test_a_training_by_the_clock_needs_no_memory_for_its_tasks(tmp_path: Path) -> None:
    training = self_play_training._Training(with_options(games=0, minutes=10), tmp_path, 1, None, lambda now: None)
    tracemalloc.start()
    tasks = training._tasks()
    assert len(next(tasks).value.games) == 3
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_workers_are_told_where_the_weights_are_wherever_they_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    training = self_play_training._Training(TINY["tokens_32"], Path("here"), 1, None, lambda now: None)
    tasks = training._tasks()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert next(tasks).error is None


def test_dropout_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"^network.dropout: tokens_32 has none$"):
        self_play_training.train(with_options(network=Network("tokens_32", dropout=0.1)), tmp_path)


# The docs.

SECTIONS = {"": Recipe, "[network]": Network, "[[maps]]": Maps, "[search]": Search, "[learning]": Learning}
SECTIONS |= {"[strength]": Strength, "[turns]": Turns}


def test_every_key_is_in_the_docs() -> None:
    """docs/training.md has a table a section, with the defaults that the classes have."""
    text = (Path(__file__).parent.parent / "docs/training.md").read_text()
    found: dict[str, dict[str, str]] = {}
    table = r"^(\S*)[^\n]*\n\n<!-- settings[^\n]*\n\n\| key \| default \|.*?\n\|[-| ]+\n(.*?)\n\n"
    for heading, rows in re.findall(table, text, re.M | re.S):
        cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]
        found[re.sub(r"[`:,]|^At$", "", heading)] = {key.strip("`"): default.strip("`") for key, default, *_ in cells}
    for section, kind in SECTIONS.items():
        expected = {}
        for one in dataclasses.fields(kind):
            default = one.default if one.default_factory is dataclasses.MISSING else one.default_factory()
            if default is dataclasses.MISSING or dataclasses.is_dataclass(default):
                expected[one.name] = ""
            else:
                expected[one.name] = toml(default)
        assert found[section] == expected, section


def toml(value: Any) -> str:
    if value == 2**62:
        return "2**62"
    return json.dumps(value) if isinstance(value, bool | str) else repr(value).replace("()", "[]")


# The command.


def command(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return commands.run(commands.command("train", *arguments), folder)


TOML = """
name = "small"
games = 4
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


def without_room(folder: Path) -> None:
    """The command where no file may become larger than this: as on a disk that is full."""
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    sys.argv = ["sandtable", "train", "small.toml", "--workers", "1"]
    with open("errors.txt", "w") as sys.stderr:  # noqa: PTH123
        cli.main()


def test_the_command_trains_goes_on_and_says_where(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TOML)
    child = multiprocessing.get_context("fork").Process(target=without_room, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 2
    assert (tmp_path / "errors.txt").read_text() == "sandtable: runs/small/resume: File too large\n"
    assert not list((tmp_path / "runs/small").glob(".*"))
    done = command(tmp_path, "small.toml", "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "runs/small/net.safetensors\n"
    assert "games 2" in done.stderr
    self_play_training.train(recipe.load(tmp_path / "small.toml"), tmp_path / "here")
    assert told(tmp_path / "here")["net"] == told(tmp_path / "runs/small")["net"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "recipe.toml: there is no such file"),
        (TOML.replace("games = 4", "gamse = 4"), "there is no key 'gamse' (did you mean 'games'?)"),
    ],
)
def test_bad_input_of_the_command_gets_one_line(text: str | None, words: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "recipe.toml").write_text(text)
    done = command(tmp_path, "recipe.toml", "--workers", 1)
    assert done.returncode == 2
    assert done.stderr.startswith("sandtable: recipe.toml: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()
