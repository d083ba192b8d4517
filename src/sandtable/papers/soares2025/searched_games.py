"""Training games of Conquest, with the candidate moves, visits and values of the players' searches.

A game is stored as its record and the candidates of each decision, not as tensors: states come from a replay, so that
an encoder can change without new games.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable import conquest
from sandtable.arena import Record
from sandtable.arena.playing import play_timed
from sandtable.conquest.training.order_rows import PlainOrder, orders_of, rows_of, split_rows
from sandtable.errors import SandtableError, one_line
from sandtable.files import write_whole
from sandtable.players.protocol import Analysis

# Targets of a sample: the shares of the visits, or the move played; the game's result, or the search's value.
POLICY_TARGETS = ("visits", "played")
VALUE_TARGETS = ("result", "search")

# The arrays of a file: their types and numbers of axes.
ARRAYS: dict[str, tuple[Any, int]] = {
    "records": (np.uint8, 1),  # UTF-8, a line for each game
    "values": (np.float32, 1),
    "counts": (np.uint16, 1),
    "visits": (np.uint32, 1),
    "lengths": (np.uint16, 1),
    "orders": (np.int32, 2),
}


class Game(NamedTuple):
    """D decisions, player 0's and player 1's in every turn, with C candidates and O orders in all."""

    record: Record
    values: NDArray[np.float32]  # [D]: the search's, for the player
    counts: NDArray[np.uint16]  # [D]: candidates; the first is the one that was played
    visits: NDArray[np.uint32]  # [C]
    lengths: NDArray[np.uint16]  # [C]: orders
    orders: NDArray[np.int32]  # [O, 3]: see order_rows


class Sample(NamedTuple):
    """One player's view of one turn, with its C candidates: the first was played."""

    state: conquest.State
    player: int
    visits: NDArray[np.uint32]  # [C]
    lengths: NDArray[np.uint16]  # [C]
    orders: NDArray[np.int32]  # [O, 3], as in a game
    value: float  # of the search, for the player
    result: float  # of the game, for the player: 1, 0 or -1

    @property
    def moves(self) -> list[list[PlainOrder]]:
        """The candidates as the engine reads them."""
        orders = orders_of(self.orders)
        ends = np.cumsum(self.lengths, dtype=np.int64).tolist()
        return [orders[end - length : end] for end, length in zip(ends, self.lengths.tolist(), strict=True)]

    @property
    def shares(self) -> NDArray[np.float32]:
        """[C]: shares of the visits. A search that counts no visits, such as coevolution, gives `best`."""
        total = float(self.visits.sum())
        return (self.visits / total).astype(np.float32) if total else self.best

    @property
    def best(self) -> NDArray[np.float32]:
        """[C]: 1 for the move that was played, else 0."""
        chosen = np.zeros(len(self.visits), np.float32)
        chosen[0] = 1
        return chosen


def play(land: conquest.Land, first: str, second: str, seed: int) -> Game:
    """Play a game between two searching players to its end."""
    thoughts: list[Analysis] = []
    record = play_timed(land, first, second, seed, watch=lambda state, side, thought: thoughts.append(thought)).record
    moves = [candidate.move for thought in thoughts for candidate in thought.candidates]
    return Game(
        record,
        np.array([thought.value for thought in thoughts], np.float32),
        np.array([len(thought.candidates) for thought in thoughts], np.uint16),
        np.array([candidate.visits for thought in thoughts for candidate in thought.candidates], np.uint32),
        np.array([len(move) for move in moves], np.uint16),
        rows_of(order for move in moves for order in move),
    )


def save(games: Sequence[Game], path: Path) -> None:
    """Games in one file of plain arrays."""
    text = "".join(f"{game.record.to_line()}\n" for game in games).encode()
    parts = {name: np.concatenate([getattr(game, name) for game in games]) for name in ARRAYS if name != "records"}
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, records=np.frombuffer(text, np.uint8), **parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data.getvalue())


def load(path: Path) -> list[Game]:
    """The games that save() wrote; SandtableError if the file is missing or damaged. samples() checks the moves."""
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = {name: found[name] for name in ARRAYS}
        lines = arrays.pop("records").astype(np.uint8).tobytes().decode().splitlines()
        records = [Record.from_line(line) for line in lines]
    except Exception as error:  # zip, header, dtype and text errors are all of different kinds
        raise SandtableError(f"{path}: not a file of games: {one_line(error):.150}") from None
    if any((arrays[name].dtype, arrays[name].ndim) != ARRAYS[name] for name in arrays):
        raise SandtableError(f"{path}: not a file of games: its arrays have other types")
    decisions = np.array([2 * len(record.moves) for record in records], np.int64)
    try:
        values, counts = (split_rows(arrays[name], decisions) for name in ("values", "counts"))
        candidates = np.array([int(part.sum()) for part in counts], np.int64)
        visits, lengths = (split_rows(arrays[name], candidates) for name in ("visits", "lengths"))
        orders = split_rows(arrays["orders"], np.array([int(part.sum()) for part in lengths], np.int64))
        if arrays["orders"].shape[1] != 3 or not (arrays["counts"] > 0).all():
            raise ValueError
    except ValueError:
        raise SandtableError(f"{path}: not a file of games: its arrays do not fit each other") from None
    return [Game(*one) for one in zip(records, values, counts, visits, lengths, orders, strict=True)]


def samples(game: Game) -> list[Sample]:
    """The samples of a game, from its replay; SandtableError if its record and candidates contradict each other."""
    game.record.verify()
    ends = np.cumsum(game.counts, dtype=np.int64)
    visits, lengths = np.split(game.visits, ends[:-1]), np.split(game.lengths, ends[:-1])
    orders = np.split(game.orders, np.cumsum([part.sum(dtype=np.int64) for part in lengths])[:-1])
    found = []
    for turn, (state, move) in enumerate(zip(game.record.states(), game.record.moves, strict=False)):
        assert isinstance(state, conquest.State)
        for player in (0, 1):
            i = 2 * turn + player
            result = 0.0 if game.record.winner is None else 1.0 if game.record.winner == player else -1.0
            one = Sample(state, player, visits[i], lengths[i], orders[i], float(game.values[i]), result)
            if one.moves[0] != move[player]:
                raise SandtableError(f"turn {turn}: player {player} did not play its first candidate")
            found.append(one)
    return found
