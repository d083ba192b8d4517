"""Files of nets: their content, both runtimes, damaged files, and imports of runtimes."""

import hashlib
import json
import math
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes

import sandtable as st
from sandtable import nets
from sandtable.errors import CheckpointError
from sandtable.nets import ARCHITECTURES, checkpoints, evaluators
from sandtable.nets.evaluators import CURRENT
from support.damage import flip
from support.fresh_nets import RUNTIMES
from support.value_nets import COUNTS, net, random_states


@pytest.mark.usefixtures("no_unpickling")
@pytest.mark.parametrize("name", COUNTS)
def test_a_saved_net_loads_with_the_same_weights_and_card(name: str, value_nets: Mapping[str, Path]) -> None:
    path = value_nets[name]
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


def test_a_net_is_three_files_of_open_formats(value_nets: Mapping[str, Path]) -> None:
    path = value_nets["cnn_g"]
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


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_both_runtimes_give_the_same_values(name: str, value_nets: Mapping[str, Path]) -> None:
    states = random_states(300)
    by_onnx, by_torch = (nets.evaluator(str(value_nets[name]), runtime).evaluate(states) for runtime in RUNTIMES)
    np.testing.assert_allclose(by_onnx, by_torch, atol=1e-5, rtol=0)
    assert by_torch.std() > 0.01
    with torch.no_grad():
        alone = net(name)(torch.from_numpy(ARCHITECTURES[name].encoder.make().encode(states)))
    np.testing.assert_allclose(by_torch, alone.numpy(), atol=1e-5, rtol=0)


def test_a_process_has_one_evaluator_of_each_kind(value_nets: Mapping[str, Path]) -> None:
    path = value_nets["gcn_4"]
    roundabout = path.parent / ".." / path.parent.name / path.name
    assert nets.evaluator(str(path), "onnx") is nets.evaluator(str(roundabout), "onnx")
    assert nets.evaluator(str(path), "onnx") is not nets.evaluator(str(path), "torch")


# Damaged, foreign and missing files.


def edit_card(path: Path, **fields: object) -> None:
    where = path.with_suffix(".json")
    where.write_text(json.dumps(json.loads(where.read_text()) | fields))


def cut_card(path: Path, field: str) -> None:
    where = path.with_suffix(".json")
    where.write_text(json.dumps({key: value for key, value in json.loads(where.read_text()).items() if key != field}))


def set_card(path: Path, data: bytes) -> None:
    path.with_suffix(".json").write_bytes(data)


def set_weights(path: Path, data: bytes) -> None:
    """Replace the weights, with a matching digest in the card."""
    path.write_bytes(data)
    edit_card(path, sha256=hashlib.sha256(data).hexdigest())


def set_onnx(path: Path, data: bytes) -> None:
    path.with_suffix(".onnx").write_bytes(data)
    edit_card(path, onnx_sha256=hashlib.sha256(data).hexdigest())


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def with_one_weight(path: Path, value: float) -> bytes:
    tensors = load_file(path)
    tensors["second.bias"][1, 2, 3] = value
    return to_bytes(tensors)


def onnx_of(name: str) -> bytes:
    return checkpoints._onnx_of(net(name), ARCHITECTURES[name])


# How a gcn_4 is damaged, the runtime that must notice it, and the message.
DAMAGED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no card": (lambda p: p.with_suffix(".json").unlink(), "auto", "there is no such file; every net needs a card"),
    "not UTF-8": (lambda p: set_card(p, b"\xff\xfe\x00\x80"), "auto", "not a card: not JSON"),
    "not JSON": (lambda p: set_card(p, b"{'format': 1}"), "auto", "not a card: not JSON"),
    "deep JSON": (lambda p: set_card(p, b"[" * 200_000), "auto", "not a card: not JSON"),
    "a huge card": (lambda p: set_card(p, b" " * (3 << 20)), "auto", "not a card"),
    "a JSON list": (lambda p: set_card(p, b"[1, 2]"), "auto", "its format is not 'sandtable-net'"),
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
    "a boolean for a number": (lambda p: edit_card(p, weights=True), "auto", "weights is missing or not of type int"),
    "unknown architecture": (lambda p: edit_card(p, architecture="gnc_4"), "auto", "did you mean 'gcn_4'?"),
    "nothing like an architecture": (lambda p: edit_card(p, architecture="\nx"), "auto", "no architecture is called"),
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
    "truncated weights": (truncate, "torch", "or damaged"),
    "a flipped bit in the weights": (flip, "torch", "or damaged"),
    "weights of another net": (lambda p: p.write_bytes(with_one_weight(p, 0.5)), "torch", "or damaged"),
    "truncated weights with a digest": (
        lambda p: set_weights(p, p.read_bytes()[:-9]),
        "torch",
        "not a file of weights",
    ),
    "not a file of weights": (lambda p: set_weights(p, b"\n" * 99), "torch", "not a file of weights"),
    "an unknown type of weights": (
        lambda p: set_weights(p, p.read_bytes().replace(b'"F32"', b'"\xc2\x9b2"')),
        "torch",
        "unknown variant `\ufffd2`",
    ),
    "weights of another size": (
        lambda p: set_weights(p, to_bytes(net("gcn_32").state_dict())),
        "torch",
        "these are not the weights of gcn_4",
    ),
    "weights of other layers": (
        lambda p: set_weights(p, to_bytes(net("cnn_i").state_dict())),
        "torch",
        "these are not the weights of gcn_4",
    ),
    "a weight that is NaN": (lambda p: set_weights(p, with_one_weight(p, math.nan)), "torch", "not finite"),
    "an infinite weight": (lambda p: set_weights(p, with_one_weight(p, math.inf)), "torch", "not finite"),
    "no .onnx": (lambda p: p.with_suffix(".onnx").unlink(), "onnx", "there is no such file"),
    "truncated .onnx": (lambda p: truncate(p.with_suffix(".onnx")), "onnx", "or damaged"),
    "a flipped bit in the .onnx": (lambda p: flip(p.with_suffix(".onnx")), "onnx", "or damaged"),
    "not an .onnx": (lambda p: set_onnx(p, b"\n no \n" * 99), "onnx", ".onnx: "),
    ".onnx of an unknown layer": (
        lambda p: set_onnx(p, p.with_suffix(".onnx").read_bytes().replace(b"Relu", b"\xc2\x9blu")),
        "onnx",
        "\ufffdlu",
    ),
    "an empty .onnx": (lambda p: set_onnx(p, b""), "onnx", ".onnx: "),
    ".onnx of another network": (lambda p: set_onnx(p, onnx_of("cnn_i")), "onnx", ".onnx: "),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_gets_a_one_line_error(name: str, value_nets: Mapping[str, Path], tmp_path: Path) -> None:
    inflict, runtime, message = DAMAGED[name]
    for suffix in (".safetensors", ".json", ".onnx"):
        shutil.copy(value_nets["gcn_4"].with_suffix(suffix), tmp_path)
    path = tmp_path / "gcn_4.safetensors"
    inflict(path)
    with pytest.raises(CheckpointError) as caught:
        nets.evaluator(str(path), runtime)
    assert message in str(caught.value)
    assert "gcn_4" in str(caught.value)
    assert str(caught.value).isprintable()
    with pytest.raises(st.PlayerError) as refused:
        st.player(f"minimax(evaluator={str(path)!r}, runtime={runtime})")
    assert str(refused.value) == f"minimax: {caught.value}"


