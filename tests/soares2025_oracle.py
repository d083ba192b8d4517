"""soares2025's inputs and network read a second time, plainly: lists, torch_geometric, one order after the other."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.nn import TransformerConv

from sandtable.conquest import Deploy, Land, Order, State
from sandtable.nets.soares2025 import Attention, Network

Array = NDArray[Any]

HIDDEN = -1e9
ATTACK, TRANSFER, DEPLOY = range(3)


def scale(armies: float, scaled: bool = True) -> float:
    return math.log1p(armies) if scaled else float(armies)


def land_arrays(land: Land) -> list[Array]:
    """edges, members, cliques, shares. A map without bonuses has one that is worth nothing."""
    n = len(land.territories)
    edges = np.full((n, n), HIDDEN)
    for a, b in land.edges:
        edges[a, b] = edges[b, a] = 0
    bonuses = [(bonus.value, sorted(bonus.territories)) for bonus in land.bonuses] or [(0, [0])]
    members = [(t, value, group) for value, group in bonuses for t in group]
    cliques, shares = np.full((len(members), n), HIDDEN), np.zeros((n, len(members)))
    for i, (_, value, group) in enumerate(members):
        for t in group:
            cliques[i, t] = 0
            shares[t, i] = value / len(group)
    return [edges, np.array([t for t, _, _ in members]), cliques, shares]


def nodes_of(state: State, player: int, scaled: bool = True) -> Array:
    rows = []
    for owner, armies in zip(state.owner, state.armies, strict=True):
        mine, theirs = owner == player, owner == 1 - player
        counted = scale(armies, scaled)
        rows.append([mine, theirs, mine * counted, theirs * counted, (owner == -1) * counted])
    return np.array(rows, dtype=float)


def totals_of(state: State, player: int, scaled: bool = True) -> Array:
    owners = (player, 1 - player, -1)
    sums = [sum(a for o, a in zip(state.owner, state.armies, strict=True) if o == owner) for owner in owners]
    incomes = [state.income(player), state.income(1 - player)]
    return np.array([scale(armies, scaled) for armies in incomes + sums])


def kind_of(state: State, player: int, order: Order) -> int:
    if isinstance(order, Deploy):
        return DEPLOY
    return TRANSFER if state.owner[order.target] == player else ATTACK


class Asked(NamedTuple):
    """A state, who looks at it, and that player's candidate moves; None: it is not asked about moves."""

    state: State
    player: int
    moves: list[list[Order]] | None


def arrays(questions: list[Asked], scaled: bool = True) -> list[Array]:
    """All that the network reads, as `Network.forward` has it."""
    n = len(questions[0].state.owner)
    asked = [i for i, question in enumerate(questions) if question.moves is not None]
    sources: list[int] = []
    targets: list[int] = []
    orders: list[list[float]] = []
    moves: list[list[int]] = []
    for a, i in enumerate(asked):
        state, player, candidates = questions[i]
        for move in candidates or []:
            moves.append(list(range(len(orders), len(orders) + len(move))))
            for order in move:
                kind = kind_of(state, player, order)
                features = [0.0] * 6
                features[kind], features[3 + kind] = scale(order.armies, scaled), 1
                orders.append(features)
                if isinstance(order, Deploy):
                    sources.append(5 * (n * a + order.territory) + 4)
                    targets.append(5 * n * len(asked))
                else:
                    sources.append(5 * (n * a + order.source) + 2 * kind)
                    targets.append(5 * (n * a + order.target) + 2 * kind + 1)
    longest = max([len(move) for move in moves] + [1])
    padded = [move + [len(orders)] * (longest - len(move)) for move in moves]
    return [
        *land_arrays(questions[0].state.land),
        np.array([nodes_of(q.state, q.player, scaled) for q in questions]),
        np.array([totals_of(q.state, q.player, scaled) for q in questions]),
        np.array(asked, dtype=np.int64),
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(orders).reshape(-1, 6),
        np.array(padded, dtype=np.int64).reshape(-1, longest),
    ]


def tensors(found: list[Array]) -> list[Tensor]:
    return [torch.from_numpy(one if one.dtype == np.int64 else one.astype(np.float32)) for one in found]


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
    """Both directions."""
    return torch.tensor([pair for a, b in land.edges for pair in ((a, b), (b, a))]).T


@torch.no_grad()
def read(net: Network, state: State, player: int, moves: list[list[Order]]) -> tuple[float, list[float]]:
    """The value of a position and the logits of moves, as the thesis's code puts its layers together."""
    land = state.land
    x = torch.relu(net.first(torch.tensor(nodes_of(state, player)).float()))
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
