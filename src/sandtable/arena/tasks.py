"""The games of a tournament as tasks with stable ids: who, where, from which seed, on which seats."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import NamedTuple

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.grounds import Ground
from sandtable.arena.playing import play_timed
from sandtable.errors import TournamentError
from sandtable.players.spec import player
from sandtable.rng import Rng


class GameTask(NamedTuple):
    """Game `number` of a pair of players on a ground; on odd numbers the seats are swapped, the rest the same.

    A player is known by its spec, or by a name for it: then `specs` are what the players are made from, which may be
    another text on another machine, and the game's seed is the same all the same.
    """

    first: str
    second: str
    ground: Ground
    number: int
    seed: int  # of the tournament
    specs: tuple[str, str] | None = None
    early_end: EarlyEnd | None = None

    @property
    def id(self) -> str:
        """Sixteen hex digits of what decides the game: the players, the start by its content, the seed, the seats."""
        early_end = None if self.early_end is None else astuple(self.early_end)
        content = [self.first, self.second, self.ground.name, self.ground.digest, self.number, self.seed, early_end]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @property
    def swapped(self) -> bool:
        return self.number % 2 == 1

    @property
    def seats(self) -> tuple[str, str]:
        first, second = self.specs or (self.first, self.second)
        return (second, first) if self.swapped else (first, second)

    def play(self) -> Row:
        """Play it. Both games of a swapped pair have one seed and, from a generator, one map."""
        seed = game_seed(self.seed, self.first, self.second, self.ground.name, self.number // 2)
        game = play_timed(self.ground.start(seed), *self.seats, seed=seed, early_end=self.early_end)
        record, clocks = game.record, game.clocks[::-1] if self.swapped else game.clocks
        winner = None if record.winner is None else record.winner ^ self.swapped
        return Row(
            task=self.id,
            first=self.first,
            second=self.second,
            ground=self.ground.name,
            number=self.number,
            winner=winner,
            first_seat_won=None if record.winner is None else int(record.winner == 0),
            turns=record.turns,
            error=None,
            record=record.to_line(),
            seconds=(clocks[0].seconds, clocks[1].seconds),
            decisions=(clocks[0].decisions, clocks[1].decisions),
            overruns=(clocks[0].overruns, clocks[1].overruns),
        )

    def failed(self, error: str) -> Row:
        """The row of a game that could not be played to its end."""
        none = (0, 0)
        return Row(
            self.id,
            self.first,
            self.second,
            self.ground.name,
            self.number,
            None,
            None,
            0,
            error,
            "",
            (0.0, 0.0),
            none,
            none,
        )


class Row(NamedTuple):
    """A finished game. `winner` is 0 for the task's first player, whatever its seat; None is a tie, or an error."""

    task: str
    first: str
    second: str
    ground: str
    number: int
    winner: int | None
    first_seat_won: int | None
    turns: int
    error: str | None
    record: str
    seconds: tuple[float, float]
    decisions: tuple[int, int]
    overruns: tuple[int, int]

    @property
    def label(self) -> str:
        """Who played where, for people."""
        return f"{self.first} | {self.second} | {self.ground} | {self.number}"

    @property
    def score(self) -> float:
        """Of the first player."""
        return 0.5 if self.winner is None else float(self.winner == 0)


@functools.cache
def game_seed(seed: int, first: str, second: str, ground: str, pair: int) -> int:
    return Rng(seed, f"game {first} {second} {ground} {pair}").below(2**32 - 1)


def schedule(
    players: Sequence[str],
    grounds: Sequence[Ground],
    games: int,
    seed: int,
    specs: Sequence[str] | None = None,
    early_end: EarlyEnd | None = None,
) -> Iterator[GameTask]:
    """`games` of every pair on every ground, in the order of their numbers, so that all pairs advance together."""
    pairs = list(itertools.combinations(range(len(players)), 2))
    for number in range(games):
        for a, b in pairs:
            for place in grounds:
                made_from = None if specs is None else (specs[a], specs[b])
                yield GameTask(players[a], players[b], place, number, seed, made_from, early_end)


def check_players(players: Sequence[str], grounds: Sequence[Ground]) -> None:
    """TournamentError unless all players are different, can be made, and know the games of the grounds."""
    if len(players) < 2:
        raise TournamentError("a tournament needs two players or more")
    for i, spec in enumerate(players):
        if spec in players[:i]:
            raise TournamentError(f"the player {spec!r} is named twice; give one of them another seed, for instance")
        known = getattr(player(spec), "games", ())
        for place in grounds:
            if place.game.name not in known:
                raise TournamentError(f"{spec} does not play {place.game.name}, the game of {place.name}")
