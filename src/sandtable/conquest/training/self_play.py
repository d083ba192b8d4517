"""Self-play games of Conquest: in each turn, one search finds the mixed strategies of both players."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable import _core, conquest
from sandtable.conquest.training.order_rows import orders_of, rows_of, split_rows
from sandtable.errors import SandtableError, one_line
from sandtable.files import write_whole
from sandtable.learn.adapter import Played
from sandtable.learn.recipe import Recipe
from sandtable.nets.conquest import fresh_territory_evaluator
from sandtable.nets.evaluators import policy_network_of
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng


class Game(NamedTuple):
    """A game of T turns on the recipe's map of that number, from the start that this number seeds. Arrays with two
    entries per turn have player 0's, then player 1's. A policy is the mean effect of a mixed strategy
    (`_core.conquest.shares`): for N territories, N shares of the income and N * N shares of armies. Only the non-zero
    shares are stored, with their places in the policy."""

    number: int
    orders: NDArray[np.int32]  # [all orders, 3]: see order_rows
    order_counts: NDArray[np.int64]  # [2 T]
    firsts: NDArray[np.int64]  # [T]: the player that marched first
    values: NDArray[np.float32]  # [T]: the search's value for player 0
    counts: NDArray[np.int64]  # [2 T]: number of non-zero shares
    places: NDArray[np.int32]  # [sum of counts]
    shares: NDArray[np.float32]  # [sum of counts]


KINDS = {
    "number": np.int64,
    "turns": np.int64,
    "orders": np.int32,
    "order_counts": np.int64,
    "firsts": np.int64,
    "values": np.float32,
    "counts": np.int64,
    "places": np.int32,
    "shares": np.float32,
}


def beginning(recipe: Recipe, number: int) -> conquest.State:
    land = recipe.start(number)
    assert isinstance(land, conquest.Land)
    return land.start(number)


def play(weights: Path, recipe: Recipe, numbers: Sequence[int]) -> Played:
    """Play the games of these numbers with the network at `weights`."""
    evaluator = fresh_territory_evaluator(policy_network_of(weights), recipe.search.cache)
    begin = time.perf_counter()
    games = [_game(evaluator, recipe, number) for number in numbers]
    seconds, evaluated = time.perf_counter() - begin, evaluator.evaluated
    return Played(games, seconds, evaluator.forward_seconds, evaluated, evaluator.hits, evaluated, evaluator.batches)


def _game(evaluator: _core.conquest.TerritoryEvaluator, recipe: Recipe, number: int) -> Game:
    settings, rng = recipe.turns.settings, Rng(recipe.seed, f"self-play game {number}")
    state = beginning(recipe, number)
    orders: list[conquest.Order] = []
    order_counts, firsts, values, counts = [], [], [], []
    places: list[NDArray[np.int64]] = []
    shares: list[NDArray[np.float32]] = []
    while not state.over:
        turn = evaluator.equilibrium(state, rng.below(2), settings, seed=rng.below(2**32 - 1))
        chosen = []
        for player, mixture in enumerate(turn.players):
            moves = mixture.moves
            at = rng.below(len(moves)) if rng.uniform() < recipe.turns.explore else mixture.best
            chosen.append(moves[at])
            found = _core.conquest.shares(state, player, moves, mixture.shares)
            policy = np.concatenate([part.ravel() for part in found])
            places.append(np.flatnonzero(policy))
            shares.append(policy[places[-1]])
            counts.append(len(places[-1]))
            orders += chosen[-1]
            order_counts.append(len(chosen[-1]))
        firsts.append(rng.below(2))
        values.append(turn.value)
        state.resolve(chosen[0], chosen[1], firsts[-1], seed=number)
    return Game(
        number,
        rows_of(orders),
        np.array(order_counts, np.int64),
        np.array(firsts, np.int64),
        np.array(values, np.float32),
        np.array(counts, np.int64),
        np.concatenate(places).astype(np.int32),
        np.concatenate(shares),
    )


def player(weights: Path, recipe: Recipe) -> PlayerSpec:
    """The player of the matches that measure the network's strength."""
    return PlayerSpec.of("equilibrium", net=str(weights), rounds=recipe.strength.simulations)


