"""Oracles for the searches with a policy network, in plain Python: dictionaries from the moves that lead to a node to
its data, one simulation at a time, values for red throughout. Also a network that needs no training.

It is slow on purpose. Tests compare the core's trees with it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable import _core
from sandtable.tubstap import Move, State

Floats = NDArray[np.float32]
Path = tuple[Move, ...]  # from the root

PolicyEvaluator = _core.tubstap.PolicyEvaluator


class Network:
    """Answers by the digest of each image: arbitrary, yet the same for the same image, on every machine."""

    def __init__(self, spread: float = 2.0, confidence: float = 0.5) -> None:
        self.spread, self.confidence = spread, confidence  # bounds of the logits and of the values
        self.asked: list[int] = []  # images in each call

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        self.asked.append(len(planes))
        digests = [hashlib.shake_128(row.tobytes()).digest(2 * 181) for row in planes]
        numbers = np.array([np.frombuffer(digest, "<u2") for digest in digests]).reshape(-1, 181) / 32768 - 1
        answers = numbers.astype(np.float32)
        return self.confidence * answers[:, 0], self.spread * answers[:, 1:]


def policy(network: Callable[..., Any] | None = None, cache: int = 0) -> PolicyEvaluator:
    return PolicyEvaluator("unit-question", network or Network(), cache=cache)


class Tree:
    """The common part of both searches. A node is expanded if its moves are known; `max_nodes` is as in the core."""

    def __init__(self, root: State, evaluator: PolicyEvaluator, max_nodes: int = 10**9) -> None:
        self.root, self.evaluator, self.max_nodes = root.copy(), evaluator, max_nodes
        self.moves: dict[Path, list[Move]] = {}
        self.prior: dict[Path, float] = {}
        self.net_value: dict[Path, float] = {}  # by the network, for the side to move there
        self.visits: Counter[Path] = Counter()
        self.sums: Counter[Path] = Counter()

    @property
    def nodes(self) -> int:
        return 1 + sum(map(len, self.moves.values()))

    def search(self, simulations: int) -> None:
        if () not in self.moves:
            self.simulate()  # of the root itself
        for _ in range(simulations):
            self.simulate()

    def simulate(self) -> None:
        path: Path = ()
        state = self.root.copy()
        while path in self.moves and not state.over:
            move = self.choose(path, state.side)
            path = (*path, move)
            state.play(move)
        if state.over:
            red = 0.0 if state.winner is None else 1.0 if state.winner == 0 else -1.0
        else:
            (value,), priors = self.evaluator.evaluate([state])
            red = float(value) if state.side == 0 else -float(value)
            self.net_value[path] = float(value)
            moves = state.moves()
            if not path or self.nodes + len(moves) <= self.max_nodes:
                self.moves[path] = moves
                self.prior |= {(*path, move): float(p) for move, p in zip(moves, priors, strict=True)}
        for depth in range(len(path) + 1):
            self.visits[path[:depth]] += 1
            self.sums[path[:depth]] += red  # type: ignore[assignment]

    def choose(self, path: Path, side: int) -> Move:
        raise NotImplementedError

    def best(self) -> Move:
        raise NotImplementedError

    def mean(self, path: Path, side: int) -> float:
        """The value of a node that was visited, for a side."""
        return (1 if side == 0 else -1) * self.sums[path] / self.visits[path]

    def candidates(self) -> list[tuple[Move, int, float, float]]:
        """As the core returns them: move, visits, value and prior of the root's children."""
        side = self.root.side
        return [
            (move, self.visits[move,], self.mean((move,), side) if self.visits[move,] else 0.0, self.prior[move,])
            for move in self.moves[()]
        ]

    def value(self) -> float:
        return self.mean((), self.root.side)

    def advance(self, path: Path) -> None:
        """Make a node the root and keep its subtree."""
        for move in path:
            self.root.play(move)
        for kept in (self.moves, self.prior, self.net_value, self.visits, self.sums):
            table: dict[Path, Any] = kept
            below = {key[len(path) :]: value for key, value in table.items() if key[: len(path)] == path}
            table.clear()
            table.update(below)

    def find(self, wanted: State) -> Path | None:
        """The nearest expanded node with a position, the most visited of several."""
        level: list[tuple[Path, State]] = [((), self.root)]
        while level:
            same = [path for path, state in level if state.hash() == wanted.hash()]
            if same:
                return max(same, key=lambda path: self.visits[path])
            deeper = []
            for path, state in level:
                for move in self.moves[path]:
                    if (*path, move) in self.moves:
                        child = state.copy()
                        child.play(move)
                        deeper.append(((*path, move), child))
            level = deeper
        return None


