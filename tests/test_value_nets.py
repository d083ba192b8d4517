"""Value networks of li2022: their layers."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from sandtable import _core, nets
from sandtable.nets import ARCHITECTURES
from sandtable.nets.li2022 import Cnn, Gcn, GraphConvolution, KernelConvolution
from support.value_nets import COUNTS, READINGS, net, random_states

AttackGraphEncoder = _core.tubstap.AttackGraphEncoder


@pytest.mark.parametrize("name", COUNTS)
def test_the_number_of_weights_is_the_printed_one(name: str) -> None:
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
def test_a_graph_convolution_matches_its_formula(batch: int, inputs: int, outputs: int, size: int) -> None:
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
def test_a_kernel_convolution_matches_its_formula(batch: int, inputs: int, outputs: int, size: int) -> None:
    """Every element by loops: row i and column j of output f."""
    torch.manual_seed(6)
    layer = KernelConvolution(inputs, outputs, size)
    x = torch.randn(batch, size, inputs, size)
    with torch.no_grad():
        found = layer(torch.full((batch, size, size), torch.nan), x).numpy()  # the adjacency is not used
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


def test_the_names_of_the_readings_state_their_options() -> None:
    names = [name + reading for name, readings in READINGS.items() for reading in readings]
    for name in names:
        known = ARCHITECTURES[name]
        encoder = known.encoder
        assert known.name == name
        assert encoder.name.endswith("-raw") == name.endswith("_raw")
        assert ("-text" in encoder.name) == ("_text" in name)
        module = known.build()
        if isinstance(module, Gcn):
            assert isinstance(module.first, KernelConvolution if "_kernel" in name else GraphConvolution)
    assert len({ARCHITECTURES[name].encoder.name for name in names}) == 6
    assert nets.read_card(nets.locate("gcn_4")).known is ARCHITECTURES["gcn_4"]


def test_a_gcn_combines_units_that_can_attack_each_other() -> None:
    """Its layers get an adjacency with self-loops and rows of sum 1, and the matrices as inputs."""
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
def test_a_cnn_matches_its_layers_written_out(name: str) -> None:
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
