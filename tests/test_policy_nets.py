"""Policy/value networks: their layers and weights, both runtimes, batches and padding, and errors."""

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as f

import sandtable as st
from sandtable import _core, nets
from sandtable.errors import CheckpointError
from sandtable.nets import checkpoints, evaluators
from sandtable.nets.architectures import POLICIES
from sandtable.nets.kimura2020 import PolicyValueNet
from sandtable.nets.tokens import TokenNet
from sandtable.tubstap import Scenario, State
from support.boards import reordered, states_along_a_game
from support.fresh_nets import RUNTIMES

Array = NDArray[Any]


torch.set_num_threads(1)  # as training and evaluators do: two threads on a busy machine are many times slower

# kimura2020 does not print its counts. They consist of: 5 -> 128 channels 3x3 and their norm (6,016); n blocks
# of two convolutions with their norms (separable: 2 * (1,152 + 16,384 + 256), plain: 2 * (147,456 + 256)); the policy
# head, five channels of 36 cells, their norm and 180 x 180 (33,230); the value head, one channel, its norm, 36 x 128
# and 128 x 1 (4,995). The policy head of the paper's text has 4,608 x 180 and its norm (829,800). Ours with h channels:
# the units and the clock (30 h), a round (h^2 + 257 h + 128), the result (4 h^2 + 18 h + 5, with the units' fates)
# and the moves (3.5 h^2 + 22 h + 1).
COUNTS = {
    "kimura_sep_4": 6_016 + 4 * 35_584 + 33_230 + 4_995,
    "kimura_sep_6": 257_745,
    "kimura_sep_8": 328_913,
    "kimura_conv_4": 6_016 + 4 * 295_424 + 33_230 + 4_995,
    "kimura_conv_6": 1_816_785,
    "kimura_conv_8": 2_407_633,
    "kimura_sep_4_affine": 6_016 + 4 * 35_584 + 829_800 + 4_995,
    "kimura_sep_8_affine": 1_125_483,
    "kimura_conv_6_affine": 2_613_355,
    "kimura_conv_8_affine": 3_204_203,
    "tokens_32": 28_678,
    "tokens_64": 97_222,
    "tokens_96": 211_910,
}


@functools.cache
def net(architecture: str) -> nn.Module:
    """Random weights, since zeros and ones could hide an error; norms with the statistics of training."""
    torch.manual_seed(7)
    known = POLICIES[architecture]
    module = known.build()
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if "bias" in name:
                value.uniform_(-0.2, 0.2)
        for layer in module.modules():
            if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d):
                layer.weight.uniform_(0.7, 1.3)
                layer.momentum = 0.9
        for _ in range(4):
            module.train()(*encoded(known.encoder.core, some_states(known.encoder.core)))
    return module.eval()


def some_states(core: str) -> list[State]:
    """Positions from all phases of games; for images only those on boards of 6x6."""
    maps = st.tubstap.maps
    starts: list[Scenario] = [maps.skirmish(seed) for seed in range(6)]
    starts.append(st.tubstap.load("kimura-map02"))
    if core == "tokens":
        starts += [maps.mixed(2, size=14, units=8), maps.symmetric(3), st.tubstap.load("crossroads")]
    return [state for i, start in enumerate(starts) for state in states_along_a_game(start, 9, i)]


def encoded(core: str, states: list[State]) -> list[Tensor]:
    return [torch.from_numpy(array) for array in _core.tubstap.encode_policy(core, states)[0]]


# Layers.


@pytest.mark.parametrize("name", COUNTS)
def test_the_number_of_weights_stays_the_same(name: str) -> None:
    module = POLICIES[name].build()
    assert sum(parameter.numel() for parameter in module.parameters()) == COUNTS[name]
    assert all(parameter.requires_grad for parameter in module.parameters())


def norm(weights: dict[str, Tensor], x: Tensor, layer: str) -> Tensor:
    """Batch normalisation with the means of training; channels are the second axis."""
    shape = (-1, *[1] * (x.dim() - 2))
    mean, variance, scale, shift = (
        weights[f"{layer}.{key}"].reshape(shape) for key in ("running_mean", "running_var", "weight", "bias")
    )
    normal: Tensor = (x - mean) / torch.sqrt(variance + 1e-5) * scale + shift
    return normal


