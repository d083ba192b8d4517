"""Training samples from records. Records store games, not tensors, so that an encoder can change without new games."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sandtable.arena import Record
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.games import game_of
from sandtable.nets.architectures import Encoder
from sandtable.rng import Rng


@dataclass(frozen=True)
class Samples:
    """S encoded states of some games."""

    inputs: NDArray[np.float32]  # [S, *shape of the encoder]
    values: NDArray[np.float32]  # [S]: the game's result for the side to move, 1, -1 or 0
    games: NDArray[np.int32]  # [S]: the game's number

    def __len__(self) -> int:
        return len(self.values)

    def where(self, chosen: NDArray[Any]) -> Samples:
        """The states at these indices, or those that a mask selects."""
        return Samples(self.inputs[chosen], self.values[chosen], self.games[chosen])


def positions(record: Record) -> tuple[list[Any], list[float]]:
    """Every state of a sequential game in which a side moved, and the game's result for that side."""
    game = game_of(record.start)
    moved = [(state, movers[0]) for state in record.states() if (movers := game.movers(state))]
    values = [0.0 if record.winner is None else 1.0 if side == record.winner else -1.0 for _, side in moved]
    return [state for state, _ in moved], values


class StateEncoder(Protocol):
    """Encodes states as arrays."""

    def encode(self, states: Any, /) -> NDArray[np.float32]:
        """[S, ...]"""


def encoded(records: Sequence[Record], numbers: Sequence[int], encoder: Encoder) -> Samples:
    """All positions of some games, encoded; `numbers` are the games' numbers in the samples."""
    return encoded_by(records, numbers, encoder.make())


def encoded_by(records: Sequence[Record], numbers: Sequence[int], encoder: StateEncoder) -> Samples:
    """As encoded(), with an encoder object."""
    inputs, values, games = [], [], []
    for number, record in zip(numbers, records, strict=True):
        states, results = positions(record)
        inputs.append(encoder.encode(states))
        values += results
        games += [number] * len(results)
    if not values:
        raise SandtableError("an empty data set: no game has a position to learn from")
    return Samples(np.concatenate(inputs), np.array(values, np.float32), np.array(games, np.int32))


def save(samples: Samples, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("inputs", "values", "games"):
        data = io.BytesIO()
        np.save(data, getattr(samples, name), allow_pickle=False)
        write_whole(folder / f"{name}.npy", data.getvalue())


def load(folder: Path) -> Samples:
    """Load what save() wrote; SandtableError if a file is missing or damaged, or if the arrays do not match."""
    arrays: dict[str, Any] = {}
    for name, kind in (("inputs", np.float32), ("values", np.float32), ("games", np.int32)):
        path = folder / f"{name}.npy"
        try:
            arrays[name] = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise SandtableError(f"{path}: not an array of a data set: {str(error).splitlines()[0]:.120}") from None
        if arrays[name].dtype != kind:
            raise SandtableError(f"{path}: not an array of a data set: {arrays[name].dtype} instead of {kind.__name__}")
    samples = Samples(**arrays)
    if not len(samples.inputs) == len(samples.values) == len(samples.games):
        raise SandtableError(f"{folder}: the arrays of this data set differ in length")
    if not len(samples):
        raise SandtableError(f"{folder}: an empty data set")
    return samples


def split_by_game(games: Iterable[int], share: float, seed: int) -> set[int]:
    """A share of the games, at least one, drawn with the seed. All positions of a game fall on the same side of the
    split."""
    known = sorted({int(game) for game in games})
    return set(Rng(seed, "split by game").sample(known, max(1, round(share * len(known)))))


def held_out_by_game(games: Sequence[int] | NDArray[np.int32], share: float, seed: int) -> NDArray[np.bool_]:
    """[S]: whether each state belongs to a game that split_by_game() draws."""
    return np.isin(games, list(split_by_game(games, share, seed)))
