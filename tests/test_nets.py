"""Value networks: their layers, their files, the evaluators that searches see, and minimax with one."""

import dataclasses
import hashlib
import json
import math
import pickle
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

import sandtable as st
from sandtable import _core, nets
from sandtable._core.tubstap import MinimaxSettings
from sandtable.errors import CheckpointError
from sandtable.nets import ARCHITECTURES, checkpoints, evaluators
from sandtable.nets.li2022 import Cnn, Gcn, GraphConvolution, KernelConvolution
from sandtable.players import spec_of
from sandtable.tubstap import Move, Scenario, State
from test_players import after
from test_tubstap_rules import field

Evaluator = _core.tubstap.Evaluator
AttackGraphEncoder = _core.tubstap.AttackGraphEncoder

Floats = NDArray[np.float32]

# Table 3; whatever is read differently, the counts are the paper's.
PRINTED = {"cnn_i": 174_721, "cnn_g": 76_705, "gcn_4": 76_433, "gcn_32": 596_225}
READINGS = {
    "cnn_i": ("", "_raw", "_text", "_text_raw"),
    "cnn_g": ("", "_raw"),
    "gcn_4": ("", "_raw", "_kernel", "_kernel_raw"),
    "gcn_32": ("", "_raw", "_kernel", "_kernel_raw"),
}
COUNTS = {name + reading: count for name, count in PRINTED.items() for reading in READINGS[name]}
RUNTIMES = ("onnx", "torch")


