"""Training by self-play: games and their files, the replay buffer, and losses."""

import dataclasses
import functools
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import sandtable as st
from sandtable.errors import CheckpointError
from sandtable.learn import optimisation
from sandtable.learn.recipe import Learning
from sandtable.learn.replay_buffer import ReplayBuffer
from sandtable.nets import checkpoints
from sandtable.nets.architectures import POLICIES
from sandtable.tubstap import Move
from sandtable.tubstap.training import losses as policy_losses
from sandtable.tubstap.training import self_play
from sandtable.tubstap.training.self_play import Game, Sample
from support.boards import field, turned_move, turned_scenario
from support.damage import flip
from support.tiny_trainings import TINY

torch.set_num_threads(1)  # as training does


each_network = pytest.mark.parametrize("name", TINY)


@functools.cache
def some_games(path: Path, name: str, count: int = 6) -> list[Game]:
    return self_play.play(path, TINY[name], range(count)).games


@functools.cache
def some_samples(path: Path, name: str) -> list[Sample]:
    return [sample for game in some_games(path, name) for sample in self_play.samples(game, TINY[name])]


# Games and their files.


@each_network
def test_games_are_played_to_their_end(name: str, tiny_nets: dict[str, Path]) -> None:
    made = TINY[name]
    played = self_play.play(tiny_nets[name], made, range(6))
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
    again = self_play.play(tiny_nets[name], made, [4]).games[0]  # alone, and later
    assert same(again, played.games[4])


@each_network
def test_samples_have_the_result_of_the_side_to_move(name: str, tiny_nets: dict[str, Path]) -> None:
    made, results = TINY[name], set()
    for game in some_games(tiny_nets[name], name):
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


@each_network
def test_games_round_trip_through_their_file(name: str, tiny_nets: dict[str, Path], tmp_path: Path) -> None:
    games = some_games(tiny_nets[name], name)
    self_play.save(games, tmp_path / "games.npz")
    back = self_play.load(tmp_path / "games.npz")
    assert all(same(one, self_play.rounded(other)) for one, other in zip(back, games, strict=True))
    assert np.abs(back[0].policy - games[0].policy).max() < 1e-3


