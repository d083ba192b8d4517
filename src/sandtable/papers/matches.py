"""Matches of a paper's players. In a match two players play both seats of each map; the games are kept in the run's
store."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena import EarlyEnd, tournament
from sandtable.arena.grounds import Ground
from sandtable.arena.statistics import wilson
from sandtable.arena.store import Store
from sandtable.arena.tables import Cell as Counted
from sandtable.arena.tables import Results
from sandtable.nets.checkpoints import read_card, restore_onnx
from sandtable.papers.run import Progress, Run, RunError
from sandtable.papers.stages import Stage
from sandtable.papers.tables import Cell, Counts
from sandtable.papers.training import digests

_NETWORK = re.compile(r"""(['"])(?:(?!\1).)*?([^/'"]+)\.safetensors\1""")


class Contestant(NamedTuple):
    name: str
    spec: str
    weights: Path | None = None  # of the network that its spec names

    @classmethod
    def with_network(cls, name: str, weights: Path) -> Contestant:
        """A minimax of depth 2 with a network of the run."""
        return cls.playing(name, "minimax", weights, depth=2, evaluator=str(weights.resolve()))

    @classmethod
    def playing(cls, name: str, player: str, weights: Path | None = None, /, **settings: Any) -> Contestant:
        """A player with these settings. The store identifies games by the text of the spec, so defaults and the order
        of the settings are kept in it."""
        if weights is not None:
            restore_onnx(weights)
        given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        return cls(name, f"{player}({given})", weights)

    @property
    def label(self) -> str:
        """Identifies the player by its settings and its network's digest, not by the network's path: a copy of the run
        finds its games in another folder, and games of other players with the same name are not mixed in."""
        network = "" if self.weights is None else read_card(self.weights).sha256
        digest = hashlib.sha256(f"{spec_without_places(self.spec)} {network}".encode())
        return f"{self.name} {digest.hexdigest()[:8]}"


class Match(NamedTuple):
    ground: str
    first: Contestant
    second: Contestant
    maps: Sequence[Any]

    @property
    def name(self) -> str:
        return f"{self.ground} {self.first.name} {self.second.name}"


def play_all(
    run: Run, matches: Sequence[Match], seed: int, *, stage: str = "matches", early_end: EarlyEnd | None = None
) -> dict[str, Any]:
    """Play all matches. Returns by the match's name: the first player's wins, losses and ties; the starts that it won
    from both seats, lost from both, and the others; and the seconds and numbers of both players' decisions."""
    for one in (one for match in matches for one in (match.first, match.second)):
        if one.weights is not None and not one.weights.is_file():
            raise RunError(f"{stage}: {one.weights}: missing; delete the results of its training to train it again")
    total = sum(2 * len(match.maps) for match in matches)
    made = {match.name: _tournaments(match, seed, early_end) for match in matches}

    def show_progress(now: tournament.Tournament, left: int) -> None:
        run.watch(Progress(stage, total - left, total, f"{now.name}: {' - '.join(now.players)}"))

    results: dict[str, Any] = {}
    with Store(store_of(run)) as store:
        # On this machine, where the networks are stored.
        tournament.run_all(list(itertools.chain(*made.values())), store, workers=run.workers, progress=show_progress)
        for match in matches:
            rows = [row for one in made[match.name] for row in tournament.played(one, store, records=False)]
            failed = [row for row in rows if row.error is not None]
            if failed:
                raise RunError(f"{stage}: {failed[0].label}: {failed[0].error}")
            results[match.name] = {
                "counts": tournament.counts(rows),
                "starts": Results(rows).starts[match.first.label][match.second.label],
                "seconds": [sum(row.seconds[side] for row in rows) for side in range(2)],
                "decisions": [sum(row.decisions[side] for row in rows) for side in range(2)],
            }
    return results


def spec_without_places(spec: str) -> str:
    """The spec with the names of networks instead of their paths on this machine."""
    return _NETWORK.sub(r"\2", spec)


def store_of(run: Run) -> Path:
    """The store with the games of all matches."""
    return run.folder / "matches.sqlite"


def match_stage(
    name: str, networks: Callable[[Any], Iterable[str]], more: Callable[[], dict[str, Any]] = dict, **declared: Any
) -> Callable[[Callable[..., Sequence[Match]]], Stage[dict[str, Any]]]:
    """Declares a function that returns matches as the stage that plays them: see stage(). The stage's results also
    depend on the run's networks of these names, and on the result of more()."""

    def stage_of(matches: Callable[..., Sequence[Match]]) -> Stage[dict[str, Any]]:
        def play(run: Run, settings: Any, *made: Any) -> dict[str, Any]:
            def work() -> dict[str, Any]:
                return play_all(run, matches(run, settings, *made), settings.seed, stage=name)

            found = one.make(run, settings, work, **digests(run, networks(settings)), **more())
            count_thinking(run, found, name)
            return found

        one = Stage(name, play, **declared)
        return one

    return stage_of


def count_thinking(run: Run, results: dict[str, Any], stage: str) -> None:
    """Counts the seconds of all decisions as the stage's core seconds."""
    thought = sum(sum(result["seconds"]) for result in results.values())
    run.costs[stage] = run.costs[stage]._replace(core_seconds=thought)


def score(counts: Sequence[int], published: Sequence[int] | None = None) -> Cell:
    """A score in per cent, with its interval, from wins, losses and draws; a draw is half a win."""
    ours = Counted(*counts)
    low, high = ours.interval
    return Cell(
        100 * ours.share,
        100 * low,
        100 * high,
        ours.games,
        None if published is None else 100 * Counted(*published).share,
        counts=_counts(counts),
        published_counts=None if published is None else _counts(published),
        published_games=None if published is None else sum(published),
    )


def win_share(counts: Sequence[int], published: Sequence[int] | None = None) -> Cell:
    """The share of games won in per cent, with its interval, from wins, losses and draws; a draw is not a win."""
    games = sum(counts)
    low, high = wilson(counts[0], games)
    return dataclasses.replace(
        score(counts, published),
        value=100 * counts[0] / games,
        low=100 * low,
        high=100 * high,
        published=None if published is None else 100 * published[0] / sum(published),
    )


def _counts(counts: Sequence[int]) -> Counts:
    won, lost, drawn = counts
    return won, lost, drawn


def turned(counts: Sequence[int]) -> Counts:
    """The counts of the other player."""
    wins, losses, ties = counts
    return losses, wins, ties


def _tournaments(match: Match, seed: int, early_end: EarlyEnd | None) -> list[tournament.Tournament]:
    """One tournament on each distinct map, with two games for every time that the map is listed. If a match is given
    more maps, or lists a map more often, its stored games remain valid."""
    pair = (match.first, match.second)
    labels, specs = tuple(one.label for one in pair), tuple(one.spec for one in pair)
    first_places: dict[Any, int] = {}
    repeats = Counter[int]()
    for place, map in enumerate(match.maps):
        repeats[first_places.setdefault(map, place)] += 1
    return [
        tournament.Tournament(
            match.ground,
            labels,
            (Ground(f"{match.maps[place].name} {place}", match.maps[place]),),
            2 * count,
            seed,
            specs,
            early_end,
        )
        for place, count in repeats.items()
    ]