@pytest.mark.parametrize("name", ["kimura_sep_4", "kimura_conv_1", "kimura_sep_4_affine", "kimura_conv_1_affine"])
def test_kimura_s_network_matches_its_layers_written_out(name: str) -> None:
    """Figure 4 of the paper, written out, and the two readings of its policy head."""
    module, planes = net(name), encoded("unit-question", some_states("unit-question"))[0]
    weights = module.state_dict()

    def convolution(x: Tensor, layer: str) -> Tensor:
        if f"{layer}.weight" in weights:
            return f.conv2d(x, weights[f"{layer}.weight"], padding=1)
        each = f.conv2d(x, weights[f"{layer}.0.weight"], padding=1, groups=128)
        return torch.einsum("oi,bihw->bohw", weights[f"{layer}.1.weight"][:, :, 0, 0], each)

    def linear(x: Tensor, layer: str) -> Tensor:
        return f.linear(x, weights[f"{layer}.weight"], weights[f"{layer}.bias"])

    x = norm(weights, convolution(planes, "trunk.0"), "trunk.1").relu()
    for block in range(3, 3 + int(name.split("_")[2])):
        part = f"trunk.{block}.layers"
        inner = norm(weights, convolution(x, f"{part}.0"), f"{part}.1").relu()
        x = (x + norm(weights, convolution(inner, f"{part}.4"), f"{part}.5")).relu()
    heads = {}
    for head in ("policy", "value"):
        if head == "policy" and name.endswith("_affine"):  # an answer has a weight for each residual value
            each = weights["policy.1.weight"].reshape(180, 128, 6, 6)
            heads[head] = norm(weights, torch.einsum("ocyx,bcyx->bo", each, x), "policy.2").clamp(min=0)
            continue
        channels = torch.einsum("oi,bihw->bohw", weights[f"{head}.0.weight"][:, :, 0, 0], x)
        heads[head] = linear(norm(weights, channels, f"{head}.1").relu().flatten(1), f"{head}.4")
    with torch.no_grad():
        values, logits = module(planes)
    torch.testing.assert_close(logits, heads["policy"], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(
        values, torch.tanh(linear(heads["value"].relu(), "value.6")).squeeze(1), atol=1e-4, rtol=1e-4
    )
    assert values.std() > 0.01


def test_the_token_network_matches_its_layers_written_out() -> None:
    """One state at a time, unit by unit and move by move."""
    module = net("tokens_32")
    assert isinstance(module, TokenNet)
    for state in some_states("tokens")[::7]:
        units, pairs, balance, moves, actor, target = encoded("tokens", [state])
        with torch.no_grad():
            values, logits = module(units, pairs, balance, moves, actor, target)
            n = units.shape[1]
            x = [torch.relu(module.enter(units[0, i]) + module.about(balance[0])) for i in range(n)]
            for one in module.rounds:
                messages = [one.say(row).view(8, 16) for row in x]  # type: ignore[operator]
                received = []
                for i in range(n):
                    parts = []
                    for kind in range(8):
                        edge = pairs[0, kind, i]
                        if kind < 2:  # friends and enemies: the mean
                            edge = edge / max(float(edge.sum()), 1)
                        parts.append(torch.stack([edge[j] * messages[j][kind] for j in range(n)]).sum(0))
                    received.append(torch.cat(parts))
                x = [row + torch.relu(one.own(row) + one.hear(received[i])) for i, row in enumerate(x)]  # type: ignore[operator]
            own = torch.stack([row for row, unit in zip(x, units[0], strict=True) if unit[6] > 0])
            other = torch.stack([row for row, unit in zip(x, units[0], strict=True) if unit[6] < 0])
            pooled = [own.mean(0), other.mean(0), own.amax(0), other.amax(0)]
            position = torch.relu(module.balance(torch.cat([*pooled, balance[0]])))
            win, _, loss = torch.softmax(module.result(position), 0)
            assert float(values[0]) == pytest.approx(float(win - loss), abs=1e-5)
            for move, logit in enumerate(logits):
                aim = x[target[move]] if target[move] < n else torch.zeros(32)
                hidden = module.actor(x[actor[move]]) + module.target(aim) + module.effect(moves[move])
                hidden = torch.relu(hidden + module.position(position))
                expected = module.choose(torch.relu(module.weigh(hidden)))
                assert float(logit) == pytest.approx(float(expected[0]), abs=1e-4)


def test_dropout_is_for_training_only() -> None:
    torch.manual_seed(1)
    module = POLICIES["kimura_sep_1"].build(dropout=0.5)
    assert isinstance(module, PolicyValueNet)
    planes = encoded("unit-question", some_states("unit-question"))[0]
    with torch.no_grad():
        module.eval()
        assert torch.equal(module(planes)[1], module(planes)[1])
        module.train()
        assert not torch.equal(module(planes)[1], module(planes)[1])


# Runtimes and files.


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("policy-nets")
    return {name: saved(folder, name) for name in POLICIES}


def saved(folder: Path, name: str) -> Path:
    path = folder / f"{name}.safetensors"
    checkpoints.save(path, net(name), name, "digest of rules", {"seed": 7})
    return path


@pytest.mark.parametrize("name", POLICIES)
def test_both_runtimes_give_the_same_answers(name: str, files: dict[str, Path]) -> None:
    core = POLICIES[name].encoder.core
    states = some_states(core)
    arrays = [array.numpy() for array in encoded(core, states)]
    by_onnx, by_torch = (evaluators.network_of(files[name], runtime)(*arrays) for runtime in RUNTIMES)
    # An answer of an affine head is a sum of 4,608 products, divided by its small deviation: it is less precise.
    tolerance = 1e-4 if name.endswith("_affine") else 1e-5
    for one, other in zip(by_onnx, by_torch, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=tolerance, rtol=1e-5)
        assert other.std() > 0.005
    assert np.abs(by_torch[0]).max() < 1
    judged = [evaluators.policy_evaluator(str(files[name]), runtime).evaluate(states) for runtime in RUNTIMES]
    for one, other in zip(*judged, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5, rtol=0)
    card = nets.read_card(files[name])
    assert (card.architecture, card.encoder, card.weights) == (
        name,
        POLICIES[name].encoder.name,
        sum(parameter.numel() for parameter in net(name).parameters()),
    )


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ["kimura_sep_1", "kimura_sep_1_affine", "tokens_32"])
def test_batches_and_padding_change_nothing(name: str, runtime: str, files: dict[str, Path]) -> None:
    """A state alone, and among others with more units: the same value and the same priors."""
    states = some_states(POLICIES[name].encoder.core)
    network = evaluators.network_of(files[name], runtime)
    evaluator = evaluators.fresh_policy_evaluator(POLICIES[name].encoder, network, 0)
    values, priors = evaluator.evaluate(states)
    alone = [evaluator.evaluate([state]) for state in states]
    np.testing.assert_allclose(values, np.concatenate([one for one, _ in alone]), atol=1e-5, rtol=0)
    np.testing.assert_allclose(priors, np.concatenate([one for _, one in alone]), atol=1e-5, rtol=0)
    assert priors.min() >= 0
    assert priors.sum() == pytest.approx(len(states), abs=1e-3)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_an_affine_head_masks_illegal_moves_by_leaving_them_out(runtime: str, files: dict[str, Path]) -> None:
    """In plain numpy: ReLU leaves logits of 0 and more, the softmax is over all 180, and illegal moves are left out.

    Many legal moves have a logit of 0, so an illegal one that was merely set to 0 would be as likely as they are.
    """
    name = "kimura_sep_1_affine"
    module, evaluator = net(name), evaluators.policy_evaluator(str(files[name]), runtime)
    weights = {key: value.numpy().astype(float) for key, value in module.state_dict().items()}
    for state in some_states("unit-question")[::5]:
        (planes,), places, _ = _core.tubstap.encode_policy("unit-question", [state])
        with torch.no_grad():
            trunk = module.trunk(torch.from_numpy(planes)).numpy().reshape(len(planes), 128 * 36)  # type: ignore[operator]
        scores = trunk @ weights["policy.1.weight"].T
        scores = (scores - weights["policy.2.running_mean"]) / np.sqrt(weights["policy.2.running_var"] + 1e-5)
        logits = np.maximum(scores * weights["policy.2.weight"] + weights["policy.2.bias"], 0)
        shares = (np.exp(logits) / np.exp(logits).sum(1, keepdims=True)).ravel()
        units = [move.unit for move in state.moves()]
        expected = np.zeros(len(units))
        for unit in set(units):
            own = [i for i, one in enumerate(units) if one == unit]
            legal = shares[places[own]]
            expected[own] = legal / legal.sum() / len(set(units))
            assert legal.sum() < 0.9  # illegal moves would have had a share
        np.testing.assert_allclose(evaluator.evaluate([state])[1], expected, atol=1e-5, rtol=0)
        tree = _core.tubstap.PolicyTree()
        found = tree.search(state, evaluator, _core.tubstap.PuctSettings(simulations=30, batch=4), seed=1)
        assert [one.move for one in found.candidates] == state.moves()
        np.testing.assert_allclose([one.prior or 0 for one in found.candidates], expected, atol=1e-5, rtol=0)