def net(architecture: str) -> nn.Module:
    """Weights at random, all of them, so that nothing is 0 or 1 where that would hide a slip, and values differ."""
    torch.manual_seed(20)
    module = ARCHITECTURES[architecture].build()
    factor = 1.3 if architecture.endswith("_raw") else 2  # raw inputs are larger: a tanh should not be 1
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if "running" in name:
                value.uniform_(0.1, 1)
            elif "bias" in name:
                value.uniform_(-0.2, 0.2)
            elif "weight" in name:
                value.mul_(factor)
    return module.eval()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A net of each architecture, saved."""
    folder = tmp_path_factory.mktemp("nets")
    made = {}
    for name in ARCHITECTURES:
        made[name] = folder / "deep" / f"{name}.safetensors"
        checkpoints.save(made[name], net(name), name, "digest of rules", {"seed": 20})
    return made


def random_states(count: int, size: int = 8) -> list[State]:
    """States of random games, at any time of a turn, with dead units in the later ones."""
    states: list[State] = []
    seed = 0
    while len(states) < count:
        maps = st.tubstap.maps
        state = (maps.symmetric(seed, size=size) if seed % 2 else maps.random(seed, size=size)).start()
        for number in range(60):
            if state.over:
                break
            if number % 3 == seed % 3:
                states.append(state.copy())
            attacks = [move for move in state.moves() if move.target is not None]
            state.play(attacks[number % len(attacks)] if attacks and number % 2 else state.random_move(number))
        seed += 1
    assert any(len(state.units) < 5 for state in states)
    return states[:count]


# Layers.


@pytest.mark.parametrize("name", COUNTS)
def test_weights_are_as_many_as_the_paper_prints(name: str) -> None:
    module = ARCHITECTURES[name].build()
    assert sum(parameter.numel() for parameter in module.parameters()) == COUNTS[name]
    assert all(parameter.requires_grad for parameter in module.parameters())


@pytest.mark.parametrize("name", COUNTS)
def test_a_net_gives_one_value_within_1_for_each_state(name: str) -> None:
    encoder = ARCHITECTURES[name].encoder
    encoded = torch.from_numpy(encoder.make().encode(random_states(40)))
    assert tuple(encoded.shape[1:]) == encoder.shape
    with torch.no_grad():
        values = net(name)(encoded)
    assert values.shape == (40,)
    assert values.abs().max() < 1
    assert values.std() > 0.01


@pytest.mark.parametrize(
    ("batch", "inputs", "outputs", "size"), [(1, 1, 1, 1), (3, 6, 16, 6), (4, 5, 2, 3), (2, 2, 7, 8)]
)
def test_a_graph_convolution_is_its_formula(batch: int, inputs: int, outputs: int, size: int) -> None:
    generator = torch.Generator().manual_seed(5)
    layer = GraphConvolution(inputs, outputs, size)
    adjacency = torch.randn(batch, size, size, generator=generator)
    x = torch.randn(batch, inputs, size, size, generator=generator)
    with torch.no_grad():
        layer.weight.normal_(generator=generator)
        layer.bias.normal_(generator=generator)
        found = layer(adjacency, x.transpose(1, 2)).transpose(1, 2)
    for b in range(batch):
        for f in range(outputs):
            total = layer.bias[f].detach().clone()
            for c in range(inputs):
                total += adjacency[b] @ x[b, c] @ torch.diag(layer.weight[f, c].detach())
            torch.testing.assert_close(found[b, f], total.clamp(min=0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("batch", "inputs", "outputs", "size"), [(1, 1, 1, 1), (3, 6, 16, 6), (4, 5, 2, 3), (2, 2, 7, 8)]
)
def test_a_kernel_convolution_is_its_formula(batch: int, inputs: int, outputs: int, size: int) -> None:
    """Every element by loops: row i and column j of output f."""
    torch.manual_seed(6)
    layer = KernelConvolution(inputs, outputs, size)
    x = torch.randn(batch, size, inputs, size)
    with torch.no_grad():
        found = layer(torch.full((batch, size, size), torch.nan), x).numpy()  # an adjacency is not read
    w, k = (one.detach().numpy().astype(float) for one in (layer.weight, layer.kernel))
    for b in range(batch):
        for f in range(outputs):
            for i in range(size):
                for j in range(size):
                    total = 0.0
                    for c in range(inputs):
                        for m in range(size):
                            total += float(x[b, i, c, m]) * w[f, c, m] * k[f, m, j]
                    assert found[b, i, f, j] == pytest.approx(max(total, 0.0), rel=1e-4, abs=1e-5)


def test_the_names_of_the_readings_are_their_options() -> None:
    for name in COUNTS:
        known = ARCHITECTURES[name]
        encoder = known.encoder
        assert known.name == name
        assert encoder.name.endswith("-raw") == name.endswith("_raw")
        assert ("-text" in encoder.name) == ("_text" in name)
        module = known.build()
        if isinstance(module, Gcn):
            assert isinstance(module.first, KernelConvolution if "_kernel" in name else GraphConvolution)
    assert len({ARCHITECTURES[name].encoder.name for name in COUNTS}) == 6
    assert nets.read_card(nets.locate("gcn_4")).known is ARCHITECTURES["gcn_4"]


def test_a_gcn_mixes_the_rows_of_those_that_can_attack_each_other() -> None:
    """The adjacency that its layers get has self loops and rows of sum 1; what they mix are the matrices."""
    module = net("gcn_4")
    assert isinstance(module, Gcn)
    seen: dict[str, tuple[Tensor, Tensor]] = {}
    last: list[Tensor] = []
    module.first.register_forward_pre_hook(lambda _, given: seen.update(first=given))
    module.second.register_forward_pre_hook(lambda _, given: seen.update(second=given))
    module.second.register_forward_hook(lambda _, given, out: last.append(out))
    matrices = AttackGraphEncoder().encode(random_states(30))
    with torch.no_grad():
        values = module(torch.from_numpy(matrices))
        expected = torch.tanh(module.value(torch.relu(module.hidden(last[0].flatten(1))))).squeeze(1)
    torch.testing.assert_close(values, expected)
    normal = np.zeros((30, 6, 6))
    for b in range(30):
        for i in range(6):
            row = [float(matrices[b, 0, i, j]) + (i == j) for j in range(6)]
            normal[b, i] = [value / sum(row) for value in row]
    for name in ("first", "second"):
        np.testing.assert_allclose(seen[name][0].numpy(), normal, rtol=1e-6)
    assert np.array_equal(seen["first"][1].transpose(1, 2).numpy(), matrices)


@pytest.mark.parametrize("name", ["cnn_i", "cnn_g", "cnn_i_text_raw"])
def test_a_cnn_is_its_layers(name: str) -> None:
    module = net(name)
    assert isinstance(module, Cnn)
    weights = module.state_dict()
    by_layer = [{key: weights[f"layers.{i}.{key}"] for key in ("weight", "bias")} for i in (0, 3, 6, 8, 11)]
    norm = {key: weights[f"layers.9.{key}"] for key in ("running_mean", "running_var", "weight", "bias")}
    x = torch.from_numpy(ARCHITECTURES[name].encoder.make().encode(random_states(20)))
    with torch.no_grad():
        out = torch.relu(nn.functional.conv2d(x, **by_layer[0]))
        out = nn.functional.max_pool2d(out, 2, stride=1)
        out = torch.relu(nn.functional.conv2d(out, **by_layer[1])).flatten(1)
        out = torch.relu(nn.functional.linear(out, **by_layer[2]))
        out = torch.relu(nn.functional.batch_norm(nn.functional.linear(out, **by_layer[3]), **norm))
        out = torch.tanh(nn.functional.linear(out, **by_layer[4])).squeeze(1)
        torch.testing.assert_close(module(x), out)


# Files.


@pytest.mark.parametrize("name", COUNTS)
def test_a_net_comes_back_as_it_was(name: str, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something is unpickled")

    for owner, words in ((pickle, ("load", "loads", "Unpickler")), (torch, ("load",))):
        for word in words:
            monkeypatch.setattr(owner, word, refuse)
    path = files[name]
    encoded = torch.from_numpy(ARCHITECTURES[name].encoder.make().encode(random_states(20)))
    with torch.no_grad():
        assert torch.equal(checkpoints.load(path)(encoded), net(name)(encoded))
    card = nets.read_card(path)
    assert (card.architecture, card.game, card.rules, card.training) == (
        name,
        "tubstap",
        "digest of rules",
        {"seed": 20},
    )
    assert card.weights == COUNTS[name]
    assert card.known is ARCHITECTURES[name]


def test_a_net_is_three_files_of_open_formats(files: dict[str, Path]) -> None:
    path = files["cnn_g"]
    assert sorted(one.name for one in path.parent.glob("cnn_g.*")) == ["cnn_g.json", "cnn_g.onnx", "cnn_g.safetensors"]
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    assert set(header) == set(net("cnn_g").state_dict())
    assert max(entry["data_offsets"][1] for entry in header.values()) == len(data) - 8 - length
    graph = onnx.load_model_from_string(path.with_suffix(".onnx").read_bytes())
    onnx.checker.check_model(graph)
    assert not any(tensor.external_data for tensor in graph.graph.initializer)
    session = onnxruntime.InferenceSession(path.with_suffix(".onnx").read_bytes(), providers=["CPUExecutionProvider"])
    for batch in (1, 3):
        (values,) = session.run(["values"], {"inputs": np.zeros((batch, 6, 6, 6), np.float32)})
        assert values.shape == (batch,)
    card = json.loads(path.with_suffix(".json").read_text())
    assert card["sha256"] == hashlib.sha256(data).hexdigest()
    assert (card["format"], card["version"], card["licence"]) == ("sandtable-net", 1, "Apache-2.0")


@pytest.mark.parametrize("name", COUNTS)
def test_both_runtimes_give_the_same_values(name: str, files: dict[str, Path]) -> None:
    states = random_states(300)
    by_onnx, by_torch = (nets.evaluator(str(files[name]), runtime).evaluate(states) for runtime in RUNTIMES)
    np.testing.assert_allclose(by_onnx, by_torch, atol=1e-5, rtol=0)
    assert by_torch.std() > 0.01
    with torch.no_grad():
        alone = net(name)(torch.from_numpy(ARCHITECTURES[name].encoder.make().encode(states)))
    np.testing.assert_allclose(by_torch, alone.numpy(), atol=1e-5, rtol=0)


def test_a_process_has_one_evaluator_of_each_kind(files: dict[str, Path]) -> None:
    path = files["gcn_4"]
    roundabout = path.parent / ".." / path.parent.name / path.name
    assert nets.evaluator(str(path), "onnx") is nets.evaluator(str(roundabout), "onnx")
    assert nets.evaluator(str(path), "onnx") is not nets.evaluator(str(path), "torch")


# Files that are not what they should be.


def edit_card(path: Path, **fields: object) -> None:
    where = path.with_suffix(".json")
    where.write_text(json.dumps(json.loads(where.read_text()) | fields))


def cut_card(path: Path, field: str) -> None:
    where = path.with_suffix(".json")
    where.write_text(json.dumps({key: value for key, value in json.loads(where.read_text()).items() if key != field}))


def set_card(path: Path, data: bytes) -> None:
    path.with_suffix(".json").write_bytes(data)


def set_weights(path: Path, data: bytes) -> None:
    """Other weights, and a card that vouches for them."""
    path.write_bytes(data)
    edit_card(path, sha256=hashlib.sha256(data).hexdigest())


def set_onnx(path: Path, data: bytes) -> None:
    path.with_suffix(".onnx").write_bytes(data)
    edit_card(path, onnx_sha256=hashlib.sha256(data).hexdigest())


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def spoil_one(path: Path, value: float) -> bytes:
    tensors = load_file(path)
    tensors["second.bias"][1, 2, 3] = value
    return to_bytes(tensors)


def onnx_of(name: str) -> bytes:
    return checkpoints._onnx_of(net(name), ARCHITECTURES[name])


# What is done to a gcn_4, the runtime that must notice, and what it must say.
SPOILED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no card": (lambda p: p.with_suffix(".json").unlink(), "auto", "a net needs a card, and there is none"),
    "no text": (lambda p: set_card(p, b"\xff\xfe\x00\x80"), "auto", "not a card: not JSON"),
    "no JSON": (lambda p: set_card(p, b"{'format': 1}"), "auto", "not a card: not JSON"),
    "deep JSON": (lambda p: set_card(p, b"[" * 200_000), "auto", "not a card: not JSON"),
    "a huge card": (lambda p: set_card(p, b" " * (3 << 20)), "auto", "not a card"),
    "JSON of a list": (lambda p: set_card(p, b"[1, 2]"), "auto", "its format is not 'sandtable-net'"),
    "wrong format": (lambda p: edit_card(p, format="tbsmap"), "auto", "its format is not 'sandtable-net'"),
    "no format": (lambda p: cut_card(p, "format"), "auto", "its format is not 'sandtable-net'"),
    "a later version": (lambda p: edit_card(p, version=2), "auto", "a card of version 2; this program reads 1"),
    "a word for a version": (lambda p: edit_card(p, version="\n\n"), "auto", "this program reads 1"),
    "a field missing": (lambda p: cut_card(p, "rules"), "auto", "rules is missing or not of type str"),
    "a field of another type": (
        lambda p: edit_card(p, weights="many"),
        "auto",
        "weights is missing or not of type int",
    ),
    "a truth for a number": (lambda p: edit_card(p, weights=True), "auto", "weights is missing or not of type int"),
    "unknown architecture": (lambda p: edit_card(p, architecture="gnc_4"), "auto", "did you mean 'gcn_4'?"),
    "far from any name": (lambda p: edit_card(p, architecture="\nx"), "auto", "no architecture is called"),
    "a later encoder": (
        lambda p: edit_card(p, encoder_version=2),
        "auto",
        "gcn_4 now reads tubstap-attack-graph version 1",
    ),
    "another encoder": (
        lambda p: edit_card(p, encoder="tubstap-unit-image"),
        "auto",
        "made for the encoder 'tubstap-unit-image'",
    ),
    "no weights": (lambda p: p.unlink(), "auto", "there is no such file"),
    "weights cut short": (truncate, "torch", "or damaged"),
    "a bit of the weights": (flip, "torch", "or damaged"),
    "weights of another net": (lambda p: p.write_bytes(spoil_one(p, 0.5)), "torch", "or damaged"),
    "cut short, with its card": (lambda p: set_weights(p, p.read_bytes()[:-9]), "torch", "not a file of weights"),
    "no file of weights": (lambda p: set_weights(p, b"\n" * 99), "torch", "not a file of weights"),
    "weights of another kind": (
        lambda p: set_weights(p, to_bytes(net("gcn_32").state_dict())),
        "torch",
        "these are not the weights of gcn_4",
    ),
    "weights of other layers": (
        lambda p: set_weights(p, to_bytes(net("cnn_i").state_dict())),
        "torch",
        "these are not the weights of gcn_4",
    ),
    "a weight that is no number": (lambda p: set_weights(p, spoil_one(p, math.nan)), "torch", "not numbers"),
    "an infinite weight": (lambda p: set_weights(p, spoil_one(p, math.inf)), "torch", "not numbers"),
    "no .onnx": (lambda p: p.with_suffix(".onnx").unlink(), "onnx", "there is no such file"),
    ".onnx cut short": (lambda p: truncate(p.with_suffix(".onnx")), "onnx", "or damaged"),
    "a bit of the .onnx": (lambda p: flip(p.with_suffix(".onnx")), "onnx", "or damaged"),
    ".onnx that is none": (lambda p: set_onnx(p, b"\n no \n" * 99), "onnx", ".onnx: "),
    ".onnx of nothing": (lambda p: set_onnx(p, b""), "onnx", ".onnx: "),
    ".onnx of another kind": (lambda p: set_onnx(p, onnx_of("cnn_i")), "onnx", ".onnx: "),
}


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_files_get_one_clear_line(name: str, files: dict[str, Path], tmp_path: Path) -> None:
    spoil, runtime, message = SPOILED[name]
    for suffix in (".safetensors", ".json", ".onnx"):
        shutil.copy(files["gcn_4"].with_suffix(suffix), tmp_path)
    path = tmp_path / "gcn_4.safetensors"
    spoil(path)
    with pytest.raises(CheckpointError) as caught:
        nets.evaluator(str(path), runtime)
    assert message in str(caught.value)
    assert "gcn_4" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(st.PlayerError) as refused:
        st.player(f"minimax(evaluator={str(path)!r}, runtime={runtime})")
    assert str(refused.value) == f"minimax: {caught.value}"


@pytest.mark.parametrize(
    ("given", "runtime", "message"),
    [
        ("no_such_net", "auto", "no net is called 'no_such_net'"),
        ("", "auto", "no net is called ''"),
        ("two\nlines", "auto", "no net is called 'two\\nlines'"),
        ("gcn_4.json", "auto", "the file of one ends in .safetensors"),
        ("/no/such/file.safetensors", "auto", "/no/such/file.safetensors: there is no such file"),
        ("/.safetensors", "onnx", "there is no such file"),
        ("\0.safetensors", "onnx", "there is no such file"),
        ("no_such_net", "tensorflow", "no runtime is called 'tensorflow'; there are auto, onnx, torch"),
    ],
)
def test_nets_that_are_not_there(given: str, runtime: str, message: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        nets.evaluator(given, runtime)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_runtimes_that_are_not_installed(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = files["gcn_4"]
    with monkeypatch.context() as patch:
        patch.setattr(evaluators, "find_spec", lambda name: None)
        with pytest.raises(CheckpointError, match=r"need onnxruntime or torch: pip install 'sandtable\[play\]'"):
            evaluators.network_of(path, "auto")
    for runtime, module in (("onnx", "onnxruntime"), ("torch", "torch")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(CheckpointError, match=f"{module} is not installed: pip install"):
                evaluators.network_of(path, runtime)


# Evaluators.


class Counting:
    """A network that is a random linear map, and remembers what it was asked."""

    def __init__(self, values: int = 216) -> None:
        self.weights = np.random.default_rng(3).normal(size=values)
        self.asked: list[Floats] = []

    def __call__(self, inputs: Floats) -> Floats:
        self.asked.append(inputs.copy())
        return np.array([np.tanh(float(row @ self.weights) / 30) for row in inputs], np.float32)


def test_an_evaluator_hands_over_what_its_encoder_writes() -> None:
    states = random_states(50)
    for encoder in (
        AttackGraphEncoder(),
        AttackGraphEncoder(side_rows=5, scaled=False),
        _core.tubstap.UnitImageEncoder(),
    ):
        encoded = encoder.encode(states).reshape(50, -1)
        forward = Counting(encoded.shape[1])
        values = Evaluator(encoder, forward, batch=16, cache=0).evaluate(states)
        assert [len(batch) for batch in forward.asked] == [16, 16, 16, 2]
        assert np.array_equal(np.concatenate(forward.asked), encoded)
        assert np.array_equal(values, Counting(encoded.shape[1])(encoded))
        assert values.dtype == np.float32


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ["gcn_4", "cnn_i"])
def test_batches_of_any_size_give_the_same_values(name: str, runtime: str, files: dict[str, Path]) -> None:
    states, network = random_states(60), evaluators.network_of(files[name], runtime)
    encoder, shape = ARCHITECTURES[name].encoder.make(), ARCHITECTURES[name].encoder.shape

    def forward(inputs: np.ndarray) -> np.ndarray:
        return network(inputs.reshape(-1, *shape))[0]

    expected = Evaluator(encoder, forward, batch=1000, cache=0).evaluate(states)
    for batch in (1, 2, 7, 59, 60):
        values = Evaluator(encoder, forward, batch=batch, cache=0).evaluate(states)
        np.testing.assert_allclose(values, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("cache", [0, 1, 5, 1 << 20])
@pytest.mark.parametrize("batch", [4, 100])
def test_a_cache_changes_no_value(cache: int, batch: int) -> None:
    states = random_states(60)
    states += states[:20]
    evaluator = Evaluator(AttackGraphEncoder(), Counting(), batch=batch, cache=cache)
    expected = Counting()(AttackGraphEncoder().encode(states).reshape(80, -1))
    for order in (slice(None), slice(None, None, -1), slice(10, 50)):
        assert np.array_equal(evaluator.evaluate(states[order]), expected[order])
    assert evaluator.evaluated + evaluator.hits == 80 + 80 + 40
    if cache == 0:
        assert evaluator.hits == 0
    if cache == 1 << 20:
        # All of the second and third call; of the first, what came again after its batch.
        assert evaluator.hits == 80 + 40 + (20 if batch == 4 else 0)


def test_known_positions_are_counted_and_not_judged_again() -> None:
    states, forward = random_states(40), Counting()
    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=100, cache=1 << 20)
    assert (evaluator.evaluated, evaluator.hits, evaluator.forward_seconds) == (0, 0, 0)
    first = evaluator.evaluate(states)
    assert (evaluator.evaluated, evaluator.hits, len(forward.asked)) == (40, 0, 1)
    assert np.array_equal(evaluator.evaluate(states), first)
    assert (evaluator.evaluated, evaluator.hits, len(forward.asked)) == (40, 40, 1)
    assert evaluator.forward_seconds > 0
    assert evaluator.evaluate([]).shape == (0,)


def meeting(**changes: Any) -> Scenario:
    """Two against two; red to move."""
    units = [("infantry", 0, 3, 3, 8), ("panzer", 0, 4, 3, 7), ("infantry", 1, 3, 5, 6), ("antiair", 1, 5, 5, 5)]
    return dataclasses.replace(field(*units, rules="li2022"), **changes)


def changed(number: int, **changes: Any) -> Scenario:
    units = meeting().units
    return meeting(units=(*units[:number], units[number]._replace(**changes), *units[number + 1 :]))


def slower() -> Scenario:
    rules = st.tubstap.rules("li2022")
    return meeting(rules=rules.replace(movement=(9, 7, 6, 5, 6, 2)))


def wooded() -> Scenario:
    terrain = [list(row) for row in meeting().terrain]
    terrain[4][3] = 3
    return meeting(terrain=tuple(tuple(row) for row in terrain))


@pytest.mark.parametrize(
    ("other", "known"),
    [
        (meeting(turn=2), True),
        (meeting(turn=6, quiet=3), True),
        (meeting(hp_lost=True), True),
        (meeting(turn=1), False),  # the other side's turn
        (changed(0, acted=True), False),
        (changed(1, hp=6), False),
        (changed(2, x=4), False),
        (changed(3, kind="cannon"), False),
        (changed(0, kind="fighter"), False),
        (slower(), False),
        (wooded(), False),
        (field(*[unit[1:6] for unit in meeting().units], rules="li2022", size=9), False),
        (meeting(units=tuple(unit._replace(side=1 - unit.side) for unit in meeting().units)), False),
    ],
)
def test_what_counts_as_the_same_position(other: Scenario, known: bool) -> None:
    forward = Counting()
    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=8, cache=1 << 10)
    evaluator.evaluate([meeting().start()])
    value = evaluator.evaluate([other.start()])
    assert evaluator.hits == known
    encoded = AttackGraphEncoder().encode([other.start()]).reshape(1, -1)
    assert np.array_equal(value, Counting()(encoded))


def test_boards_of_all_sizes_in_one_batch() -> None:
    states = [st.tubstap.maps.symmetric(size, size=size).start() for size in (8, 20, 11, 32, 15, 8)]
    values = Evaluator(AttackGraphEncoder(), Counting(), batch=4, cache=8).evaluate(states)
    assert np.array_equal(values, Counting()(AttackGraphEncoder().encode(states).reshape(6, -1)))


def test_threads_share_an_evaluator() -> None:
    states = random_states(80)
    evaluator = Evaluator(AttackGraphEncoder(), Counting(), batch=7, cache=64)
    expected = Counting()(AttackGraphEncoder().encode(states).reshape(80, -1))
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: evaluator.evaluate(states), range(12)):
            assert np.array_equal(values, expected)
    assert evaluator.evaluated + evaluator.hits == 80 * 12


def test_values_are_for_the_side_to_move() -> None:
    evaluator = Evaluator(
        AttackGraphEncoder(), lambda inputs: np.full(len(inputs), 0.25, np.float32), batch=64, cache=64
    )

    def values(state: State, depth: int) -> set[float]:
        found = _core.tubstap.minimax(state, MinimaxSettings(depth=depth), seed=0, evaluator=evaluator)
        return {one.value for one in found.candidates}

    # Too far from each other to fight, so that each side has two operations in its turn.
    corners = [
        ("infantry", 0, 1, 1, 9),
        ("infantry", 0, 2, 1, 3),
        ("infantry", 1, 12, 12, 9),
        ("infantry", 1, 11, 12, 3),
    ]
    for turn in (0, 1):
        state = dataclasses.replace(field(*corners, rules="li2022", size=12), turn=turn).start()
        assert state.side == turn
        assert evaluator.evaluate([state]).tolist() == [0.25]
        assert [values(state, depth) for depth in (1, 2, 3)] == [{0.25}, {-0.25}, {-0.25}]
        state.play(state.moves()[0])
        assert [values(state, depth) for depth in (1, 2, 3)] == [{-0.25}, {-0.25}, {0.25}]


WRONG: dict[str, Callable[[Floats], Any]] = {
    "too many": lambda inputs: np.zeros(len(inputs) + 1, np.float32),
    "too few": lambda inputs: np.zeros(len(inputs) - 1, np.float32),
    "none": lambda inputs: np.zeros(0, np.float32),
    "two dimensions": lambda inputs: np.zeros((len(inputs), 1), np.float32),
    "no dimension": lambda inputs: np.zeros((), np.float32),
    "float64": lambda inputs: np.zeros(len(inputs)),
    "int32": lambda inputs: np.zeros(len(inputs), np.int32),
    "complex": lambda inputs: np.zeros(len(inputs), np.complex64),
    "texts": lambda inputs: np.array(["0"] * len(inputs)),
    "objects": lambda inputs: np.array([None] * len(inputs)),
    "a list": lambda inputs: [0.0] * len(inputs),
    "a number": lambda inputs: 0.5,
    "nothing": lambda inputs: None,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_network_that_answers_wrongly(name: str) -> None:
    answers: list[Callable[[Floats], Any]] = [WRONG[name], WRONG[name], Counting()]
    evaluator = Evaluator(AttackGraphEncoder(), lambda inputs: answers.pop(0)(inputs), batch=64, cache=64)
    state = meeting().start()
    with pytest.raises(ValueError, match="must return an array of float32, a value for each state"):
        evaluator.evaluate([state, state])
    with pytest.raises(ValueError, match="must return an array of float32, a value for each state"):
        _core.tubstap.minimax(state, MinimaxSettings(depth=1), seed=0, evaluator=evaluator)
    assert (evaluator.evaluated, evaluator.hits) == (0, 0)
    assert evaluator.evaluate([state]).shape == (1,)  # and what was wrong is not remembered
    assert evaluator.hits == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("a\nb"), KeyboardInterrupt(), MemoryError(), SystemExit(3)])
def test_a_network_that_raises(error: BaseException) -> None:
    broken = True

    def forward(inputs: Floats) -> Floats:
        if broken:
            raise error
        return Counting()(inputs)

    evaluator = Evaluator(AttackGraphEncoder(), forward, batch=1, cache=64)
    state = meeting().start()
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            evaluator.evaluate([state])
        assert caught.value is error
        with pytest.raises(type(error)):
            _core.tubstap.minimax(state, MinimaxSettings(depth=2), seed=0, evaluator=evaluator)
    broken = False
    assert evaluator.evaluate([state, state]).shape == (2,)
    assert (evaluator.evaluated, evaluator.hits) == (1, 1)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (5, "states must be a sequence"),
        ([5], "states must be states of TUBSTAP"),
        ([st.tubstap.maps.mixed(1, size=8, units=4).start()], "made for at most 3 units a side"),
    ],
)
def test_states_that_an_evaluator_cannot_judge(states: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Evaluator(AttackGraphEncoder(), Counting(), batch=4, cache=4).evaluate(states)
    assert "\n" not in str(caught.value)


# In a process of its own: a mistake here would end it.
NOTHING = """
from sandtable import _core
evaluator = _core.tubstap.Evaluator(_core.tubstap.AttackGraphEncoder(), len, batch=4, cache=4)
try:
    evaluator.evaluate([None])
