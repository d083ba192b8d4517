"""Stages `habits`, `sweep`, `rivals` and `further`: what the authors' code did beside their text, other settings, other
players, and more than three iterations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.from_nothing import LINE, RIVAL, is_on
from sandtable.papers.soares2025.matches import (
    FLOW,
    GA,
    GA_POLICY,
    GUIDED,
    MCTS,
    SANDTABLE,
    THESIS,
    Entry,
    Results,
    evaluation_stage,
)
from sandtable.papers.soares2025.searches import NET, SECONDS, said, search
from sandtable.papers.soares2025.settings import GENERATED, ITERATIONS, MAPS, SMALL, Settings
from sandtable.papers.soares2025.training import Training, data_stage, data_until, train_some, training_stage, usual
from sandtable.papers.stages import Stage, stage

TOURNAMENTS = (2, 3)  # the iterations whose networks played a tournament, section 5.3
HABIT_ITERATION = 2  # habits are measured with its data and network: the first with games of guided MCTS


class Change(NamedTuple):
    """Changed settings of a player, and what they mean."""

    what: str
    player: Entry
    settings: dict[str, Any]

    @property
    def change(self) -> str:
        return said(self.settings)

    @property
    def changed(self) -> Entry:
        return self.player.changed(**self.settings)


# Habits: what the authors' code did and their text does not describe. These are in the search.
SEARCH_HABITS = (
    Change("a search that meets the end of the game stays there", GUIDED, {"stall": True}),
    Change("a search that meets the end of the game stays there", MCTS, {"stall": True}),
    Change("the root's own moves have no priors", GUIDED, {"root_prior": False}),
    Change("mutation has no effect", GA, {"mutation": 0.0}),
    Change("mutation has no effect", GA_POLICY, {"mutation": 0.0}),
)


class Variant(NamedTuple):
    """A network that was trained with one setting of the run changed."""

    what: str
    setting: str
    word: str

    @property
    def name(self) -> str:
        return f"{self.setting}-{self.word}".replace("_", "-")


# Habits in training, and future work of the thesis: coevolution as the operator that makes the data.
LEARNING_HABITS = (
    Variant("the value learns the search's value, not the result", "value_target", "search"),
    Variant("the policy learns the move played, not the visits", "policy_target", "played"),
    Variant("dropout stays on while data are collected", "data_search", "dropout"),
)
OPERATOR = Variant("coevolution makes the data instead of guided MCTS", "data_search", "coevolution")

AS_THE_CODE = "as-the-code"  # the network trained with all habits at once

PARAMETERS = (
    *(Change("population", GA_POLICY, {"population": size}) for size in (10, 60)),
    *(Change("individuals that mutate", GA_POLICY, {"mutation": share}) for share in (0.05, 0.5)),
    *(Change("genes that mutate", GA_POLICY, {"gene_mutation": share}) for share in (0.01, 0.2)),
    *(Change("genes that cross over", GA_POLICY, {"crossover": share}) for share in (0.25, 0.5)),
    *(Change("trust in the priors", GUIDED, {"trust": trust}) for trust in (0.0, 0.5, 1.0)),
)
OPERATORS = (
    Change("selection of parents", GA_POLICY, {"selection": "tournament"}),
    Change("selection of parents", GA_POLICY, {"selection": "tournament", "tournament_size": 4}),
    Change("kind of crossover", GA_POLICY, {"crossover_kind": "two_point"}),
    Change("kind of crossover", GA_POLICY, {"crossover_kind": "uniform"}),
)
SWEEP = (*PARAMETERS, *OPERATORS)

BY_POLICY: dict[str, Any] = {"evaluator": NET, "initialise": "policy", "sampled": 90}

# Players beyond the thesis's four; each of them plays against all four.
RIVALS = (
    Entry("duct", search("duct", evaluator=NET, sampled=90, seconds=SECONDS)),
    Entry("regret", search("regret", evaluator=NET, sampled=90, seconds=SECONDS)),
    Entry(
        "GA over two turns",  # a rolling horizon
        search("coevolution", **BY_POLICY, horizon=2, seconds=SECONDS),
    ),
    Entry(
        "guided from GA",  # a tree search whose root moves come from coevolution
        search("guided", net=NET, root=search("coevolution", **BY_POLICY), seconds=SECONDS),
    ),
    Entry(
        "GA from guided", search("coevolution", evaluator=NET, initialise=search("guided", net=NET), seconds=SECONDS)
    ),
    Entry("CMA-ES + policy", search("cmaes", **BY_POLICY, seconds=SECONDS)),
    FLOW,
)


def variants(settings: Settings) -> list[Variant]:
    """The variants that differ from the run's own settings."""
    return [one for one in (*LEARNING_HABITS, OPERATOR) if getattr(settings, one.setting) != one.word]


def other_searches(settings: Settings) -> list[str]:
    """The searches that make data for a variant."""
    return [one.word for one in variants(settings) if one.setting == "data_search"]


def other_data(settings: Settings) -> list[Stage[Data]]:
    return [data_stage(HABIT_ITERATION, other_search=word) for word in other_searches(settings)]


