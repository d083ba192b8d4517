"""Stages `habits`, `sweep`, `rivals` and `further`: what the authors' code did beside their text, other settings, other
players, and more iterations than three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sandtable.papers.run import Run
from sandtable.papers.soares2025.data import net
from sandtable.papers.soares2025.matches import (
    GA,
    GA_POLICY,
    GUIDED,
    MCTS,
    THESIS,
    Entry,
    Results,
    evaluate,
    play_pairs,
    play_tournament,
)
from sandtable.papers.soares2025.settings import ITERATIONS, MAPS, SMALL, Settings
from sandtable.papers.soares2025.training import Training, train_network, train_some

TOURNAMENTS = (2, 3)  # the iterations whose networks had one, section 5.3
HABIT_ITERATION = 2  # whose data and network habits are measured with: the first with games of guided MCTS


class Change(NamedTuple):
    """A player with one setting changed, and what that means."""

    what: str
    player: Entry
    change: str


# Starred habits of the authors' code that are in the search.
SEARCH_HABITS = (
    Change("a search that meets the end of the game stays there", GUIDED, "stall=true"),
    Change("a search that meets the end of the game stays there", MCTS, "stall=true"),
    Change("the root's own moves have no priors", GUIDED, "root_prior=false"),
    Change("mutation has no effect", GA, "mutation=0.0"),
    Change("mutation has no effect", GA_POLICY, "mutation=0.0"),
)
# And those that are in the learning: the setting of the run that is turned to its other word.
LEARNING_HABITS = {
    "value_target": "the value learns the search's value, not the result",
    "policy_target": "the policy learns the move played, not the visits",
    "data_dropout": "dropout stays on while data are collected",
}

SWEEP = (
    *(Change("population", GA_POLICY, f"population={size}") for size in (10, 60)),
    *(Change("individuals that mutate", GA_POLICY, f"mutation={share}") for share in (0.05, 0.5)),
    *(Change("genes that mutate", GA_POLICY, f"gene_mutation={share}") for share in (0.01, 0.2)),
    *(Change("trust in the priors", GUIDED, f"trust={trust}") for trust in (0.0, 0.5, 1.0)),
)

# Players beyond the thesis's four, each against all of these: a line each.
RIVALS = (
    Entry("duct", "duct(evaluator={net}, sampled=90, seconds={seconds})"),
    Entry("regret", "regret(evaluator={net}, sampled=90, seconds={seconds})"),
    Entry("flow", "flow"),
)


class Matches(NamedTuple):
    """The results of all stages that play; those that are left out are empty."""

    evaluations: dict[int, Results]  # by iteration, those beyond the thesis's too
    tournaments: dict[int, Results]
    longer: Results
    habits: Results
    sweep: Results
    rivals: dict[str, Results]


def play_everything(run: Run, settings: Settings) -> Matches:
    evaluations = {iteration: evaluate(run, settings, iteration) for iteration in range(1, ITERATIONS + 1)}
    return Matches(
        evaluations | iterate_further(run, settings),
        {iteration: play_tournament(run, settings, iteration) for iteration in TOURNAMENTS},
        play_tournament(run, settings, ITERATIONS, longer=True),
        play_habits(run, settings),
        sweep(run, settings),
        play_rivals(run, settings),
    )


def play_habits(run: Run, settings: Settings) -> Results:
    """Each player with a habit against itself without, on the small maps."""
    if not settings.habit_games:
        return {}
    train_network(run, settings, HABIT_ITERATION)
    train_habits(run, settings)
    pairs = [
        *_pairs(SEARCH_HABITS, net(HABIT_ITERATION)),
        *(
            (GUIDED._replace(name=name, net=name), GUIDED.with_net(net(HABIT_ITERATION)))
            for name in map(habit, LEARNING_HABITS)
        ),
    ]
    return play_pairs(run, settings, "habits", SMALL, pairs, settings.habit_games)


def train_habits(run: Run, settings: Settings) -> dict[str, Any]:
    """The networks that learnt as the authors' code did, one habit each."""
    policy, value, dropout = settings.policy_target, settings.value_target, settings.data_dropout == "on"
    plain = Training("", HABIT_ITERATION, policy, value, dropout)
    trainings = [
        plain._replace(name=habit("value_target"), value_target=other_word(settings, "value_target")),
        plain._replace(name=habit("policy_target"), policy_target=other_word(settings, "policy_target")),
        plain._replace(name=habit("data_dropout"), data_dropout=not dropout),
    ]
    return train_some(run, settings, "habit_training", trainings)


def habit(name: str) -> str:
    """The network that was trained with a setting turned to its other word."""
    return f"other-{name.replace('_', '-')}"


def other_word(settings: Settings, name: str) -> str:
    return next(word for word in settings.WORDS[name] if word != getattr(settings, name))


def sweep(run: Run, settings: Settings) -> Results:
    """Settings of the searches, one at a time, against the usual ones."""
    if not settings.sweep_games:
        return {}
    train_network(run, settings, ITERATIONS)
    return play_pairs(run, settings, "sweep", MAPS, _pairs(SWEEP, net(ITERATIONS)), settings.sweep_games)


def play_rivals(run: Run, settings: Settings) -> dict[str, Results]:
    """Each of RIVALS against the thesis's players, in files of their own: one that is added leaves the others be."""
    if not settings.rival_games:
        return {}
    train_network(run, settings, ITERATIONS)
    opponents = [one.with_net(net(ITERATIONS)) for one in THESIS]
    return {
        rival.name: play_pairs(
            run,
            settings,
            f"rival_{rival.name}",
            MAPS,
            [(rival.with_net(net(ITERATIONS)), one) for one in opponents],
            settings.rival_games,
        )
        for rival in RIVALS
    }


def iterate_further(run: Run, settings: Settings) -> dict[int, Results]:
    """Iterations beyond the thesis's: what they do to the map that came last."""
    return {
        iteration: evaluate(run, settings, iteration)
        for iteration in range(ITERATIONS + 1, ITERATIONS + 1 + settings.further)
    }


def _pairs(changes: Sequence[Change], network: str) -> list[tuple[Entry, Entry]]:
    return [(one.player.changed(one.change).with_net(network), one.player.with_net(network)) for one in changes]