except ValueError as error:
    assert "must be states" in str(error), error
else:
    raise AssertionError("None is no state")
"""


def test_nothing_is_no_state() -> None:
    done = subprocess.run([sys.executable, "-c", NOTHING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"ended by signal {-done.returncode}"


# Minimax with a network.


def minimax(state: State, evaluator: _core.tubstap.Evaluator) -> tuple[dict[Move, float], set[str]]:
    """Each move's value for the side to move after one more move, and what was met on the way."""
    children = {move: after(state, move) for move in state.moves()}
    leaves = {
        move: [child] if child.over else [after(child, reply) for reply in child.moves()]
        for move, child in children.items()
    }
    judged = iter(evaluator.evaluate([leaf for group in leaves.values() for leaf in group if not leaf.over]))

    def value(leaf: State) -> float:
        if leaf.over:
            return 0 if leaf.winner is None else 1 if leaf.winner == state.side else -1
        return float(next(judged)) * (1 if leaf.side == state.side else -1)

    found, met = {}, set()
    for move, child in children.items():
        values = [value(leaf) for leaf in leaves[move]]
        mine = child.side == state.side
        found[move] = max(values) if mine else min(values)
        met.add("the end after one" if child.over else "max" if mine else "min")
        met |= {"the end after two" for leaf in leaves[move] if leaf.over and not child.over}
    return found, met


