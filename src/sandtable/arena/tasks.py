"""The games of a tournament as tasks with stable ids: the players, the start, the seed and the seats."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple, overload

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.grounds import Ground
from sandtable.arena.playing import play_timed
from sandtable.arena.record import FORFEIT
from sandtable.errors import TournamentError, of_player
from sandtable.players.spec import player
from sandtable.rng import Rng
from sandtable.texts import shown


class GameTask(NamedTuple):
    """Game `number` of a pair of players on a ground. An odd number is the game before it with the seats swapped.

    `first` and `second` are specs, or names for players. With names, the players are made from `specs`, which may
    differ between machines; the game's seed does not depend on `specs`. `digests` identify the players by content,
    including their networks.
    """

    first: str
    second: str
    ground: Ground
    number: int
    seed: int  # of the tournament
    specs: tuple[str, str] | None = None
    early_end: EarlyEnd | None = None
    digests: tuple[str, str] = ("", "")

    @property
    def id(self) -> str:
        """Sixteen hex digits of all that determines the game: players, start (by its content), seed and seats."""
        return _task_id(self.content, self.number)

    @property
    def content(self) -> str:
        """All that determines the game apart from its number, as JSON."""
        early_end = None if self.early_end is None else astuple(self.early_end)
        players = (self.first, self.second, *self.digests)
        return json.dumps([players, self.ground.name, self.ground.digest, self.seed, early_end])

    @property
    def swapped(self) -> bool:
        return self.number % 2 == 1

    @property
    def seats(self) -> tuple[str, str]:
        first, second = self.specs or (self.first, self.second)
        return (second, first) if self.swapped else (first, second)

    @property
    def game_seed(self) -> int:
        """The seed of the game, which is the same for both games of a swapped pair."""
        return _game_seed(self.seed, self.first, self.second, self.ground.name, self.number // 2)

    def play(self) -> Row:
        """Play the game. Both games of a swapped pair have the same seed and, from a generator, the same map."""
        seed = self.game_seed
        game = play_timed(self.ground.start(seed), *self.seats, seed=seed, early_end=self.early_end)
        record, order = game.record, (1, 0) if self.swapped else (0, 1)
        clocks, stderr = [game.clocks[side] for side in order], [game.stderr[side] for side in order]
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
            stderr=(stderr[0], stderr[1]),
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
    """A finished game. `winner` is 0 for the task's first player, whatever its seat; None is a tie, or an error.
    `stderr` is the end of each player's standard error, if it is a bot."""

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
    stderr: tuple[str, str] = ("", "")

    @property
    def label(self) -> str:
        """The players, the ground and the number, for people."""
        return f"{self.first} | {self.second} | {self.ground} | {self.number}"

    @property
    def score(self) -> float:
        """The first player's score: 1, 0.5 or 0."""
        return 0.5 if self.winner is None else float(self.winner == 0)

    def may_have(self, players: object, winner: object, turns: object) -> bool:
        """Whether a record with these players, winner and turns may be that of the game. The players may have other
        names in the record than in the row, but not each other's."""
        swapped = self.number % 2 == 1
        won = None if self.winner is None else self.winner ^ swapped
        others = [self.first, self.second] if swapped else [self.second, self.first]
        return (winner, turns) == (won, self.turns) and isinstance(players, list | tuple) and [*players] != others

    def matches(self, player: str | None, ground: str | None) -> bool:
        """Whether it is a game of this player on this ground; None is any."""
        return player in (None, self.first, self.second) and ground in (None, self.ground)


def forfeit_of(row: Row) -> str | None:
    """Why the game was forfeited; None if it was not."""
    if f'"reason":"{FORFEIT}' not in row.record:  # records are long, and few games are forfeited
        return None
    reason = json.loads(row.record).get("reason")
    return shown(reason) if isinstance(reason, str) and reason.startswith(FORFEIT) else None


def _task_id(content: str, number: int) -> str:
    return hashlib.sha256(f"{content} {number}".encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=1024)  # the second game of a pair often follows soon after the first
def _game_seed(seed: int, first: str, second: str, ground: str, pair: int) -> int:
    return Rng(seed, f"game {first} {second} {ground} {pair}").below(2**32 - 1)


@dataclass(frozen=True)
class Schedule(Sequence[GameTask]):
    """`games` of every pair on every ground, in the order of their numbers, so that all pairs advance together. A task
    is made when it is asked for, because there may be millions."""

    players: tuple[str, ...]
    digests: tuple[str, ...]
    grounds: tuple[Ground, ...]
    games: int
    seed: int
    specs: tuple[str, ...] | None = None
    early_end: EarlyEnd | None = None

    @functools.cached_property
    def _round(self) -> list[GameTask]:
        """Game 0 of every pair on every ground."""
        return [
            GameTask(
                self.players[a],
                self.players[b],
                ground,
                0,
                self.seed,
                None if self.specs is None else (self.specs[a], self.specs[b]),
                self.early_end,
                (self.digests[a], self.digests[b]),
            )
            for a, b in itertools.combinations(range(len(self.players)), 2)
            for ground in self.grounds
        ]

    @functools.cached_property
    def _by_names(self) -> dict[tuple[str, str, str], tuple[int, str]]:
        """The place and content of each task of a round."""
        tasks = enumerate(self._round)
        return {(task.first, task.second, task.ground.name): (place, task.content) for place, task in tasks}

    def __len__(self) -> int:
        return self.games * len(self._round)

    @overload
    def __getitem__(self, place: int) -> GameTask: ...

    @overload
    def __getitem__(self, place: slice) -> list[GameTask]: ...

    def __getitem__(self, place: int | slice) -> GameTask | list[GameTask]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        number, in_round = divmod(place, len(self._round))
        return self._round[in_round]._replace(number=number)

    def place_of(self, task: str, first: str, second: str, ground: str, number: int) -> int | None:
        """The place of the task of a finished game of this tournament; None if its number is beyond the planned games.
        TournamentError if `task` is not the id of the task with these players, ground and number."""
        place, content = self._by_names.get((first, second, ground), (0, ""))
        if number < 0 or _task_id(content, number) != task:
            said = f"{first} | {second} | {ground}"
            raise TournamentError(f"the game {said:.100} | {number} does not belong to its task {task:.20}")
        return number * len(self._round) + place if number < self.games else None


def check_players(players: Sequence[str], grounds: Sequence[Ground]) -> None:
    """TournamentError unless all players are different, can be made, and know the games of the grounds."""
    if len(players) < 2:
        raise TournamentError("a tournament needs two players or more")
    found = set[str]()
    for spec in players:
        if spec in found:
            raise TournamentError(f"the player {spec!r} is named twice; give one of them another seed, for instance")
        found.add(spec)
        with of_player(spec):
            _check_player(spec, grounds)


def _check_player(spec: str, grounds: Sequence[Ground]) -> None:
    made = player(spec)
    known = getattr(made, "games", ())
    for place in grounds:
        if place.game.name not in known:
            raise TournamentError(f"{spec} does not play {place.game.name}, the game of {place.name}")
    if hasattr(made, "check_game"):  # report what it lacks before the first game, not in every game
        for game in {place.game.name: place.game for place in grounds}.values():
            made.check_game(game)
