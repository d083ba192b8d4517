"""soares2025's network: its weights, its attention against torch_geometric's, and its invariances."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import TransformerConv

import sandtable as st
from sandtable.conquest import Bonus, Deploy, Land, March, Order
from sandtable.nets.soares2025 import Attention, Network
from support.conquest_positions import MAPS
from support.soares2025_net_oracle import edge_list, read, transformer
from support.soares2025_nets import network, questions, tensors
from support.soares2025_oracle import (
    HIDDEN,
    Question,
    arrays,
    land_arrays,
)


def answers(net: Network, some: list[Question]) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        values, logits = net(*tensors(arrays(some)))
    return values, logits


def test_the_number_of_weights_is_the_authors() -> None:
    assert sum(parameter.numel() for parameter in Network().parameters()) == 32_622


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize(("inputs", "outputs"), [(20, 20), (40, 60)])
def test_attention_matches_torch_geometric(name: str, inputs: int, outputs: int) -> None:
    torch.manual_seed(1)
    land = st.conquest.load(name)
    layer = Attention(inputs, outputs, dropout=0.5).eval()
    oracle = transformer(layer)
    x = torch.randn(7, len(land.territories), inputs) * 3
    edges, members, cliques, _ = tensors(land_arrays(land))
    with torch.no_grad():
        along_edges, among_members = layer(x, edges), layer(x, cliques, members)
        for i in range(len(x)):
            torch.testing.assert_close(along_edges[i], oracle(x[i], edge_list(land)), rtol=1e-5, atol=1e-5)
            first = 0
            for bonus in land.bonuses:
                group = sorted(bonus.territories)
                pairs = torch.tensor([(a, b) for a in range(len(group)) for b in range(len(group))]).T
                found = among_members[i, first : first + len(group)]
                torch.testing.assert_close(found, oracle(x[i, group], pairs), rtol=1e-5, atol=1e-5)
                first += len(group)


def test_attention_is_right_with_scores_far_apart() -> None:
    """Masked territories stay hidden however large their scores; among the others the softmax is right."""
    torch.manual_seed(1)
    layer = Attention(20, 20, dropout=0.5).eval()
    mask = torch.full((6, 6), HIDDEN)
    mask[:, :3] = 0
    x = torch.randn(1, 6, 20) * 400  # scores apart by thousands
    pairs = torch.tensor([(source, target) for target in range(6) for source in range(3)]).T
    with torch.no_grad():
        expected = transformer(layer)(x[0], pairs)
        torch.testing.assert_close(layer(x, mask)[0], expected, rtol=1e-5, atol=1e-2)


def test_dropout_is_active_in_training_alone() -> None:
    net, some = network(), questions(st.conquest.load("banana"))
    assert torch.equal(answers(net, some)[0], answers(net, some)[0])
    net.train()
    assert not torch.equal(answers(net, some)[0], answers(net, some)[0])


@pytest.mark.parametrize("name", MAPS)
def test_the_network_agrees_with_the_oracle(name: str) -> None:
    """With torch_geometric's layers, one bonus and one order at a time; the same weights on all maps."""
    net, some = network(), questions(st.conquest.load(name))
    values, logits = answers(net, some)
    found = iter(logits.tolist())
    for value, (state, player, moves) in zip(values.tolist(), some, strict=True):
        expected, of_moves = read(net, state, player, moves)
        assert value == pytest.approx(expected, abs=1e-5)
        assert [next(found) for _ in of_moves] == pytest.approx(of_moves, abs=1e-5)
    assert next(found, None) is None
    assert values.std() > 0.01
    assert logits.std() > 0.01


def test_answers_do_not_depend_on_the_batch() -> None:
    net, some = network(), questions(st.conquest.load("owl_island"))
    values, logits = answers(net, some)
    alone = [answers(net, [one]) for one in some]
    torch.testing.assert_close(values, torch.cat([one[0] for one in alone]), rtol=0, atol=1e-6)
    torch.testing.assert_close(logits, torch.cat([one[1] for one in alone]), rtol=0, atol=1e-6)


def renumbered(land: Land, new: list[int]) -> Land:
    """Territory t becomes new[t]."""
    old = sorted(range(len(new)), key=lambda t: new[t])
    return dataclasses.replace(
        land,
        territories=tuple(land.territories[t] for t in old),
        places=tuple(land.places[t] for t in old),
        edges=tuple((new[a], new[b]) for a, b in land.edges),
        bonuses=tuple(Bonus(b.name, b.value, tuple(new[t] for t in b.territories)) for b in land.bonuses),
    )


def test_renumbered_territories_give_the_same_answers() -> None:
    land, net = st.conquest.load("italy"), network()
    new = [int(t) for t in np.random.default_rng(2).permutation(20)]
    other = renumbered(land, new)

    def moved(order: Order) -> Order:
        if isinstance(order, Deploy):
            return Deploy(new[order.territory], order.armies)
        return March(new[order.source], new[order.target], order.armies)

    some = questions(land)
    twins = []
    for state, player, moves in some:
        old = sorted(range(20), key=lambda t: new[t])
        twin = other.state([state.owner[t] for t in old], [state.armies[t] for t in old])
        twins.append(Question(twin, player, [[moved(order) for order in move] for move in moves]))
    for mine, theirs in zip(answers(net, some), answers(net, twins), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-5)


def test_a_map_without_bonuses_has_finite_answers() -> None:
    land = dataclasses.replace(st.conquest.load("simple"), bonuses=())
    values, logits = answers(network(), questions(land))
    assert values.isfinite().all()
    assert logits.isfinite().all()


def test_torch_geometric_has_the_same_number_of_weights() -> None:
    """One head of its layers, with a gate."""
    ours, theirs = Attention(40, 60, 0.5), TransformerConv(40, 60, beta=True)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