def duel(red: float, blue: float, **changes: Any) -> Scenario:
    """Three against three of which one blue unit lives, close enough to die now; red's first has acted."""
    units = [("infantry", 0, 3, 3, red), ("panzer", 0, 4, 3, 7), ("infantry", 0, 7, 7, 2)]
    units += [("infantry", 1, 4, 5, blue), ("infantry", 1, 1, 1, 1), ("panzer", 1, 1, 2, 1)]
    scenario = field(*units, rules="li2022", acted=(0,))
    dead = tuple(unit._replace(x=0, y=0, hp=0) if unit.id > 3 else unit for unit in scenario.units)
    return dataclasses.replace(scenario, units=dead, **changes)


def later(seed: int, operations: int) -> State:
    """A game after so many operations, fighting when it can."""
    state = st.tubstap.maps.symmetric(seed).start()
    for number in range(operations):
        attacks = [move for move in state.moves() if move.target is not None]
        state.play(attacks[number % len(attacks)] if attacks else state.random_move(number))
    return state


# Positions, and what a search of two operations must meet in them.
SEARCHED = {
    "a turn begins": (later(4, 9), {"max"}),
    "two to move": (later(4, 7), {"max"}),
    "one to move": (later(4, 8), {"min"}),
    "blue, one to move": (later(11, 11), {"min"}),
    "late in a game": (later(12, 15), {"min"}),
    "the last enemy dies": (duel(9, 4).start(), {"max", "the end after one", "the end after two"}),
    "a tie without progress": (duel(1, 10, quiet=19).start(), {"max", "the end after two"}),
    "blue alone": (duel(1, 10, turn=1).start(), {"min"}),
}


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_minimax_with_a_network_is_a_plain_one(name: str, runtime: str, files: dict[str, Path]) -> None:
    state, expected = SEARCHED[name]
    evaluator = nets.evaluator(str(files["gcn_4"]), runtime)
    values, met = minimax(state, evaluator)
    assert met >= expected
    made: Any = st.player(f"minimax(evaluator={str(files['gcn_4'])!r}, runtime={runtime})")
    analysis = made.analyse(state)
    found = {candidate.move: candidate.value for candidate in analysis.candidates}
    assert found == pytest.approx(values, abs=1e-6)
    assert analysis.candidates[0].value == analysis.value == pytest.approx(max(values.values()), abs=1e-6)
    assert np.ptp(list(values.values())) > 1e-3


