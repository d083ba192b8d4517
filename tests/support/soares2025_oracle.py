"""An oracle for the inputs of soares2025's network, in plain Python: one territory and one order at a time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.conquest import Deploy, Land, Order, State

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


def text_nodes_of(state: State, player: int, scaled: bool = True) -> Array:
    """The text's inputs: the owner as one of three, armies by owner, and which bonuses a territory belongs to."""
    rows = []
    for territory, (owner, armies) in enumerate(zip(state.owner, state.armies, strict=True)):
        owners = [float(owner == one) for one in (player, 1 - player, -1)]
        member = [float(territory in bonus.territories) for bonus in state.land.bonuses]
        rows.append([*owners, *(one * scale(armies, scaled) for one in owners), *member])
    return np.array(rows)


def totals_of(state: State, player: int, scaled: bool = True) -> Array:
    owners = (player, 1 - player, -1)
    sums = [sum(a for o, a in zip(state.owner, state.armies, strict=True) if o == owner) for owner in owners]
    incomes = [state.income(player), state.income(1 - player)]
    return np.array([scale(armies, scaled) for armies in incomes + sums])


def kind_of(state: State, player: int, order: Order) -> int:
    if isinstance(order, Deploy):
        return DEPLOY
    return TRANSFER if state.owner[order.target] == player else ATTACK


class Question(NamedTuple):
    """A state, the perspective player, and that player's candidate moves, if the network is asked about any."""

    state: State
    player: int
    moves: list[list[Order]]


def arrays(questions: list[Question], scaled: bool = True, *, text: bool = False) -> list[Array]:
    """All inputs of the network, in the order of `Network.forward`; `text`: with the text's inputs."""
    n = len(questions[0].state.owner)
    asked = [i for i, question in enumerate(questions) if question.moves]
    sources: list[int] = []
    targets: list[int] = []
    orders: list[list[float]] = []
    moves: list[list[int]] = []
    for a, i in enumerate(asked):
        state, player, candidates = questions[i]
        for move in candidates:
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
        np.array([(text_nodes_of if text else nodes_of)(q.state, q.player, scaled) for q in questions]),
        np.array([totals_of(q.state, q.player, scaled) for q in questions]),
        np.array(asked, dtype=np.int64),
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(orders).reshape(-1, 6),
        np.array(padded, dtype=np.int64).reshape(-1, longest),
    ]
