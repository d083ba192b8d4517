"""Networks that the core runs itself: equal to torch's results, independent of the batch; and errors."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import sandtable as st
from sandtable import _core, nets
from sandtable.errors import CheckpointError, PlayerError
from sandtable.nets import checkpoints, evaluators
from sandtable.nets.architectures import POLICIES, PROPOSERS, TOKENS
from sandtable.nets.conquest import fresh_territory_evaluator
from support.boards import states_along_a_game
from support.commands import sandtable
from support.fresh_nets import save_fresh

Array = NDArray[Any]

torch.set_num_threads(1)

TOKEN_NETS = [name for name, one in POLICIES.items() if one.native]
TERRITORY_NETS = list(PROPOSERS)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Shipped networks, and fresh ones of every size."""
    folder = tmp_path_factory.mktemp("nets")
    found = {name: save_fresh(folder / f"{name}.safetensors", name, seed=9) for name in TOKEN_NETS + TERRITORY_NETS}
    return found | {name: nets.locate(name) for name in ("sandtable", "sandtable-conquest")}


@functools.cache
def battles() -> list[st.tubstap.State]:
    """Positions from random games: all sizes of boards, kinds, terrains and rules; two units in all to 32 a side."""
    maps = st.tubstap.maps
    starts = [maps.skirmish(1), maps.symmetric(3), maps.complex(2), maps.mixed(2, size=14, units=8)]
    starts += [st.tubstap.load(name) for name in ("kimura-map02", "crossroads", "capital")]
    starts.append(maps.mixed(1, size=32, units=32))
    return [state for i, start in enumerate(starts) for state in states_along_a_game(start, 7, i)]


def logits_of(priors: Array, counts: Array) -> Array:
    """The logits of each state up to a constant: their mean is 0."""
    parts = np.split(np.log(priors.astype(float)), np.cumsum(counts)[:-1])
    return np.concatenate([part - part.mean() for part in parts])


def centred(logits: Array, counts: Array) -> Array:
    return np.concatenate([part - part.mean() for part in np.split(logits.astype(float), np.cumsum(counts)[:-1])])


@pytest.mark.parametrize("instructions", _core.instruction_sets())
@pytest.mark.parametrize("name", [*TOKEN_NETS, "sandtable"])
def test_token_networks_match_torch(name: str, instructions: str, files: dict[str, Path]) -> None:
    """Within 1e-5, or 1e-6 of the largest logit where that exceeds 10: with 64 units, far from its training data, the
    shipped network has logits of 100, and torch itself differs as much from double precision."""
    architecture = nets.read_card(files[name]).architecture
    native = POLICIES[architecture].native
    assert native is not None
    network = native(files[name].read_bytes(), instructions=instructions)
    states, module = battles(), checkpoints.load(files[name])
    values, priors = evaluators.fresh_policy_evaluator(TOKENS, network, 0).evaluate(states)
    at = 0
    for i, state in enumerate(states):
        arrays, _, (count,) = _core.tubstap.encode_policy("tokens", [state])
        with torch.no_grad():
            value, logits = module(*map(torch.from_numpy, arrays))
        scale = max(1.0, float(logits.abs().max()) / 10)
        assert values[i] == pytest.approx(float(value[0]), abs=1e-5 * scale)
        found = logits_of(priors[at : at + count], np.array([count]))
        np.testing.assert_allclose(found, centred(logits.numpy(), np.array([count])), atol=1e-5 * scale, rtol=0)
        at += count
    assert at == len(priors)


@functools.cache
def campaigns() -> list[tuple[st.conquest.Land, list[st.conquest.State]]]:
    """Positions from random games, on maps of every size that states are compiled for."""
    lands = [st.conquest.load(name) for name in ("simple", "italy", "earth")]
    lands += [st.conquest.maps.planar(seed=7, territories=size) for size in (150, 257, 1024)]
    found = []
    for land in lands:
        states = [land.start(seed) for seed in range(3)]
        for state in states:
            for turn in range(4):
                if not state.over:
                    state.resolve(state.random_move(0, turn), state.random_move(1, turn))
        found.append((land, [*states, land.start(5)]))
    return found