@pytest.mark.parametrize("name", ["cnn_i", "cnn_i_text_raw", "gcn_4_kernel"])
def test_a_wide_search_with_images_and_other_readings_too(name: str, files: dict[str, Path]) -> None:
    state = SEARCHED["one to move"][0]
    made: Any = st.player(f"minimax(evaluator={str(files[name])!r})")
    found = {candidate.move: candidate.value for candidate in made.analyse(state).candidates}
    assert found == pytest.approx(minimax(state, nets.evaluator(str(files[name])))[0], abs=1e-6)


@pytest.mark.parametrize(
    "spec",
    ["minimax(evaluator={})", "minimax(evaluator={}, runtime=torch)", "minimax(depth=1, evaluator={}, runtime=onnx)"],
)
def test_specs_with_a_file_come_back(spec: str, files: dict[str, Path]) -> None:
    spec = spec.format(repr(str(files["gcn_4"])))
    made: Any = st.player(spec)
    assert made.evaluator == str(files["gcn_4"])
    assert spec_of(made) == spec


def test_a_game_with_a_network(files: dict[str, Path]) -> None:
    """A graph knows no board's size: the same net plays on 10x10."""
    for size in (8, 10):
        scenario = st.tubstap.maps.symmetric(1, size=size)
        spec = f"minimax(depth=1, evaluator={str(files['gcn_4'])!r})"
        first, second = (st.play(scenario, spec, "random", seed=4) for _ in range(2))
        assert first.moves == second.moves
        assert len(first.moves) > 6


