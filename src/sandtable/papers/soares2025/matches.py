"""Stages `evaluation_N` and `tournament_N`: every iteration's network in guided MCTS against the previous network and
against vanilla MCTS (section 5.2), and the tournaments of four players (section 5.3); by the thesis's match rules."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.arena import EarlyEnd
from sandtable.nets.evaluators import locate
from sandtable.papers.matches import Contestant, Match, count_thinking, play_all, turned
from sandtable.papers.run import Run
from sandtable.papers.soares2025.data import net
from sandtable.papers.soares2025.searches import NET, SECONDS, Search, said, search
from sandtable.papers.soares2025.settings import Settings
from sandtable.papers.soares2025.training import training_stage
from sandtable.papers.stages import Stage, stage
from sandtable.papers.training import file_digests, weights


class Entry(NamedTuple):
    """A player of a match. Its network `net` is the run's or one that ships with the package."""

    name: str
    search: Search
    net: str | None = None
    shipped: bool = False

    @property
    def spec(self) -> str:
        """The player's spec with its blanks."""
        return str(self.search)

    @property
    def file_name(self) -> str:
        """The player's name in the names of files."""
        return re.sub("[^A-Za-z0-9]+", "_", self.name)

    def with_net(self, name: str) -> Entry:
        """The player with this network of the run, if it needs a network and has none of its own."""
        return self._replace(net=name) if self.search.has_net and self.net is None else self

    def changed(self, **changes: Any) -> Entry:
        """The player with other settings, which are added to its name."""
        return self._replace(name=f"{self.name}, {said(changes)}", search=self.search.changed(**changes))

    def file(self, run: Run) -> Path | None:
        """The file of its network."""
        if self.net is None:
            return None
        return locate(self.net) if self.shipped else weights(run, self.net)

    def contestant(self, run: Run, seconds: float) -> Contestant:
        path = self.file(run)
        net = "" if path is None else repr(str(path.resolve()))
        return Contestant(self.name, self.search.filled(net=net, seconds=seconds), path)


GUIDED = Entry("guided", search("guided", net=NET, seconds=SECONDS))
GA_POLICY = Entry("GA + policy", search("coevolution", evaluator=NET, initialise="policy", sampled=90, seconds=SECONDS))
GA = Entry("GA", search("coevolution", evaluator=NET, seconds=SECONDS))
MCTS = Entry("MCTS", search("mcts", seconds=SECONDS))
THESIS = (GUIDED, GA_POLICY, GA, MCTS)  # section 5.3.1

# Our shipped player (docs/players.md), as in the stored results; its network ships with the package.
SANDTABLE = Entry(
    "sandtable", search("sandtable", net=NET, progress=0, seconds=SECONDS), "sandtable-conquest", shipped=True
)
FLOW = Entry("flow", search("flow"))

# By map, then by pair_name(): counts and starts of the first player, seconds and decisions of both.
Results = dict[str, dict[str, Any]]


def pair_name(first: str, second: str) -> str:
    return f"{first} | {second}"


def pooled(found: Results, first: str, second: str, maps: Iterable[str] | None = None) -> list[int]:
    """Wins, losses and ties of the first over some maps, or over all if `maps` is None; zeros if there are no games."""
    total = [0, 0, 0]
    for name, pairs in found.items():
        if maps is not None and name not in maps:
            continue
        for pair, sign in ((pair_name(first, second), 1), (pair_name(second, first), -1)):
            if pair in pairs:
                counts = pairs[pair]["counts"] if sign == 1 else turned(pairs[pair]["counts"])
                total = [a + b for a, b in zip(total, counts, strict=True)]
    return total


def digests_of(run: Run, players: Iterable[Entry]) -> dict[str, Any]:
    """The digests of these players' networks."""
    return file_digests({one.net: path for one in players if one.net and (path := one.file(run))})


@functools.cache
def evaluation_stage(iteration: int) -> Stage[Results]:
    """Guided MCTS with the iteration's network, with as many iterations as the searches that make the data."""

    @stage(f"evaluation_{iteration}", needs=(training_stage(iteration),))
    def evaluate(run: Run, settings: Settings, _: Any) -> Results:
        own, previous = (
            Entry(name, search("guided", net=NET, iterations=settings.guided_iterations), name)
            for name in (net(iteration), net(iteration - 1))
        )
        baseline = MCTS._replace(search=search("mcts", iterations=settings.vanilla_iterations))
        pairs = [(own, previous), (own, baseline)]
        budget = f"{settings.guided_iterations} and {settings.vanilla_iterations} iterations"
        maps, games = settings.maps(iteration), settings.evaluation_games
        return play_pairs(run, settings, evaluate.name, maps, pairs, games, settings.seconds, budget)

    return evaluate


@functools.cache
def tournament_stage(iteration: int, *, longer: bool = False) -> Stage[Results]:
    """All pairs of the thesis's players with the iteration's network; `longer`: with more time."""

    @stage(
        f"tournament_{iteration}" + "_long" * longer,
        needs=(training_stage(iteration),),
        when=lambda settings: settings.long_games or not longer,
    )
    def play_tournament(run: Run, settings: Settings, _: Any) -> Results:
        pairs = list(itertools.combinations([one.with_net(net(iteration)) for one in THESIS], 2))
        games, seconds = settings.tournament_games, settings.seconds
        if longer:
            games, seconds = settings.long_games, settings.long_seconds
        return play_pairs(run, settings, play_tournament.name, settings.maps(iteration), pairs, games, seconds)

    return play_tournament


def play_pairs(
    run: Run,
    settings: Settings,
    stage: str,
    maps: Sequence[str],
    pairs: Sequence[tuple[Entry, Entry]],
    games: int,
    seconds: float,
    budget: str = "",
) -> Results:
    """Play `games` games of every pair on every map, seats swapped, by the thesis's match rules. `budget` names the
    limit of a move if it is not a number of seconds."""
    budget = budget or f"{seconds:g} s"

    def work() -> Results:
        made = {
            (name, pair_name(one.name, other.name)): Match(
                f"{stage} {name}, {budget}",  # the store identifies games by this name
                one.contestant(run, seconds),
                other.contestant(run, seconds),
                [settings.land(name)] * max(1, games // 2),
            )
            for name in maps
            for one, other in pairs
        }
        played = play_all(run, list(made.values()), settings.seed, stage=stage, early_end=EarlyEnd())
        results: Results = {name: {} for name in maps}
        for (name, pair), match in made.items():
            results[name][pair] = played[match.name]
        return results

    players = {one.name: one.spec for pair in pairs for one in pair}
    depends = settings.only("seed", "turn_limit", "rules") | {"players": players, "games": games, "budget": budget}
    depends |= {"maps": list(maps)} | digests_of(run, [one for pair in pairs for one in pair])
    found: Results = run.make(stage, depends, work)
    count_thinking(run, {f"{name} {pair}": one for name, part in found.items() for pair, one in part.items()}, stage)
    return found
