"""An oracle for soares2025's network: torch_geometric's attention, in layers that are put together as in the thesis's
code."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.nn import TransformerConv

from sandtable.conquest import Deploy, Land, Order, State
from sandtable.nets.soares2025 import Attention, Network
from support.soares2025_oracle import (
    ATTACK,
    DEPLOY,
    TRANSFER,
    Array,
    kind_of,
    nodes_of,
    scale,
    totals_of,
)


def transformer(layer: Attention) -> TransformerConv:
    """torch_geometric's layer with the same weights."""
    made = TransformerConv(layer.projections.in_features, layer.outputs, beta=True)
    weights, biases = (one.detach().chunk(4) for one in (layer.projections.weight, layer.projections.bias))
    with torch.no_grad():
        for i, part in enumerate((made.lin_query, made.lin_key, made.lin_value, made.lin_skip)):
            part.weight.copy_(weights[i])
            part.bias.copy_(biases[i])
        made.lin_beta.weight.copy_(layer.gate.weight)
    return made.eval()


def edge_list(land: Land) -> Tensor:
    """Each edge in both directions."""
    return torch.tensor([pair for a, b in land.edges for pair in ((a, b), (b, a))]).T


@torch.no_grad()
def read(
    net: Network,
    state: State,
    player: int,
    moves: list[list[Order]],
    nodes: Callable[[State, int], Array] = nodes_of,
) -> tuple[float, list[float]]:
    """The value of a position and the logits of moves."""
    land = state.land
    x = torch.relu(net.first(torch.tensor(nodes(state, player)).float()))
    for bonus_layer, map_layer in zip(net.bonuses, net.map, strict=True):
        assert isinstance(bonus_layer, Attention)
        assert isinstance(map_layer, Attention)
        joined = torch.zeros(len(x), x.shape[1])
        for bonus in land.bonuses:
            group, size = list(bonus.territories), len(bonus.territories)
            clique = torch.tensor([(i, j) for i in range(size) for j in range(size)]).T
            total = torch.relu(transformer(bonus_layer)(x[group], clique)).sum(0)
            for t in group:
                joined[t] += bonus.value / size * total
        x = torch.relu(transformer(map_layer)(torch.cat([x, joined], 1), edge_list(land)))
    sight = torch.cat([x.mean(0), torch.tensor(totals_of(state, player)).float()])
    value = torch.tanh(net.value(torch.relu(net.hidden(sight))))
    return float(value), [float(logit_of(net, state, player, x, move)) for move in moves]


def logit_of(net: Network, state: State, player: int, x: Tensor, move: list[Order]) -> Tensor:
    """Each order's armies and territories side by side, through the layer of its kind."""
    attack_source, attack_target, transfer_source, transfer_target, deploy = net.ends.weight.chunk(5)
    armies, bias = net.kinds.weight.chunk(2, 1)
    layers = {
        ATTACK: torch.cat([armies[:, ATTACK : ATTACK + 1], attack_source, attack_target], 1),
        TRANSFER: torch.cat([armies[:, TRANSFER : TRANSFER + 1], transfer_source, transfer_target], 1),
        DEPLOY: torch.cat([armies[:, DEPLOY : DEPLOY + 1], deploy], 1),
    }
    summed = torch.zeros(20)
    for order in move:
        kind = kind_of(state, player, order)
        ends = [x[order.territory]] if isinstance(order, Deploy) else [x[order.source], x[order.target]]
        inputs = torch.cat([torch.tensor([scale(order.armies)]), *ends])
        summed += torch.relu(net.order(torch.relu(layers[kind] @ inputs + bias[:, kind])))
    return net.logit(torch.relu(summed))  # type: ignore[no-any-return]