@pytest.mark.parametrize("instructions", _core.instruction_sets())
@pytest.mark.parametrize("name", [*TERRITORY_NETS, "sandtable-conquest"])
def test_territory_networks_match_torch(name: str, instructions: str, files: dict[str, Path]) -> None:
    """With the tolerance of tokens: the shipped network has logits above 10 on maps of 1,024 territories."""
    native = PROPOSERS[nets.read_card(files[name]).architecture].native
    assert native is not None
    evaluator = fresh_territory_evaluator(native(files[name].read_bytes(), instructions=instructions), 0)
    by_torch = fresh_territory_evaluator(evaluators.network_of(files[name], "torch"), 0)
    for land, states in campaigns():
        players = [i % 2 for i in range(len(states))]
        expected = by_torch.evaluate(states, players)
        np.testing.assert_allclose(evaluator.evaluate(states, players), expected, atol=1e-5, rtol=0)
        ways = np.eye(len(land.territories), dtype=bool)
        for a, b in land.edges:
            ways[a, b] = ways[b, a] = True
        (deploys, marches), (deploys2, marches2) = (one.policies(states[0]) for one in (evaluator, by_torch))
        for logits, logits2 in ((deploys, deploys2), (marches[:, ways], marches2[:, ways])):
            scale = max(1.0, float(abs(logits2).max()) / 10)
            np.testing.assert_allclose(logits, logits2, atol=1e-5 * scale, rtol=0)
        assert not marches[:, ~ways].any()  # impossible marches have a logit of 0; torch may give any


def test_results_do_not_depend_on_the_batch(files: dict[str, Path]) -> None:
    """Bit for bit; and all instruction sets with a fused multiply-add give the same results."""
    states, known = battles(), POLICIES["tokens_64"].native
    assert known is not None
    sets = _core.instruction_sets()
    found = []
    for instructions in sets:
        network = known(files["sandtable"].read_bytes(), instructions=instructions)
        evaluator = evaluators.fresh_policy_evaluator(TOKENS, network, 0)
        values, priors = evaluator.evaluate(states)
        alone = [evaluator.evaluate([state]) for state in states]
        assert np.array_equal(values, np.concatenate([one for one, _ in alone]))
        assert np.array_equal(priors, np.concatenate([one for _, one in alone]))
        assert np.array_equal(evaluator.evaluate(states[::-1])[0], values[::-1])
        found.append((values, priors))
    for first, second in itertools.pairwise(found[: sets.index("baseline")]):
        assert np.array_equal(first[0], second[0])
        assert np.array_equal(first[1], second[1])


# Runtimes.


def test_our_networks_run_in_the_core_by_default(files: dict[str, Path]) -> None:
    state = st.tubstap.load("ford").start()
    by_core = evaluators.policy_evaluator("sandtable", "native").evaluate([state])
    for runtime, tolerance in (("auto", 0), ("onnx", 1e-5), ("torch", 1e-5)):
        other = evaluators.policy_evaluator("sandtable", runtime).evaluate([state])
        for mine, its in zip(by_core, other, strict=True):
            np.testing.assert_allclose(mine, its, atol=tolerance, rtol=0)
    land = st.conquest.load("italy").start(1)
    values = [
        float(nets.territory_evaluator("sandtable-conquest", runtime).evaluate([land], [0])[0])
        for runtime in ("native", "auto", "onnx")
    ]
    assert values[0] == values[1] == pytest.approx(values[2], abs=1e-5)