@pytest.mark.parametrize(
    ("name", "scenario", "message"),
    [
        ("gcn_4", st.tubstap.maps.mixed(1, size=8, units=4), "made for at most 3 units a side, and there are 4"),
        ("cnn_g", st.tubstap.maps.mixed(1, size=8, units=7), "made for at most 3 units a side, and there are 7"),
        ("cnn_i", st.tubstap.maps.symmetric(1, size=10), "made for boards of 8x8, and this one is 10x10"),
    ],
)
def test_a_map_that_a_net_is_not_made_for(name: str, scenario: Scenario, message: str, files: dict[str, Path]) -> None:
    made: Any = st.player(f"minimax(evaluator={str(files[name])!r})")
    for ask in (made.act, made.analyse):
        with pytest.raises(st.PlayerError) as caught:
            ask(scenario.start())
        assert str(caught.value) == f"minimax: {files[name]}: {message}"


# Importing.


@pytest.mark.parametrize("module", ["sandtable", "sandtable.nets", "sandtable.players"])
def test_importing_imports_no_runtime(module: str) -> None:
    heavy = ("torch", "onnxruntime", "onnx", "safetensors")
    code = f"import sys, {module}; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_playing_needs_no_torch(files: dict[str, Path]) -> None:
    code = "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None; import sandtable as st; "
    code += (
        f"state = st.tubstap.maps.symmetric(1).start(); made = st.player('minimax(evaluator=\"{files['gcn_4']}\")'); "
    )
    code += "print(made.act(state) in state.moves())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]