def test_padding_rows_change_no_token_output() -> None:
    module = net("tokens_32")
    assert isinstance(module, TokenNet)
    state = st.tubstap.load("crossroads").start()
    units, pairs, balance, moves, actor, target = encoded("tokens", [state])
    n, more = units.shape[1], 5
    padded = [
        torch.nn.functional.pad(units, (0, 0, 0, more)),
        torch.nn.functional.pad(pairs, (0, more, 0, more)),
        *(balance, moves, actor, torch.where(target == n, n + more, target)),
    ]
    with torch.no_grad():
        plain, wide = module.everything(units, pairs, balance, moves, actor, target), module.everything(*padded)
    torch.testing.assert_close(plain[0], wide[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(plain[1], wide[1], atol=1e-5, rtol=0)
    torch.testing.assert_close(plain[2], wide[2][:, :n], atol=1e-5, rtol=0)


def test_the_order_of_units_does_not_matter() -> None:
    evaluator = evaluators.fresh_policy_evaluator(
        POLICIES["tokens_64"].encoder, evaluators.torch_network(net("tokens_64")), 0
    )
    for seed in range(8):
        scenario = st.tubstap.maps.mixed(seed, size=9, units=5)
        order = np.random.default_rng(seed).permutation(len(scenario.units)).tolist()
        number = {old: new for new, old in enumerate(order)}
        first, second = scenario.start(), reordered(scenario, order).start()
        (values, priors), (other_values, other_priors) = evaluator.evaluate([first]), evaluator.evaluate([second])
        assert values[0] == pytest.approx(other_values[0], abs=1e-5)
        found = dict(zip(second.moves(), other_priors.tolist(), strict=True))
        for move, prior in zip(first.moves(), priors.tolist(), strict=True):
            target = None if move.target is None else number[move.target]
            assert found[move._replace(unit=number[move.unit], target=target)] == pytest.approx(prior, abs=1e-5)


# Errors.


def one_line(error: Any) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_policy_nets_and_value_nets_are_not_interchangeable(files: dict[str, Path]) -> None:
    for name in ("kimura_sep_1", "tokens_32"):
        path = str(files[name])
        with pytest.raises(CheckpointError) as caught:
            nets.evaluator(path)
        assert one_line(caught) == f"{name}: this is a policy net: use it with a tree search, not with minimax"
        with pytest.raises(st.PlayerError) as refused:
            st.player(f"minimax(evaluator={path!r})")
        assert one_line(refused) == f"minimax: {caught.value}"
    with pytest.raises(CheckpointError) as caught:
        evaluators.policy_evaluator("gcn_4")
    assert one_line(caught) == "gcn_4: this is a value net without a policy: use it with minimax"
    for spec in ("pvmcts(net=gcn_4)", "minimax(evaluator=gcn_4, width=3)"):
        with pytest.raises(st.PlayerError) as refused:
            st.player(spec)
        assert str(caught.value) in one_line(refused)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("no_such_net", "no net is called 'no_such_net'"),
        ("/no/such.safetensors", "/no/such.safetensors: there is no such file"),
        ("gcn4", "did you mean 'gcn_4'?"),
    ],
)
def test_missing_nets_get_a_one_line_error(given: str, message: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        evaluators.policy_evaluator(given)
    assert message in one_line(caught)


@pytest.mark.parametrize("other", ["tokens_32", "kimura_sep_4"])
def test_files_of_different_nets_are_refused_together(other: str, files: dict[str, Path], tmp_path: Path) -> None:
    """The graph or the weights of another net, with a matching digest in the card."""
    path = saved(tmp_path, "kimura_sep_1")
    card = nets.read_card(path)
    foreign = nets.read_card(files[other])
    for suffix, field in ((".onnx", "onnx_sha256"), (".safetensors", "sha256")):
        changed = dataclasses.replace(card, **{field: getattr(foreign, field)})
        whole = path.with_suffix(suffix).read_bytes()
        path.with_suffix(suffix).write_bytes(files[other].with_suffix(suffix).read_bytes())
        written = path.with_suffix(".json").read_text()
        path.with_suffix(".json").write_text(written.replace(getattr(card, field), getattr(changed, field)))
        runtime = "onnx" if suffix == ".onnx" else "torch"
        if (other, runtime) != ("kimura_sep_4", "onnx"):  # whose outputs have the same shapes
            with pytest.raises(CheckpointError) as caught:
                evaluators.policy_evaluator(str(path), runtime)
            assert "kimura_sep_1" in one_line(caught)
        path.with_suffix(suffix).write_bytes(whole)
        path.with_suffix(".json").write_text(written)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (st.tubstap.load("crossroads"), "made for boards of 6x6, and this one is"),
        (st.tubstap.maps.mixed(1, size=6, units=6), "made for units that attack their neighbours only"),
    ],
)
def test_a_map_that_does_not_fit_the_net_is_refused(scenario: Scenario, message: str, files: dict[str, Path]) -> None:
    made: Any = st.player(f"pvmcts(net={str(files['kimura_sep_1'])!r}, simulations=3)")
    with pytest.raises(st.PlayerError) as caught:
        made.act(scenario.start())
    assert message in one_line(caught)
    assert str(files["kimura_sep_1"]) in str(caught.value)
