"""Self-play games of TUBSTAP: the task of a worker and its results."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable import _core, tubstap
from sandtable.errors import SandtableError, one_line
from sandtable.files import write_whole
from sandtable.learn.adapter import Played
from sandtable.learn.recipe import Recipe
from sandtable.nets.architectures import PolicyEncoder
from sandtable.nets.checkpoints import read_card
from sandtable.nets.evaluators import fresh_policy_evaluator, policy_network_of
from sandtable.players.spec import PlayerSpec


class Game(NamedTuple):
    """A game of T decisions on the recipe's map of that number. A move is an index into the state's list of moves."""

    number: int
    moves: NDArray[np.int64]  # [T]
    full: NDArray[np.float32]  # [T]: 1 if the decision was searched in full
    values: NDArray[np.float32]  # [T]: the search's value for the side to move
    counts: NDArray[np.int64]  # [T]: number of legal moves
    policy: NDArray[np.float32]  # [sum of counts]: the search's share of each move, decision by decision


def beginning(recipe: Recipe, number: int) -> tubstap.State:
    scenario = recipe.start(number)
    assert isinstance(scenario, tubstap.Scenario)
    return scenario.start()


def play(weights: Path, recipe: Recipe, numbers: Sequence[int]) -> Played:
    """Play the games of these numbers with the network at `weights`."""
    card = read_card(weights)
    encoder = card.known.encoder
    if not isinstance(encoder, PolicyEncoder):
        raise SandtableError(f"{weights}: self-play needs a policy net")
    policy = fresh_policy_evaluator(encoder, policy_network_of(weights), recipe.search.cache)
    begin = time.perf_counter()
    starts = [beginning(recipe, number) for number in numbers]
    seeds = [(recipe.seed << 32) + number for number in numbers]
    found = _core.tubstap.self_play(policy, starts, seeds, recipe.search.settings)
    games = [Game(number, *game) for number, game in zip(numbers, found, strict=True)]
    seconds = time.perf_counter() - begin
    return Played(games, seconds, policy.forward_seconds, policy.evaluated, policy.hits, policy.rows, policy.batches)


def player(weights: Path, recipe: Recipe) -> PlayerSpec:
    """The player of the matches that measure the network's strength."""
    simulations, attack_bonus = recipe.strength.simulations, recipe.search.attack_bonus
    return PlayerSpec.of("pvmcts", net=str(weights), simulations=simulations, attack_bonus=attack_bonus)


def save(games: Sequence[Game], path: Path) -> None:
    """Write games to one file of plain arrays; shares are stored in half precision."""
    data = io.BytesIO()
    np.savez_compressed(
        data,
        allow_pickle=False,
        number=np.array([game.number for game in games], np.int64),
        decisions=np.array([len(game.moves) for game in games], np.int64),
        moves=np.concatenate([game.moves for game in games]).astype(np.uint16),
        full=np.concatenate([game.full for game in games]).astype(np.bool_),
        values=np.concatenate([game.values for game in games]),
        counts=np.concatenate([game.counts for game in games]).astype(np.uint16),
        policy=np.concatenate([game.policy for game in games]).astype(np.float16),
    )
    write_whole(path, data.getvalue())


def load(path: Path) -> list[Game]:
    """Read the games that save() wrote. SandtableError if the file is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as found:
            kinds = {"number": np.int64, "decisions": np.int64, "moves": np.int64, "full": np.float32}
            kinds |= {"values": np.float32, "counts": np.int64, "policy": np.float32}
            arrays = {name: found[name].astype(kind) for name, kind in kinds.items()}
    except Exception as error:  # zip, header and dtype errors are all of different kinds
        raise SandtableError(f"not a file of games: {one_line(error):.150}") from None
    if len(arrays["number"]) != len(arrays["decisions"]) or any(array.ndim != 1 for array in arrays.values()):
        raise SandtableError("not a file of games: its arrays do not fit each other")
    games, at, share = [], 0, 0
    for number, decisions in zip(arrays["number"].tolist(), arrays["decisions"].tolist(), strict=True):
        part = slice(at, at + decisions)
        counts = arrays["counts"][part]
        shares = int(counts.sum())
        policy = arrays["policy"][share : share + shares]
        games.append(Game(number, arrays["moves"][part], arrays["full"][part], arrays["values"][part], counts, policy))
        at, share = at + decisions, share + shares
    if at != len(arrays["moves"]) or share != len(arrays["policy"]):
        raise SandtableError("not a file of games: its arrays do not fit each other")
    return games


def rounded(game: Game) -> Game:
    """The game with the precision that it has after saving and loading, so that a resumed training learns the same."""
    return game._replace(policy=game.policy.astype(np.float16).astype(np.float32))


class Sample(NamedTuple):
    """A position to learn from."""

    state: tubstap.State
    policy: NDArray[np.float32]  # a share for each move
    full: bool
    result: float  # result of the game for the side to move: 1, 0 or -1
    last_hp: NDArray[np.float32]  # of each unit in the state, in order of ids: HP at the end of the game


def samples(game: Game, recipe: Recipe) -> list[Sample]:
    """The positions of a game, by replaying it. SandtableError if it cannot be played on the recipe's map."""
    state = beginning(recipe, game.number)
    seen: list[tuple[tubstap.State, int, list[int]]] = []
    for move, count in zip(game.moves.tolist(), game.counts.tolist(), strict=True):
        moves = state.moves()
        if len(moves) != count or move >= count:
            raise SandtableError(f"game {game.number} cannot be played on its map")
        seen.append((state.copy(), state.side, [unit.id for unit in state.units]))
        state.play(moves[move])
    if not state.over:
        raise SandtableError(f"game {game.number} does not end")
    hp = {unit.id: unit.hp for unit in state.units}
    ends = np.cumsum(game.counts)
    found = []
    for i, (before, side, ids) in enumerate(seen):
        result = 0.0 if state.winner is None else 1.0 if state.winner == side else -1.0
        last = np.array([hp.get(unit, 0.0) for unit in ids], np.float32)
        shares = game.policy[ends[i] - game.counts[i] : ends[i]]
        found.append(Sample(before, shares, bool(game.full[i]), result, last))
    return found