def resave(path: Path, **changes: Any) -> None:
    with np.load(path) as found:
        arrays = {name: found[name] for name in found.files} | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "a flipped bit": flip,
    "text": lambda path: path.write_text("nonsense\n"),
    "one array": lambda path: np.save(path.open("wb"), np.zeros(3)),
    "an empty archive": lambda path: zipfile.ZipFile(path, "w").close(),
    "an array missing": lambda path: resave(path, counts=None),
    "objects": lambda path: resave(path, moves=np.array([{}], object)),
    "too few moves": lambda path: resave(path, moves=np.zeros(3, np.uint16)),
    "too many shares": lambda path: resave(path, policy=np.zeros(10**4, np.float16)),
    "too few games": lambda path: resave(path, number=np.zeros(1, np.int64)),
    "illegal moves": lambda path: resave(path, moves=np.load(path)["moves"] + 9000),
    "texts": lambda path: resave(path, moves=np.array(["a"])),
    "two dimensions": lambda path: resave(path, decisions=np.zeros((2, 2), np.int64)),
    "of another map": lambda path: resave(path, number=np.load(path)["number"] + 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_games_gets_a_one_line_error(damage: str, tiny_nets: dict[str, Path], tmp_path: Path) -> None:
    made = TINY["kimura_sep_1"]
    memory = ReplayBuffer(made, tmp_path)
    memory.add(7, some_games(tiny_nets["kimura_sep_1"], "kimura_sep_1"))
    DAMAGES[damage](tmp_path / "0000007.npz")
    with pytest.raises(CheckpointError) as caught:
        ReplayBuffer(made, tmp_path).fill([7])
    assert "the replay buffer cannot be restored: " in str(caught.value)
    assert "0000007.npz" in str(caught.value)
    assert "\n" not in str(caught.value)


@each_network
def test_a_refilled_replay_buffer_gives_the_same_samples(name: str, tiny_nets: dict[str, Path], tmp_path: Path) -> None:
    made, games = TINY[name], some_games(tiny_nets[name], name)
    memory = ReplayBuffer(made, tmp_path)
    for task, game in enumerate(games):
        assert memory.add(task, [game]) == len(game.moves)
    held = sum(len(game.moves) for task, game in enumerate(games) if task in memory.tasks)
    assert len(memory) == held
    assert held >= min(made.learning.memory, sum(len(game.moves) for game in games))
    assert memory.tasks == list(range(6))[-len(memory.tasks) :]
    first = len(games[memory.tasks[0]].moves)
    assert len(memory.tasks) == 1 or held - first < made.learning.memory  # no more games than needed
    again = ReplayBuffer(made, tmp_path)
    again.fill(memory.tasks)
    assert again.tasks == memory.tasks
    for one, other in zip(*(held.draw(50, np.random.default_rng(1)) for held in (memory, again)), strict=True):
        assert one.state.hash() == other.state.hash()
        assert np.array_equal(one.policy, other.policy)
        assert (one.full, one.result, one.last_hp.tolist()) == (other.full, other.result, other.last_hp.tolist())
    memory.forget_files()
    assert sorted(int(path.stem) for path in tmp_path.glob("*.npz")) == memory.tasks


def test_samples_are_drawn_from_the_whole_replay_buffer(tiny_nets: dict[str, Path], tmp_path: Path) -> None:
    memory = ReplayBuffer(TINY["tokens_32"], tmp_path)
    memory.add(0, some_games(tiny_nets["tokens_32"], "tokens_32"))
    drawn = memory.draw(40 * len(memory), np.random.default_rng(0))
    assert len({id(sample) for sample in drawn}) == len(memory)


# Losses.


def losses(name: str, module: nn.Module, batch: Sequence[Sample], how: Learning, number: int = 0) -> dict[str, float]:
    """The losses with the board transformed by the symmetry of that number."""

    class Chosen(np.random.Generator):
        def integers(self, *_: Any, **__: Any) -> Any:
            return number

    generator = Chosen(np.random.PCG64(0))
    with torch.no_grad():
        found = policy_losses.losses(module, POLICIES[name].encoder, batch, how, generator)
    return {key: float(value) for key, value in found.items()}


@each_network
def test_the_loss_is_computed_on_the_device_of_the_network(name: str, tiny_nets: dict[str, Path]) -> None:
    batch, how = some_samples(tiny_nets[name], name)[:40:2], Learning(symmetries=True)
    for masked in (True, False):
        module = checkpoints.load(tiny_nets[name]).to("meta")
        found = policy_losses.losses(
            module, POLICIES[name].encoder, batch, dataclasses.replace(how, masked=masked), np.random.default_rng(1)
        )
        found["total"].backward()  # type: ignore[no-untyped-call]
        assert all(loss.device.type == "meta" for loss in found.values())


@each_network
def test_the_loss_matches_its_formula(name: str, tiny_nets: dict[str, Path]) -> None:
    batch, how = (
        some_samples(tiny_nets[name], name)[:40:2],
        Learning(symmetries=False, value_weight=0.7, fate_weight=0.4),
    )
    module, encoder = checkpoints.load(tiny_nets[name]), POLICIES[name].encoder
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


@each_network
def test_learning_reduces_the_loss_on_a_fixed_batch(name: str, tiny_nets: dict[str, Path]) -> None:
    how = dataclasses.replace(TINY[name].learning, rate=0.01)
    batch = []
    for sample in some_samples(tiny_nets[name], name)[:24]:  # with something to learn: one move is right
        right = np.zeros_like(sample.policy)
        right[sample.policy.argmax()] = 1
        batch.append(sample._replace(policy=right))
    module = checkpoints.load(tiny_nets[name])
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


def test_augmentation_gives_the_loss_of_the_transformed_board(tiny_nets: dict[str, Path]) -> None:
    """Planes, answers and shares are transformed together."""
    module = checkpoints.load(tiny_nets["kimura_sep_1"])
    how = Learning()
    for sample in some_samples(tiny_nets["kimura_sep_1"], "kimura_sep_1")[::5]:
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
        """Depends on how far the unit goes, and to which ring of the board."""
        unit = state.units[move.unit]
        ring = max(abs(2 * move.x - 7), abs(2 * move.y - 7))
        return 1 + ring + 3 * (abs(unit.x - move.x) + abs(unit.y - move.y)) + (move.target is not None)

    shares = np.array([share(move) for move in moves], np.float32)
    return Sample(state, shares / shares.sum(), True, 1.0, np.zeros(8, np.float32))


@pytest.mark.parametrize("training", [False, True])
def test_a_symmetric_position_has_one_loss_under_all_symmetries(training: bool, tiny_nets: dict[str, Path]) -> None:
    module = checkpoints.load(tiny_nets["kimura_sep_1"]).train(training)
    sample = symmetric_sample()
    expected = losses("kimura_sep_1", module, [sample], Learning(symmetries=False))
    for number in range(8):
        assert losses("kimura_sep_1", module, [sample], Learning(), number) == pytest.approx(expected, abs=1e-5)
    other = some_samples(tiny_nets["kimura_sep_1"], "kimura_sep_1")[3]
    found = {losses("kimura_sep_1", module, [other], Learning(), number)["policy"] for number in range(8)}
    assert len(found) > 4  # other positions' losses depend on the symmetry


def test_learning_rates_halve() -> None:
    how = Learning(rate=0.1, half_life=100)
    assert [optimisation.learning_rate(how, update) for update in (0, 100, 300)] == pytest.approx([0.1, 0.05, 0.0125])
    assert optimisation.learning_rate(Learning(rate=0.1), 10**6) == 0.1
