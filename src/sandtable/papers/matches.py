"""Matches of a paper's players: one pair on some maps, both seats on each, into the run's store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable import tubstap
from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.arena.tables import Cell as Results
from sandtable.arena.tasks import Ground, Row
from sandtable.nets.checkpoints import read_card
from sandtable.papers.run import Progress, Run, RunError
from sandtable.papers.tables import Cell


class Contestant(NamedTuple):
    name: str
    spec: str
    weights: Path | None = None  # of the network that its spec names

    @classmethod
    def with_network(cls, name: str, weights: Path) -> Contestant:
        """A minimax of depth 2 with a network of the run."""
        return cls(name, f"minimax(depth=2, evaluator={str(weights.resolve())!r})", weights)

    @property
    def label(self) -> str:
        """It is known by its network's digest, not by where that lies: its games are the same in another folder, and
        those of other networks are not mixed in."""
        return self.name if self.weights is None else f"{self.name} {read_card(self.weights).sha256[:8]}"


class Match(NamedTuple):
    ground: str
    first: Contestant
    second: Contestant
    maps: Sequence[tubstap.Scenario]

    @property
    def name(self) -> str:
        return f"{self.ground} {self.first.name} {self.second.name}"


def play_all(run: Run, matches: Sequence[Match], seed: int) -> dict[str, Any]:
    """Wins, losses and ties of the first player of each match, by its name, and what the decisions of both took."""
    total = sum(2 * len(match.maps) for match in matches)
    results: dict[str, Any] = {}
    before = 0
    with Store(run.folder / "matches.sqlite") as store:
        for match in matches:
            made = _tournament(match, seed)
            before += 2 * len(match.maps)

            def shown(rows: Sequence[Row], left: int, name: str = match.name, before: int = before) -> None:
                run.watch(Progress("matches", before - left, total, name))

            tournament.run(made, store, workers=run.workers, progress=shown)  # here, where the networks lie
            rows = list(store.rows(made.key))
            failed = [row for row in rows if row.error is not None]
            if failed:
                raise RunError(f"matches: {failed[0].task}: {failed[0].error}")
            results[match.name] = {
                "counts": tournament.counts(rows),
                "seconds": [sum(row.seconds[side] for row in rows) for side in range(2)],
                "decisions": [sum(row.decisions[side] for row in rows) for side in range(2)],
            }
    return results


def count_thinking(run: Run, results: dict[str, Any]) -> None:
    """The work of the matches is their decisions."""
    thought = sum(sum(result["seconds"]) for result in results.values())
    run.costs["matches"] = run.costs["matches"]._replace(core_seconds=thought)


def score(counts: Sequence[int], published: Sequence[int] | None = None) -> Cell:
    """A score in per cent, with its interval, from wins, losses and ties."""
    ours = Results(*counts)
    low, high = ours.interval
    return Cell(
        100 * ours.share,
        100 * low,
        100 * high,
        ours.games,
        None if published is None else 100 * Results(*published).share,
        "-".join(map(str, counts)),
        "" if published is None else "-".join(map(str, published)),
    )


def turned(counts: Sequence[int]) -> tuple[int, int, int]:
    """The other player's."""
    wins, losses, ties = counts
    return losses, wins, ties


def _tournament(match: Match, seed: int) -> tournament.Tournament:
    pair = (match.first, match.second)
    grounds = tuple(Ground(f"{map.name} {i}", map) for i, map in enumerate(match.maps))
    labels, specs = tuple(one.label for one in pair), tuple(one.spec for one in pair)
    return tournament.Tournament(match.ground, labels, grounds, 2, seed, specs)