def test_a_missing_onnx_file_is_exported_again(value_nets: Mapping[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    checkpoints.copy(value_nets["gcn_4"], path)
    onnx_file = path.with_suffix(".onnx")
    before = onnx_file.read_bytes()
    onnx_file.unlink()
    checkpoints.restore_onnx(path)
    assert onnx_file.read_bytes() == before
    onnx_file.unlink()
    card = path.with_suffix(".json")
    card.write_text(card.read_text().replace(hashlib.sha256(before).hexdigest(), "0" * 64))
    with pytest.raises(CheckpointError, match=r"net\.onnx: missing, and this version of PyTorch exports a different"):
        checkpoints.restore_onnx(path)
    assert not onnx_file.exists()
    path.unlink()
    checkpoints.restore_onnx(path)


@pytest.mark.parametrize(
    ("given", "runtime", "message"),
    [
        ("no_such_net", "auto", "no net is called 'no_such_net'"),
        ("", "auto", "no net is called ''"),
        ("two\nlines", "auto", "no net is called 'two\\nlines'"),
        ("gcn_4.json", "auto", "the file of a net ends in .safetensors"),
        ("/no/such/file.safetensors", "auto", "/no/such/file.safetensors: there is no such file"),
        ("/.safetensors", "onnx", "there is no such file"),
        ("\0.safetensors", "onnx", "there is no such file"),
        ("no_such_net", "tensorflow", "no runtime is called 'tensorflow'; there are auto, native, onnx, torch"),
    ],
)
def test_missing_nets_and_unknown_runtimes_get_a_one_line_error(given: str, runtime: str, message: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        nets.evaluator(given, runtime)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_runtime_is_reported_with_its_pip_command(
    value_nets: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = value_nets["gcn_4"]
    with monkeypatch.context() as patch:
        patch.setattr(evaluators, "find_spec", lambda name: None)
        with pytest.raises(CheckpointError, match=r"need onnxruntime or torch: pip install 'sandtable\[onnx\]'"):
            evaluators.network_of(path, "auto")
    for runtime, module in (("onnx", "onnxruntime"), ("torch", "torch")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(CheckpointError, match=f"{module} is not installed: pip install"):
                evaluators.network_of(path, runtime)


# Importing.


@pytest.mark.parametrize("module", ["sandtable", "sandtable.nets", "sandtable.players"])
def test_importing_imports_no_runtime(module: str) -> None:
    heavy = ("torch", "onnxruntime", "onnx", "safetensors")
    code = f"import sys, {module}; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_playing_needs_no_torch(value_nets: Mapping[str, Path]) -> None:
    code = "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None; import sandtable as st; "
    code += "state = st.tubstap.maps.symmetric(1).start(); "
    code += f"made = st.player('minimax(evaluator=\"{value_nets['gcn_4']}\")'); print(made.act(state) in state.moves())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


@pytest.mark.parametrize("name", sorted(CURRENT))
def test_a_plain_name_means_the_newest_version_of_our_net(name: str) -> None:
    numbered = CURRENT[name]
    assert nets.locate(name) == nets.locate(numbered)
    assert set(nets.shipped()) & {name, numbered} == {name}  # each net is listed once
    plain, kept = (st.PlayerSpec.parse(f"sandtable(net={one})") for one in (name, numbered))
    assert plain.digest == kept.digest
