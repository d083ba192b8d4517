"""Data sets from records, and training that can be stopped anywhere."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

import sandtable as st
from sandtable.arena import Record
from sandtable.errors import CheckpointError, SandtableError
from sandtable.learn import samples, supervised
from sandtable.nets.architectures import ARCHITECTURES, ATTACK_GRAPH, UNIT_IMAGE
from sandtable.nets.classifier import Classifier

HOW = supervised.Settings(batch=16, patience=6, max_epochs=6, seed=5)


def games(count: int = 4) -> list[Record]:
    return [st.play(st.tubstap.maps.random(i), "uct(simulations=20)", "random", seed=i) for i in range(count)]


def build() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(216, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1), nn.Flatten(0))


def data() -> tuple[samples.Samples, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    made = samples.encoded(games(), range(4), ATTACK_GRAPH)
    return made, made.games == 3


def test_samples_are_all_states_with_the_result_for_the_side_to_move() -> None:
    records = games()
    made = samples.encoded(records, [7, 8, 9, 10], UNIT_IMAGE)
    assert len(made) == sum(len(record.moves) for record in records)
    at = 0
    for number, record in zip([7, 8, 9, 10], records, strict=True):
        for state in list(record.states())[:-1]:
            assert isinstance(state, st.tubstap.State)
            wanted = 0 if record.winner is None else 1 if record.winner == state.side else -1
            assert made.values[at] == wanted
            assert made.games[at] == number
            assert np.array_equal(made.inputs[at], UNIT_IMAGE.make().encode([state])[0])
            at += 1


def test_samples_round_trip_and_damaged_files_are_refused(tmp_path: Path) -> None:
    made, _ = data()
    samples.save(made, tmp_path)
    again = samples.load(tmp_path)
    assert all(np.array_equal(getattr(made, name), getattr(again, name)) for name in ("inputs", "values", "games"))
    values = tmp_path / "values.npy"
    whole = values.read_bytes()
    np.save(tmp_path / "pickled.npy", np.array([{"a": 1}], dtype=object))
    for bad in (b"", whole[:40], whole[:-9], b"nonsense", (tmp_path / "pickled.npy").read_bytes()):
        values.write_bytes(bad)
        with pytest.raises(SandtableError, match=r"values\.npy: not an array of a data set") as caught:
            samples.load(tmp_path)
        assert "\n" not in str(caught.value)
    np.save(values, made.values[:-1])
    with pytest.raises(SandtableError, match="differ in length"):
        samples.load(tmp_path)
    np.save(values, made.values.astype(np.float64))
    with pytest.raises(SandtableError, match="float64 instead of float32"):
        samples.load(tmp_path)
    values.unlink()
    with pytest.raises(SandtableError, match=r"values\.npy"):
        samples.load(tmp_path)


def test_an_empty_data_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SandtableError, match="an empty data set"):
        samples.encoded([], [], ATTACK_GRAPH)
    samples.save(
        samples.Samples(np.zeros((0, 6, 6, 6), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int32)), tmp_path
    )
    with pytest.raises(SandtableError, match="an empty data set"):
        samples.load(tmp_path)


def test_a_split_keeps_games_whole() -> None:
    numbers = [3] * 5 + [4] * 9 + [8] * 2 + [9] * 4
    held = samples.split_by_game(numbers, 0.5, seed=1)
    assert len(held) == 2
    assert held == samples.split_by_game(reversed(numbers), 0.5, seed=1)
    assert held < {3, 4, 8, 9}
    assert len(samples.split_by_game([5], 0.1, seed=1)) == 1


class StopError(Exception):
    pass


@pytest.mark.parametrize("after", [1, 2, 4])
def test_an_interrupted_training_ends_with_the_same_weights(tmp_path: Path, after: int) -> None:
    torch.set_num_threads(1)
    made, held_out = data()
    straight, progress = supervised.train(build, made, held_out, HOW, tmp_path / "straight.resume")
    assert progress.epochs > after

    def stop(now: supervised.Progress) -> None:
        if now.epochs == after:
            raise StopError

    with pytest.raises(StopError):
        supervised.train(build, made, held_out, HOW, tmp_path / "stopped.resume", watch=stop)
    resumed, again = supervised.train(build, made, held_out, HOW, tmp_path / "stopped.resume")
    for (name, ours), theirs in zip(straight.state_dict().items(), resumed.state_dict().values(), strict=True):
        assert torch.equal(ours, theirs), name
    timeless = [[{k: v for k, v in row.items() if k != "seconds"} for row in one.curve] for one in (progress, again)]
    assert timeless[0] == timeless[1]
    assert progress.best_epoch == again.best_epoch


def test_training_learns_and_keeps_the_best_epoch(tmp_path: Path) -> None:
    made, held_out = data()
    how = supervised.Settings(batch=16, patience=50, max_epochs=25, learning_rate=0.01)
    module, progress = supervised.train(build, made, held_out, how, tmp_path / "resume")
    losses = [row["held_out_loss"] for row in progress.curve]
    assert progress.curve[-1]["loss"] < 0.5 * progress.curve[0]["loss"]
    assert progress.best_epoch == losses.index(min(losses)) + 1
    values = supervised.predictions(module, made.inputs[held_out]).numpy()
    assert np.mean((values - made.values[held_out]) ** 2) == pytest.approx(min(losses), rel=1e-4)


def test_the_best_epoch_can_be_chosen_by_another_column(tmp_path: Path) -> None:
    made, held_out = data()
    grades = iter([0.3, 0.9, 0.1, 0.9, 0.2])
    how = supervised.Settings(batch=16, patience=3, max_epochs=9, best_by="grade")
    _, progress = supervised.train(
        build, made, held_out, how, tmp_path / "resume", measure=lambda module: {"grade": next(grades)}
    )
    assert (progress.best_epoch, progress.epochs) == (2, 5)
    with pytest.raises(SandtableError, match="no column of the curve is called 'garde'"):
        supervised.train(build, made, held_out, supervised.Settings(best_by="garde"), tmp_path / "other")


def test_a_training_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    made, held_out = data()
    path = tmp_path / "net.resume"
    supervised.train(build, made, held_out, HOW, path)
    whole = path.read_bytes()

    def other() -> nn.Module:
        return nn.Sequential(nn.Flatten(), nn.Linear(216, 1), nn.Flatten(0))

    with pytest.raises(CheckpointError, match="another network"):
        supervised.train(other, made, held_out, HOW, path)
    with pytest.raises(CheckpointError, match="differs in settings"):
        supervised.train(build, made, held_out, supervised.Settings(batch=17), path)
    with pytest.raises(CheckpointError, match="differs in data"):
        supervised.train(build, made, made.games == 2, HOW, path)
    with pytest.raises(CheckpointError, match="differs in data"):
        supervised.train(build, samples.Samples(made.inputs, -made.values, made.games), held_out, HOW, path)
    for bad in (b"", b"nonsense", whole[:100], whole[:-5]):
        path.write_bytes(bad)
        with pytest.raises(CheckpointError, match="this training cannot be resumed") as caught:
            supervised.train(build, made, held_out, HOW, path)
        assert "\n" not in str(caught.value)


def test_errors_about_a_training_file_have_no_control_characters(tmp_path: Path) -> None:
    made, held_out = data()
    path = tmp_path / "net.resume"
    supervised.train(build, made, held_out, HOW, path)
    with safe_open(path, framework="pt") as file:
        kept = json.loads(file.metadata()["training"])
    header = rb'{"a":{"dtype":"\u001b[31mF","shape":[1],"data_offsets":[0,4]}}'
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 4)
    with pytest.raises(CheckpointError, match="this training cannot be resumed") as caught:
        supervised.train(build, made, held_out, HOW, path)
    assert str(caught.value).isprintable()
    kept["settings"]["\x1b[31m"] = 1
    save_file({}, path, {"training": json.dumps(kept)})
    with pytest.raises(CheckpointError, match="differs in settings") as caught:
        supervised.train(build, made, held_out, HOW, path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "changed",
    [{"best_epoch": "x"}, {"best_epoch": -1}, {"curve": [1]}, {"curve": [{}]}, {"curve": [{"held_out_loss": "x"}]}],
)
def test_a_training_file_that_was_changed_by_hand_is_refused(changed: dict[str, object], tmp_path: Path) -> None:
    made, held_out = data()
    path = tmp_path / "net.resume"
    supervised.train(build, made, held_out, HOW, path)
    with safe_open(path, framework="pt") as file:
        kept = json.loads(file.metadata()["training"])
    kept["progress"] |= changed
    save_file(load_file(path), path, {"training": json.dumps(kept)})
    with pytest.raises(CheckpointError, match="this training cannot be resumed"):
        supervised.train(build, made, held_out, HOW, path)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_loss_is_computed_on_the_network_s_device(name: str) -> None:
    known = ARCHITECTURES[name]
    made = samples.Samples(
        np.zeros((6, *known.encoder.shape), np.float32), np.zeros(6, np.float32), np.arange(6, dtype=np.int32)
    )
    how = supervised.Settings(loss="classes" if isinstance(known.build(), Classifier) else "squared")
    objective = supervised._Values(made, made.games == 5, how)
    found = objective.losses(known.build().to("meta"), next(objective.batches(0)))
    found.sums["loss"].backward()  # type: ignore[no-untyped-call]
    assert found.sums["loss"].device.type == "meta"