def save(games: Sequence[Game], path: Path) -> None:
    """Write games to one file of plain arrays; shares are stored in half precision."""
    data = io.BytesIO()
    joined = {
        name: np.concatenate([getattr(game, name) for game in games]) for name in Game._fields if name != "number"
    }
    np.savez_compressed(
        data,
        allow_pickle=False,
        number=np.array([game.number for game in games], np.int64),
        turns=np.array([len(game.firsts) for game in games], np.int64),
        **(joined | {"shares": joined["shares"].astype(np.float16)}),
    )
    write_whole(path, data.getvalue())


def load(path: Path) -> list[Game]:
    """Read the games that save() wrote. SandtableError if the file is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = {name: found[name].astype(kind) for name, kind in KINDS.items()}
    except Exception as error:  # zip, header and dtype errors are all of different kinds
        raise SandtableError(f"not a file of games: {one_line(error):.150}") from None
    try:
        return _split_into_games(arrays)
    except (ValueError, IndexError):
        raise SandtableError("not a file of games: its arrays do not fit each other") from None


def _split_into_games(arrays: dict[str, NDArray[np.generic]]) -> list[Game]:
    """The arrays split into games; ValueError if they do not fit each other."""
    turns = arrays["turns"].astype(np.int64)
    each: dict[str, list[NDArray[np.generic]]] = {}
    for name in ("firsts", "values"):
        each[name] = split_rows(arrays[name], turns)
    for name, whose in (("order_counts", "orders"), ("counts", "places"), ("counts", "shares")):
        each[name] = split_rows(arrays[name], 2 * turns)
        sums = [int(one.astype(np.int64).sum()) for one in each[name]]
        each[whose] = split_rows(arrays[whose], np.array(sums, np.int64))
    if arrays["orders"].ndim != 2 or arrays["orders"].shape[1] != 3:
        raise ValueError
    return [
        Game(int(number), *(each[name][i] for name in Game._fields[1:]))  # type: ignore[arg-type]
        for i, number in enumerate(arrays["number"].tolist())
    ]


def rounded(game: Game) -> Game:
    """The game with the precision that it has after saving and loading, so that a resumed training learns the same."""
    return game._replace(shares=game.shares.astype(np.float16).astype(np.float32))


class Sample(NamedTuple):
    """A position to learn from, with one of the players as the perspective player."""

    state: conquest.State
    player: int
    places: NDArray[np.int32]  # of the non-zero shares: N of the income, then N * N of armies
    shares: NDArray[np.float32]
    chances: tuple[float, float, float]  # of win, tie, loss: the game's result mixed with the search's value
    owners: NDArray[np.int8]  # of each territory at the end: 0 the player, 1 the other, 2 nobody


def samples(game: Game, recipe: Recipe) -> list[Sample]:
    """The positions of a game, by replaying it. SandtableError if it cannot be played on the recipe's map."""
    state = beginning(recipe, game.number)
    seen = []
    orders = np.split(game.orders, np.cumsum(game.order_counts)[:-1])
    try:
        for turn, first in enumerate(game.firsts.tolist()):
            seen.append(state.copy())
            moves = [orders_of(orders[2 * turn + player]) for player in (0, 1)]
            state.resolve(moves[0], moves[1], first, seed=game.number)
    except ValueError:
        raise SandtableError(f"game {game.number} cannot be played on its map") from None
    if not state.over:
        raise SandtableError(f"game {game.number} does not end")
    last = np.array(state.owner, np.int8)
    fates = [np.where(last < 0, 2, last ^ player).astype(np.int8) for player in (0, 1)]
    ends = np.cumsum(game.counts)
    found = []
    for turn, before in enumerate(seen):
        for player in (0, 1):
            row = 2 * turn + player
            part = slice(ends[row] - game.counts[row], ends[row])
            value = float(game.values[turn]) * (1 - 2 * player)
            chances = _chances(state.winner, player, value, recipe.turns.search_value)
            found.append(Sample(before, player, game.places[part], game.shares[part], chances, fates[player]))
    return found


def _chances(winner: int | None, player: int, value: float, searched: float) -> tuple[float, float, float]:
    """The target probabilities of a win, a tie and a loss: the game's result, mixed with the search's expectation,
    whose weight is `searched`."""
    win = (1 - searched) * (winner == player) + searched * (1 + value) / 2
    loss = (1 - searched) * (winner == 1 - player) + searched * (1 - value) / 2
    return win, (1 - searched) * (winner is None), loss
