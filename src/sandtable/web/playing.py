"""The games that are being played on the page: their rules and storage, without network or threads."""

from __future__ import annotations

import contextlib
import functools
import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandtable import json_fields
from sandtable.arena.early_end import SURRENDER
from sandtable.arena.record import Record
from sandtable.errors import SandtableError
from sandtable.games import Game
from sandtable.players.trust import check_code, nothing
from sandtable.rng import Rng
from sandtable.web.catalogue import ListedMap, Seat
from sandtable.web.keeping import GameStore, KeptGame
from sandtable.web.pages import page_of
from sandtable.web.views import last_moves, outcome, sentences, view

MAX_PLIES = 20_000


class Ply(NamedTuple):
    """One ply: the position before it, its moves in the form that records keep, and the value for side 0 if a player
    gave one."""

    before: Any
    kept: Any
    value: float | None
    said: list[dict[str, Any]]  # in words: see sentences()


class GameInPlay:
    """One game. Every change is stored before the method that makes it returns."""

    def __init__(self, store: GameStore, game: Game, id: str, map_id: str | None, seed: int, seats: Sequence[Seat]):
        self._store = store
        self.game, self.id, self.map_id, self.seed, self.seats = game, id, map_id, seed, tuple(seats)
        self.page = page_of(game)
        self.state: Any = None
        self.plies: list[Ply] = []
        self.pending: dict[int, Any] = {}  # moves of a simultaneous turn that wait for the other side's
        self.end: tuple[int | None, str | None] | None = None

    @classmethod
    def begin(cls, store: GameStore, listed: ListedMap, seed: int, seats: Sequence[Seat]) -> GameInPlay:
        """A new game."""
        made = cls(store, listed.game, secrets.token_hex(8), listed.id, seed, seats)
        made.state = listed.game.start(listed.map, seed)
        store.begin(
            KeptGame(
                made.id,
                made.game.name,
                made.game.version,
                listed.id,
                listed.map.name,
                seed,
                [seat._asdict() for seat in seats],
                made.game.start_fields(made.state),
                time.time(),
                over=False,
                winner=None,
                reason=None,
            )
        )
        made._check_end()
        return made

    @classmethod
    def again(cls, store: GameStore, game: Game, kept: KeptGame) -> GameInPlay:
        """A game from the store."""
        if kept.version != game.version:
            raise SandtableError(
                f"the game {kept.id} belongs to version {kept.version} of {game.name}; this is version {game.version}"
            )
        seats = [Seat(**seat) for seat in kept.sides]
        for seat in seats:
            if seat.spec is not None:
                check_code(seat.spec, nothing)  # the store may come from somebody else
        made = cls(store, game, kept.id, kept.map_id, kept.seed, seats)
        fields = kept.start
        made.state = game.read_start(fields["map"], fields["start"], fields["rules"])
        for number, (move, value) in enumerate(kept.moves):
            game.check_kept(f"move {number}", move)
            said = sentences(game, made.state, number, move)
            made.plies.append(Ply(made.state.copy(), move, value, said))
            game.replay(made.state, move)
        for side, move in kept.pending:
            with contextlib.suppress(SandtableError):  # a side whose move cannot be read must decide again
                made.pending[side] = game.read_move(made.state, side, move)
        if kept.over:
            made.end = (kept.winner, kept.reason)
        return made

    @functools.cached_property
    def _ground(self) -> dict[str, Any] | None:
        return self.page.ground(self.game.map_of(self.state))

    @property
    def ply(self) -> int:
        return len(self.plies)

    @property
    def movers(self) -> tuple[int, ...]:
        return () if self.end else self.game.movers(self.state)

    @property
    def deciding(self) -> list[int]:
        """The sides whose move is missing."""
        return [side for side in self.movers if side not in self.pending]

    def decision_seed(self, side: int) -> int:
        """The seed of a player's decision. It depends only on the game's seed, the ply and the side."""
        return Rng(self.seed, f"page decision {self.ply} {side}").below(2**32 - 1)

    def give(self, side: int, move: Any, value: float | None = None) -> bool:
        """Give a side's move. Returns True if the ply is played with it, False if it waits for the other side's move.
        An IllegalMoveError leaves the game as it was."""
        if self.end or side not in self.movers:
            raise SandtableError("the game is over" if self.end else f"it is not {self.page.sides[side]}'s move")
        moves = self.pending | {side: move}
        if any(one not in moves for one in self.movers):
            self._try(side, move)
            self._store.set_pending(self.id, side, self.game.write_move(self.state, side, move))
            self.pending = moves
            return False
        if self.ply >= MAX_PLIES:
            raise SandtableError(f"a game on the page has at most {MAX_PLIES:,} moves; resign to end it")
        after = self.state.copy()
        kept = self.game.advance(after, [moves[one] for one in self.movers], Rng(self.seed, f"page ply {self.ply}"))
        over = not self.game.movers(after)
        end = (self.game.winner(after), self.game.reason(after)) if over else None
        self._store.add_move(self.id, self.ply, kept, value, end)
        self.plies.append(Ply(self.state, kept, value, sentences(self.game, self.state, self.ply, kept)))
        self.state, self.pending, self.end = after, {}, end
        return True

    def _try(self, side: int, move: Any) -> None:
        """Raise IllegalMoveError if the move cannot be played: try it on a copy, with random moves for the others."""
        others = {one: self.game.random_move(self.state, one, 0) for one in self.movers if one != side}
        moves = others | {side: move}
        self.game.advance(self.state.copy(), [moves[one] for one in self.movers], Rng(0, "page trial"))

    @property
    def can_undo(self) -> bool:
        """Whether the last move can be taken back: it must be a person's, and no player may have answered it."""
        if self.end:
            return False
        if self.pending:
            return any(self.seats[side].kind == "human" for side in self.pending)
        if not self.plies or self.game.simultaneous:
            return False
        (side,) = self.game.movers(self.plies[-1].before)
        return self.seats[side].kind == "human"

    def undo(self) -> None:
        if not self.can_undo:
            raise SandtableError("there is nothing to undo in this turn")
        if self.pending:
            for side in [one for one in self.pending if self.seats[one].kind == "human"]:
                self._store.set_pending(self.id, side, ...)
                del self.pending[side]
        else:
            self._store.take_back(self.id, self.ply - 1)
            self.state = self.plies.pop().before

    def resign(self, side: int) -> None:
        if self.end:
            raise SandtableError("the game is over")
        if self.seats[side].kind != "human":
            raise SandtableError(f"{self.page.sides[side]} is not played by a person")
        self._store.end(self.id, 1 - side, SURRENDER)
        self.end, self.pending = (1 - side, SURRENDER), {}

    def _check_end(self) -> None:
        """End the game if its start is already decided."""
        if not self.game.movers(self.state):
            self.end = (self.game.winner(self.state), self.game.reason(self.state))
            self._store.end(self.id, *self.end)

    def position(self, ply: Any) -> Any:
        """The state after `ply` plies."""
        number = json_fields.whole("ply", ply, 0, self.ply)
        return self.state if number == self.ply else self.plies[number].before

    def record(self) -> Record:
        """The game as a record; a game that is not over has no winner yet."""
        winner, reason = self.end or (None, None)
        return Record(
            start=self.position(0).copy(),
            players=tuple(seat.spec or "human" for seat in self.seats),  # type: ignore[arg-type]
            seed=self.seed,
            moves=tuple(self.game.as_moves(ply.kept) for ply in self.plies),
            winner=winner,
            reason=reason,
            turns=self.game.turn(self.state),
        )

    def to_json(self, thinking: dict[str, Any] | None, since: int | None = None) -> dict[str, Any]:
        """The game as JSON for the page. A page that already knows the game up to the ply `since` gets neither the
        ground nor the board at the start nor the earlier moves."""
        map = self.game.map_of(self.state)
        last = self.plies[-1] if self.plies else None
        shown = view(self.game, self.state, self.ply, last_moves(self.game, last.before, last.kept) if last else ())
        if self.end:
            shown |= {"over": True, "movers": [], "winner": self.end[0], "reason": self.end[1]}
        people = [side for side in self.deciding if self.seats[side].kind == "human"]
        return {
            "id": self.id,
            "game": self.game.name,
            "map": {"id": self.map_id, "name": map.name},
            "seed": self.seed,
            "sides": [seat.to_json() for seat in self.seats],
            **({"ground": self._ground, "begin": self.page.board(self.position(0))} if since is None else {}),
            "view": shown,
            "choices": self.page.choices(self.state, people[0]) | {"side": people[0]} if people else None,
            "pending": sorted(self.pending),
            "since": since or 0,
            "moves": [entry for ply in self.plies[since or 0 :] for entry in ply.said],
            "values": [*(ply.value for ply in self.plies[since or 0 :]), outcome(self.game, self.state)],
            "can_undo": self.can_undo,
            "thinking": thinking,
        }

    def played(self, number: int) -> list[dict[str, Any]]:
        """What was played at a ply, with the steps that the board animates."""
        before, kept, _, said = self.plies[number]
        moves = last_moves(self.game, before, kept)
        entries = [
            {"side": one["side"], "move": move, "sentence": one["sentence"], "steps": []}
            for one, move in zip(said, moves, strict=True)
        ]
        entries[0]["steps"] = self.page.steps(before, kept)
        return entries
