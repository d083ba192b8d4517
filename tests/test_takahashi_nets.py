"""takahashi's networks: the edge convolution against torch_geometric, and invariances of the models."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.nn import NNConv

import sandtable as st
from sandtable.learn.augmentation import board
from sandtable.nets import ARCHITECTURES
from sandtable.nets.architectures import COMBINED, DAMAGE_GRAPH
from sandtable.nets.takahashi import EDGE, GRAPH, IMAGE, NODE, UNITS, EdgeConvolution, Graph
from support.boards import states_of_games

MODELS = [name for name in ARCHITECTURES if name.startswith("takahashi")]


def oracle(convolution: EdgeConvolution, inputs: int, outputs: int) -> NNConv:
    """torch_geometric's layer with the same weights."""
    layer = nn.Linear(EDGE, inputs * outputs)
    made = NNConv(inputs, outputs, layer, aggr="mean")
    with torch.no_grad():
        layer.weight.copy_(convolution.edge[:EDGE].reshape(EDGE, -1).T)
        layer.bias.copy_(convolution.edge[EDGE].reshape(-1))
        made.lin.weight.copy_(convolution.root.weight)
        made.bias.copy_(convolution.root.bias)
    return made


def edge_lists(flat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The living units' nodes, and for every ordered pair (i, j) the edge j -> i with the values of e_ij.

    torch_geometric sends from the first to the second; in the paper unit i receives what its own edges say about j.
    """
    nodes = flat[:, : UNITS * NODE].reshape(-1, UNITS, NODE)
    edges = flat[:, UNITS * NODE :].reshape(-1, UNITS, UNITS, EDGE)
    rows: list[Tensor] = []
    index: list[tuple[int, int]] = []
    values: list[Tensor] = []
    for state in range(len(flat)):
        living = [i for i in range(UNITS) if nodes[state, i, : NODE - 1].sum() > 0]
        first = len(rows)
        rows += [nodes[state, i] for i in living]
        for a, i in enumerate(living):
            for b, j in enumerate(living):
                if i != j:
                    index.append((first + b, first + a))
                    values.append(edges[state, i, j])
    return torch.stack(rows), torch.tensor(index).T, torch.stack(values)


def test_the_convolution_matches_torch_geometric() -> None:
    flat = torch.from_numpy(DAMAGE_GRAPH.make().encode(states_of_games()))
    graph = Graph.of(flat)
    alive = graph.alive.squeeze(2).bool()
    assert not alive.all()  # some units have died
    rows, index, values = edge_lists(flat)
    torch.manual_seed(1)
    for inputs, outputs in ((NODE, 32), (32, 64)):
        convolution = EdgeConvolution(inputs, outputs)
        x = torch.randn(len(flat), UNITS, inputs) if inputs != NODE else graph.nodes
        own = rows if inputs == NODE else x[alive]
        expected = oracle(convolution, inputs, outputs)(own, index, values)
        torch.testing.assert_close(convolution(graph, x)[alive], expected, rtol=1e-5, atol=1e-5)


class Bytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the memory of everything that is computed inside."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.total = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for one in out if isinstance(out, tuple | list) else (out,):
            if isinstance(one, Tensor) and not any(one is arg for arg in args):
                self.total += one.untyped_storage().nbytes() if one._base is None else 0
        return out


def test_the_convolution_takes_a_tenth_of_the_memory() -> None:
    """torch_geometric makes a matrix for every edge."""
    flat = torch.from_numpy(DAMAGE_GRAPH.make().encode([st.tubstap.maps.complex(i).start() for i in range(50)]))
    graph = Graph.of(flat)
    _, index, values = edge_lists(flat)
    convolution = EdgeConvolution(64, 64)
    x = torch.randn(len(flat), UNITS, 64)
    with Bytes() as ours:
        convolution(graph, x)
    with Bytes() as theirs:
        oracle(convolution, 64, 64)(x.reshape(-1, 64), index, values)
    assert ours.total < theirs.total / 10


@pytest.mark.parametrize("name", MODELS)
def test_values_are_probabilities_of_winning_less_losing(name: str) -> None:
    torch.manual_seed(2)
    known = ARCHITECTURES[name]
    net = known.build().eval()
    inputs = torch.from_numpy(known.encoder.make().encode(states_of_games(2)))
    assert inputs.shape[1:] == known.encoder.shape
    chances = torch.softmax(net.logits(inputs.flatten(1)), 1)  # type: ignore[operator]
    torch.testing.assert_close(net(inputs), chances[:, 0] - chances[:, 1])
    assert net(inputs).std() > 0


@pytest.mark.parametrize("name", ["takahashi_gcn", "takahashi_a", "takahashi_b", "takahashi_c"])
def test_the_order_of_units_and_rows_without_units_do_not_matter(name: str) -> None:
    torch.manual_seed(3)
    net = ARCHITECTURES[name].build().eval()
    inputs = COMBINED.make().encode(states_of_games(2))
    order = np.random.default_rng(1).permutation(UNITS)
    nodes = inputs[:, : UNITS * NODE].reshape(-1, UNITS, NODE)[:, order]
    edges = inputs[:, UNITS * NODE : GRAPH].reshape(-1, UNITS, UNITS, EDGE)[:, order][:, :, order]
    image, cells = inputs[:, GRAPH:-UNITS], inputs[:, -UNITS:][:, order]
    parts = [nodes.reshape(len(inputs), -1), edges.reshape(len(inputs), -1), image, cells]
    moved = torch.from_numpy(np.concatenate(parts, 1))
    width = GRAPH if name == "takahashi_gcn" else inputs.shape[1]
    torch.testing.assert_close(net(moved[:, :width]), net(torch.from_numpy(inputs)[:, :width]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("number", range(8))
def test_augmented_inputs_are_those_of_the_transformed_map(number: int) -> None:
    """Encoding a rotated or mirrored map gives the transformed encoding; the graph stays the same."""
    scenario = st.tubstap.maps.complex(5)
    size = scenario.width

    def place(x: int, y: int) -> tuple[int, int]:
        if number >= 4:
            x = size - 1 - x
        for _ in range(number % 4):  # a quarter turn against the clock, rows from the top
            x, y = y, size - 1 - x
        return x, y

    terrain = [[0] * size for _ in range(size)]
    for y, row in enumerate(scenario.terrain):
        for x, kind in enumerate(row):
            new_x, new_y = place(x, y)
            terrain[new_y][new_x] = kind
    units = tuple(unit._replace(x=place(unit.x, unit.y)[0], y=place(unit.x, unit.y)[1]) for unit in scenario.units)
    other = dataclasses.replace(scenario, terrain=tuple(map(tuple, terrain)), units=units)
    inputs = torch.from_numpy(COMBINED.make().encode([scenario.start()]))
    expected = torch.from_numpy(COMBINED.make().encode([other.start()]))

    seed = next(
        seed
        for seed in range(1000)
        if int(torch.randint(8, (1,), generator=torch.Generator().manual_seed(seed))) == number
    )
    assert torch.equal(board(inputs, torch.Generator().manual_seed(seed)), expected)
    image = inputs[:, GRAPH : GRAPH + IMAGE].reshape(1, 20, 8, 8)
    assert torch.equal(board(image, torch.Generator().manual_seed(seed)).flatten(1), expected[:, GRAPH : GRAPH + IMAGE])
