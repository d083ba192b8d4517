"""Stages `matches` and `thinking`: the players of section 4.3 against each other (Tables 5 and 6, and 10x10 maps)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandtable import tubstap
from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.arena.tasks import Ground, Row
from sandtable.nets.checkpoints import read_card
from sandtable.papers.li2022.data import games, make_maps
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import TRAINING_SETTINGS, train_networks
from sandtable.papers.run import Progress, Run, RunError
from sandtable.papers.training import weights
from sandtable.players.registry import player
from sandtable.rng import Rng

PLAYERS = {"GCN": "gcn_4", "CNN_g": "cnn_g", "CNN_i": "cnn_i", "MCTS": None}  # the network behind each
PAIRS = tuple(itertools.combinations(PLAYERS, 2))
LARGER = 10  # section 4.3.1: cells a side
MATCH_SETTINGS = (*TRAINING_SETTINGS, "match_rollouts")


class Match(NamedTuple):
    ground: str  # symmetric, local_search or larger
    first: str
    second: str


MATCHES = (
    *(Match(ground, *pair) for ground in ("symmetric", "local_search") for pair in PAIRS),
    Match("larger", "GCN", "MCTS"),
)


def play_matches(run: Run, settings: Settings) -> dict[str, Any]:
    """Wins, losses and ties of the first player of each match, and what the decisions of both took."""
    train_networks(run, settings)

    def work() -> dict[str, Any]:
        total = len(MATCHES) * 2 * settings.match_maps
        results: dict[str, Any] = {}
        with Store(run.folder / "matches.sqlite") as store:
            for number, match in enumerate(MATCHES):
                made = _tournament(run, settings, match)
                after = (number + 1) * 2 * settings.match_maps

                def shown(rows: Sequence[Row], left: int, match: Match = match, after: int = after) -> None:
                    note = f"{match.ground}: {match.first} - {match.second}"
                    run.watch(Progress("matches", after - left, total, note))

                tournament.run(made, store, workers=run.workers, progress=shown)  # here, where the networks lie
                rows = list(store.rows(made.key))
                failed = [row for row in rows if row.error is not None]
                if failed:
                    raise RunError(f"matches: {failed[0].task}: {failed[0].error}")
                results[" ".join(match)] = _summary(rows)
        return results

    found: dict[str, Any] = run.make("matches", settings.only(*MATCH_SETTINGS, "match_maps"), work)
    thought = sum(sum(result["seconds"]) for result in found.values())
    run.costs["matches"] = run.costs["matches"]._replace(core_seconds=thought)
    return found


def measure_thinking(run: Run, settings: Settings) -> dict[str, Any]:
    """Seconds of the first decision on initial maps, by kind of map and player; nothing else runs meanwhile."""
    train_networks(run, settings)

    def work() -> dict[str, Any]:
        found: dict[str, Any] = {}
        for ground in ("symmetric", "local_search", "larger"):
            maps = _maps(run, settings, Match(ground, "GCN", "MCTS"))[: settings.thinking_maps]
            for name in PLAYERS if ground != "larger" else ("GCN", "MCTS"):
                one = player(_spec(run, settings, name))
                one.act(tubstap.maps.symmetric(0).start())  # what is loaded with the first decision is not thinking
                taken = []
                for map in maps:
                    begin = time.perf_counter()
                    one.act(map.start())
                    taken.append(round(time.perf_counter() - begin, 6))
                found[f"{ground} {name}"] = taken
        return found

    result: dict[str, Any] = run.make("thinking", settings.only(*MATCH_SETTINGS, "match_maps", "thinking_maps"), work)
    return result


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    wins, losses, ties = tournament.counts(rows)
    return {
        "counts": [wins, losses, ties],
        "seconds": [sum(row.seconds[side] for row in rows) for side in range(2)],
        "decisions": [sum(row.decisions[side] for row in rows) for side in range(2)],
    }


def _spec(run: Run, settings: Settings, name: str) -> str:
    network = PLAYERS[name]
    if network is None:
        return f"uct(simulations={settings.match_rollouts})"
    return f"minimax(depth=2, evaluator={str(weights(run, network).resolve())!r})"


def _maps(run: Run, settings: Settings, match: Match) -> list[tubstap.Scenario]:
    """Symmetric maps are made for every pair, the local-search maps are the same for all."""
    if match.ground == "local_search":
        made = zip(games(settings).places, make_maps(run, settings), strict=True)
        return [map for place, map in made if place.use == "match"]
    rng = Rng(settings.seed, f"li2022 match {' '.join(match)}")
    size = LARGER if match.ground == "larger" else 8
    return [tubstap.maps.symmetric(rng.below(2**32 - 1), size=size) for _ in range(settings.match_maps)]


def _tournament(run: Run, settings: Settings, match: Match) -> tournament.Tournament:
    """One pair on its maps, both seats on each. Players are known by their networks' digests, not by where these lie:
    the games are the same in another folder, and those of other networks are not mixed in."""
    names, specs = [], []
    for name in (match.first, match.second):
        network = PLAYERS[name]
        names.append(f"{name} {read_card(weights(run, network)).sha256[:8]}" if network else name)
        specs.append(_spec(run, settings, name))
    grounds = tuple(Ground(f"{map.name} {i}", map) for i, map in enumerate(_maps(run, settings, match)))
    return tournament.Tournament(match.ground, tuple(names), grounds, 2, settings.seed, tuple(specs))
