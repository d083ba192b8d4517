"""The training objective of a policy/value network for Conquest: the search's choice and the game's result.

soares2025, sections 4.1.5 and 5.2.1: cross entropy with the search's visits + squared error of the value.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable.conquest import Land
from sandtable.errors import SandtableError
from sandtable.learn.devices import tensors
from sandtable.learn.optimisation import cross_entropy
from sandtable.learn.supervised import Losses, Settings, epoch_seed, parts_of, shuffled
from sandtable.nets.architectures import TurnEncoder
from sandtable.papers.soares2025.searched_games import POLICY_TARGETS, VALUE_TARGETS, Sample


class TurnObjective:
    """An objective for supervised.fit. All states of a batch are from one map.

    `policy`: "visits" for the shares of the visits, or "played" for the move played. `value`: "result" for the game's
    result, or "search" for the value of the search's root. The second of each is what soares2025's code did.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        held_out: NDArray[np.bool_],
        encoder: TurnEncoder,
        settings: Settings,
        policy: str = "visits",
        value: str = "result",
    ) -> None:
        if policy not in POLICY_TARGETS or value not in VALUE_TARGETS:
            known = f"{' or '.join(POLICY_TARGETS)}, {' or '.join(VALUE_TARGETS)}"
            raise SandtableError(f"targets are {known}, not {policy!r:.40} and {value!r:.40}")
        if held_out.all() or not held_out.any():
            raise SandtableError("the data need turns to learn from and turns that are held out: play more games")
        self._samples = samples
        self._settings = settings
        self._policy, self._value = policy, value
        self._encoder = encoder.make()
        self._training_by_map, self._held_out_by_map = (
            _by_map(samples, np.flatnonzero(part)) for part in (~held_out, held_out)
        )
        self.digest = _digest(samples, held_out, policy, value)

    @property
    def steps(self) -> int:
        return sum(-(-len(part) // self._settings.batch) for part in self._training_by_map)

    def batches(self, epoch: int) -> Iterator[list[Sample]]:
        """The batches of all maps in one random order."""
        batches = [
            part
            for of_map in self._training_by_map
            for part in parts_of(shuffled(of_map, self._settings, epoch), self._settings.batch)
        ]
        order = np.random.default_rng(epoch_seed(self._settings, epoch)).permutation(len(batches))
        return (self._samples_at(batches[i]) for i in order)

    def held_out(self) -> Iterator[list[Sample]]:
        return (self._samples_at(part) for of_map in self._held_out_by_map for part in parts_of(of_map, 256))

    def losses(self, module: nn.Module, batch: Sequence[Sample]) -> Losses:
        states, players, moves = zip(*((one.state, one.player, one.moves) for one in batch), strict=True)
        values, logits = module(*tensors(module, *self._encoder.encode(states, players, moves)))
        shares = np.concatenate([one.shares if self._policy == "visits" else one.best for one in batch])
        results = np.array([one.result if self._value == "result" else one.value for one in batch], np.float32)
        moves_of = np.repeat(np.arange(len(batch)), [len(one.visits) for one in batch])
        value_targets, policy_targets, of_move = tensors(module, results, shares, moves_of)
        policy_loss = cross_entropy(logits, policy_targets, of_move, len(batch)).sum()
        value_loss = ((values - value_targets) ** 2).sum()
        sums = {"loss": policy_loss + value_loss, "policy_loss": policy_loss, "value_loss": value_loss}
        return Losses(len(batch), sums)

    def _samples_at(self, places: Tensor) -> list[Sample]:
        return [self._samples[place] for place in places.tolist()]


def _by_map(samples: Sequence[Sample], places: NDArray[np.intp]) -> list[Tensor]:
    """The places of the samples of each map, in the order in which the maps appear."""
    found: defaultdict[Land, list[int]] = defaultdict(list)
    for place in places.tolist():
        found[samples[place].state.land].append(place)
    return [torch.tensor(part) for part in found.values()]


def _digest(samples: Sequence[Sample], held_out: NDArray[np.bool_], *targets: str) -> str:
    content = hashlib.sha256(f"{targets}".encode() + held_out.tobytes())
    for one in samples:
        content.update(f"{one.state.hash()} {one.player} {one.value} {one.result}".encode())
        for array in (one.visits, one.lengths, one.orders):
            content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()