@stage(
    "habit_training",
    needs=lambda settings: [*data_until(HABIT_ITERATION), *other_data(settings)],
    when=lambda settings: settings.habit_games,
)
def train_variants(run: Run, settings: Settings, _: Any, *data: Data) -> dict[str, Any]:
    """The learning curves of the variants' networks and of the network with all habits, by name."""
    changes = {one.name: {one.setting: one.word} for one in variants(settings)}
    changes[AS_THE_CODE] = {one.setting: one.word for one in LEARNING_HABITS}
    earlier, by_search = data[: HABIT_ITERATION - 1], data[HABIT_ITERATION - 1 :]
    own = dict(zip((settings.data_search, *other_searches(settings)), by_search, strict=True))
    trainings: dict[Training, list[Data]] = {}
    for name, change in changes.items():
        one = Training(**usual(settings, name, HABIT_ITERATION)._asdict() | change)
        trainings[one] = [*earlier, own[one.data_search]]
    return train_some(run, settings, train_variants.name, trainings)


@stage("habits", needs=(training_stage(HABIT_ITERATION), train_variants), when=lambda settings: settings.habit_games)
def play_habits(run: Run, settings: Settings, *_: Any) -> Results:
    """Players with a habit, or with the network of a variant, against themselves without it, on the small maps."""
    usual_net = net(HABIT_ITERATION)
    pairs = _pairs(SEARCH_HABITS, usual_net)
    for one in variants(settings):
        for player in (GUIDED, GA_POLICY) if one is OPERATOR else (GUIDED,):
            changed = player._replace(name=variant_name(player, one), net=one.name)
            pairs.append((changed, player.with_net(usual_net)))
    return play_beyond(run, settings, "habits", SMALL, pairs, settings.habit_games)


def variant_name(player: Entry, one: Variant) -> str:
    return f"{player.name} by {one.name}"


@stage("tournament_code", needs=(train_variants,), when=lambda settings: settings.habit_games)
def play_code(run: Run, settings: Settings, _: Any) -> Results:
    """The tournament with all habits at once, on the small maps; the players have their usual names."""
    players = [as_the_code(one).with_net(AS_THE_CODE) for one in THESIS]
    pairs = list(itertools.combinations(players, 2))
    return play_beyond(run, settings, "tournament_code", SMALL, pairs, settings.habit_games)


def as_the_code(player: Entry) -> Entry:
    """A player with all of its habits, and its usual name."""
    made = player
    for habit in SEARCH_HABITS:
        if habit.player == player:
            made = made.changed(**habit.settings)
    return made._replace(name=player.name)


LAST = training_stage(ITERATIONS)


@stage("sweep", needs=(LAST,), when=lambda settings: settings.sweep_games)
def sweep(run: Run, settings: Settings, _: Any) -> Results:
    """Players with one changed setting against themselves with the usual settings. PARAMETERS and OPERATORS have a file
    each, so that a change of one keeps the games of the other."""
    found: Results = {name: {} for name in MAPS}
    for file, changes in (("sweep", PARAMETERS), ("sweep_operators", OPERATORS)):
        pairs = _pairs(changes, net(ITERATIONS))
        for name, results in play_beyond(run, settings, file, MAPS, pairs, settings.sweep_games).items():
            found[name] |= results
    return found


@stage(
    "rivals",
    needs=lambda settings: [LAST, *([training_stage(ITERATIONS, LINE)] if is_on(settings) else [])],
    when=lambda settings: settings.rival_games,
)
def play_rivals(run: Run, settings: Settings, *_: Any) -> dict[str, Results]:
    """Each of RIVALS against the thesis's players. Each has its own file: adding one keeps the others' games."""
    found = {}
    for rival in (*RIVALS, *([RIVAL] if is_on(settings) else [])):
        pairs = [(rival.with_net(net(ITERATIONS)), one.with_net(net(ITERATIONS))) for one in THESIS]
        file, games = f"rival_{rival.file_name}", settings.rival_games
        found[rival.name] = play_beyond(run, settings, file, MAPS, pairs, games)
    return found


@stage("ours", needs=(LAST,), when=lambda settings: settings.own_games)
def play_ours(run: Run, settings: Settings, _: Any) -> Results:
    """The player `sandtable` against the thesis's players and `flow`: as many games over the thesis's maps as over
    generated ones, as nearly as whole pairs of games on each map allow."""
    pairs = [(SANDTABLE, one.with_net(net(ITERATIONS))) for one in (*THESIS, FLOW)]
    generated = GENERATED[: max(1, settings.own_games // 10)]  # ten games of each pair of players on each map
    found: Results = {}
    for file, maps in (("ours", MAPS), ("ours_generated", generated)):
        games = max(2, settings.own_games // len(maps) // 2 * 2)
        found |= play_beyond(run, settings, file, maps, pairs, games)
    return found


def iterations(settings: Settings) -> range:
    """The numbers of the thesis's iterations and of further ones."""
    return range(1, ITERATIONS + settings.further + 1)


@stage("further", needs=lambda settings: map(evaluation_stage, iterations(settings)[ITERATIONS:]))
def iterate_further(_: Run, __: Settings, *made: Results) -> list[Results]:
    """The evaluations of iterations beyond the thesis's, which show their effect on the map that was added last."""
    return list(made)


def _pairs(changes: Sequence[Change], network: str) -> list[tuple[Entry, Entry]]:
    return [(one.changed.with_net(network), one.player.with_net(network)) for one in changes]