def test_the_champions_need_no_optional_package() -> None:
    """The modules are blocked, so that importing one of them would fail."""
    code = """if True:
        import sys
        missing = "onnxruntime", "torch", "safetensors", "onnx"
        sys.modules.update(dict.fromkeys(missing))
        import sandtable as st
        for name in ("crossroads", "italy"):
            map = st.load(name)
            state = map.start() if name == "crossroads" else map.start(1)
            player = st.player("sandtable(simulations=8, rounds=2)")
            print(player.act(state, 0) is not None)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@pytest.mark.parametrize(
    ("net", "runtime", "message"),
    [
        ("kimura2020_short", "native", "runtime=native runs only tokens_* and territories_*: use onnx or torch"),
        ("sandtable", "tensorflow", "there are auto, native, onnx, torch"),
    ],
)
def test_unsupported_networks_and_unknown_runtimes_are_refused(net: str, runtime: str, message: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        evaluators.policy_evaluator(net, runtime)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_core_refuses_value_networks() -> None:
    with pytest.raises(CheckpointError, match=r"gcn_4: runtime=native runs only tokens_\* and territories_\*"):
        nets.evaluator("gcn_4", "native")
    with pytest.raises(CheckpointError, match=r"soares2025: runtime=native runs"):
        nets.turn_evaluator("soares2025", "native")


def replace_weights(path: Path, data: bytes, **changes: Any) -> str:
    """Replace the weights of a net, with a matching digest in its card."""
    card = dataclasses.replace(nets.read_card(path), sha256=hashlib.sha256(data).hexdigest(), **changes)
    path.write_bytes(data)
    path.with_suffix(".json").write_text(checkpoints.text_of(card))
    return str(path)


def test_damaged_and_foreign_weights_are_refused(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    whole = files["tokens_32"].read_bytes()
    for data, why in (
        (b"", "it has 0 bytes"),
        (whole[:-1], "ends beyond the file"),
        (whole + bytes(4), "there are bytes after its arrays"),
        (b"\xff" * 8 + whole[8:], "its header has more than"),
        (whole.replace(b'"F32"', b'"F16"', 1), "is of type F16, not F32"),
        (whole.replace(b'"F32"', b'"\xff32"', 1), "is of type ?32, not F32"),
        (whole.replace(b"about.bias", b"about.bent"), "these are not the weights of"),
        (whole[:-4] + b"\x00\x00\xc0\x7f", "some weights are not finite"),
        (files["tokens_64"].read_bytes(), "these are not the weights of a network of tokens with 32 channels"),
        (files["territories_32"].read_bytes(), "these are not the weights of"),
    ):
        checkpoints.copy(files["tokens_32"], path)
        with pytest.raises(CheckpointError) as caught:
            evaluators.policy_evaluator(replace_weights(path, data), "native")
        assert str(caught.value).startswith(f"{path}: ")
        assert why in str(caught.value)
        assert str(caught.value).isprintable()
    checkpoints.copy(files["tokens_32"], path)
    path.write_bytes(whole[:-1])
    with pytest.raises(CheckpointError, match="or damaged"):
        evaluators.policy_evaluator(str(path))


@pytest.mark.parametrize(("name", "map"), [("sandtable", "duel"), ("sandtable-conquest", "italy")])
def test_weights_that_overflow_get_a_one_line_error(
    name: str, map: str, files: dict[str, Path], tmp_path: Path
) -> None:
    whole = files[name].read_bytes()
    begin = 8 + int.from_bytes(whole[:8], "little")
    weights = np.frombuffer(whole[begin:], "<f4")
    for large in (np.full_like(weights, 3e38), (weights * 1e30).clip(-3e38, 3e38)):
        path = tmp_path / "net.safetensors"
        checkpoints.copy(files[name], path)
        spec = f"sandtable(net='{replace_weights(path, whole[:begin] + large.tobytes())}', simulations=8, rounds=1)"
        with pytest.raises(PlayerError) as caught:
            st.player(spec).act(st.load(map).start(), 0)
        assert str(caught.value) == f"{path}: the network answered with NaN or infinity instead of finite numbers"
        ended = sandtable("match", spec, "random", "--map", map, "--games", 2, code=1)
        assert f"PlayerError: {caught.value}" in ended.stdout


def test_an_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(ValueError, match="this processor has no instruction set 'abacus'; it supports "):
        _core.tubstap.TokenNet(b"", hidden=32, rounds=2, instructions="abacus")