class Puct(Tree):
    """kimura2020, section 3.2."""

    def __init__(
        self,
        root: State,
        evaluator: PolicyEvaluator,
        c: float = 0.8,
        bonus: float = 3.7,
        from_parent: bool = False,
        max_nodes: int = 10**9,
    ) -> None:
        super().__init__(root, evaluator, max_nodes)
        self.c, self.bonus, self.from_parent = c, bonus, from_parent

    def choose(self, path: Path, side: int) -> Move:
        """The highest score; among equal scores the likelier move, then the first."""
        children = [(*path, move) for move in self.moves[path]]
        total = sum(self.visits[child] for child in children)
        known = self.net_value[path] + sum(
            self.visits[child] * self.mean(child, side) for child in children if self.visits[child]
        )
        untried = known / (1 + total) if self.from_parent else 0.0

        def score(child: Path) -> tuple[float, float]:
            n, prior = self.visits[child], self.prior[child]
            q = self.mean(child, side) if n else untried
            bonus = self.bonus if child[-1].target is not None else 0.0
            return q + (self.c * math.sqrt(total) * prior + bonus) / (1 + n), prior

        return max(children, key=score)[-1]

    def best(self) -> Move:
        return max(self.candidates(), key=lambda one: (one[1], one[2]))[0]


class Gumbel(Tree):
    """Danihelka et al. (2022), without its noise: the `considered` likeliest moves share the simulations."""

    def __init__(
        self, root: State, evaluator: PolicyEvaluator, simulations: int, considered: int, max_nodes: int = 10**9
    ) -> None:
        super().__init__(root, evaluator, max_nodes)
        self.simulations, self.considered = simulations, considered

    def scores(self, path: Path, side: int) -> dict[Move, float]:
        """logit + sigma(Q), where moves without a visit have the value that the visited ones suggest."""
        moves = self.moves[path]
        tried = [move for move in moves if self.visits[*path, move]]
        total = sum(self.visits[*path, move] for move in tried)
        mass = sum(self.prior[*path, move] for move in tried)
        weighed = sum(self.prior[*path, move] * self.mean((*path, move), side) for move in tried)
        unknown = (self.net_value[path] + total * weighed / mass) / (1 + total) if tried else self.net_value[path]
        sigma = 50 + max((self.visits[*path, move] for move in tried), default=0)
        q = {move: self.mean((*path, move), side) if move in tried else unknown for move in moves}
        return {move: math.log(max(self.prior[*path, move], 1e-9)) + sigma * 0.5 * (q[move] + 1) for move in moves}

    def improved(self, path: Path, side: int) -> dict[Move, float]:
        scores = self.scores(path, side)
        most = max(scores.values())
        weights = {move: math.exp(score - most) for move, score in scores.items()}
        whole = sum(weights.values())
        return {move: weight / whole for move, weight in weights.items()}

    def choose(self, path: Path, side: int) -> Move:
        moves = self.moves[path]
        done = sum(self.visits[*path, move] for move in moves)
        if path:
            wanted = self.improved(path, side)
            return max(moves, key=lambda move: wanted[move] - self.visits[*path, move] / (1 + done))
        count = halving(self.simulations, min(self.considered, len(moves)))[done]
        scores = self.scores((), side)
        return max((move for move in moves if self.visits[move,] == count), key=lambda move: scores[move])

    def best(self) -> Move:
        scores = self.scores((), self.root.side)
        return max(self.moves[()], key=lambda move: (self.visits[move,], scores[move]))


def halving(simulations: int, considered: int) -> list[int]:
    """For each simulation, the number of visits of the move that gets it. In a round, all remaining moves get equally
    many simulations; after it the better half remains, at least two."""
    if considered == 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    counts: list[int] = []
    before, left = 0, considered
    while len(counts) < simulations:
        each = max(1, simulations // (rounds * left))
        for number in range(before, before + each):
            counts += [number] * left
        before, left = before + each, max(2, left // 2)
    return counts[:simulations]
