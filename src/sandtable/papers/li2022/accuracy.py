"""Stages `accuracy`, `ceiling` and `growth`: the accuracy of the networks (Table 4), the best possible accuracy, and
accuracy by number of training games. The last two are not in the paper; they show what limits the networks."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sandtable import tubstap
from sandtable.arena import Record, play
from sandtable.learn import samples
from sandtable.nets.evaluators import network_of
from sandtable.papers.accuracy import Share, by_game, share_of_states
from sandtable.papers.dataset import folder
from sandtable.papers.li2022.data import check_records, games, play_games
from sandtable.papers.li2022.settings import KINDS, NETWORKS, Settings
from sandtable.papers.li2022.training import labels, train, train_networks
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.training import digests, weights
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng

GROWN = "gcn_4"
SHARES = (0.125, 0.25, 0.5, 1.0)  # of the training games


@stage("accuracy", needs=(train_networks,))
def measure_accuracy(run: Run, settings: Settings, _: Any) -> dict[str, Any]:
    """The accuracy of each network, overall and by kind of map, on all test maps and on as many as the paper has;
    also its correct predictions and squared error on each test game."""

    def work() -> dict[str, Any]:
        found: dict[str, Any] = {}
        uses = [place.use for place in games(settings).places]
        for network in NETWORKS:
            test = samples.load(folder(run, "test", settings.architecture(network).encoder.name))
            values = _predicted(run, network, test)
            right = labels(values) == test.values
            as_published = np.array([uses[game] == "test" for game in test.games])
            found[network] = {
                "all": _by_kind(right, test.games, settings),
                "paper": _by_kind(right[as_published], test.games[as_published], settings),
                "by_game": by_game(test.games, right, (values - test.values) ** 2),
            }
        return found

    return measure_accuracy.make(run, settings, work, **digests(run, NETWORKS))


CEILING_SETTINGS = ("ceiling_states", "ceiling_games")


@stage("ceiling", needs=(play_games, check_records, measure_accuracy), settings=CEILING_SETTINGS)
def measure_ceiling(run: Run, settings: Settings, lines: list[str], records: dict[str, Any], _: Any) -> dict[str, Any]:
    """The best possible accuracy, and the accuracy of the networks on the same states.

    The players that made the data play many games from some test states. Each game is predicted from the other games of
    its state: by their most frequent result, which no predictor can beat in the long run, and by their mean result read
    with the paper's thresholds, as a perfect value network would. There are few games, so both estimates are slightly
    too low. Predicting each game from all games, including itself, gives estimates that are slightly too high. The
    truth lies between.
    """
    test = samples.load(folder(run, "test", settings.architecture("gcn_4").encoder.name))
    rng = Rng(settings.seed, "li2022 ceiling")
    chosen = sorted(rng.sample(range(len(test)), min(settings.ceiling_states, len(test))))
    first_of_game = {int(game): int(index) for index, game in reversed(list(enumerate(test.games)))}
    asked = ((lines[int(test.games[index])], index - first_of_game[int(test.games[index])]) for index in chosen)
    depends = play_games.depends(settings) | settings.only(*CEILING_SETTINGS) | {"records": records["digest"]}
    results = play_on(run, "ceiling-games", depends, asked, settings.data_rollouts, settings, rng)

    def work() -> dict[str, Any]:
        numbers = test.games[chosen]
        found = ceiling_of(results, numbers)
        for network in NETWORKS:
            part = samples.load(folder(run, "test", settings.architecture(network).encoder.name))
            guesses = labels(_predicted(run, network, part))[chosen]
            # Scored on all games of a state, not only the one in the data: the same expected value with less noise.
            scores = [one[guess] / sum(one) for one, guess in zip(results, guesses, strict=True)]
            found[network] = share_of_states(scores, numbers)
        return found

    return measure_ceiling.make(run, settings, work, **digests(run, NETWORKS))


def play_on(
    run: Run,
    stage: str,
    depends: dict[str, Any],
    asked: Iterable[tuple[str, int]],
    rollouts: int,
    settings: Settings,
    rng: Rng,
) -> list[list[int]]:
    """Play games from states, each given as a record and a ply: [ties, wins, losses] of the side to move."""
    tasks = [
        functools.partial(_play_from_state, line, ply, rollouts, settings.ceiling_games, rng.below(2**32 - 1))
        for line, ply in asked
    ]
    results: list[list[int]] = run.collect(stage, depends, tasks)
    return results


def ceiling_of(results: Sequence[Sequence[int]], numbers: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The best possible accuracy, from the results of games played from these states. `numbers`: the game of the data
    that each state is from."""
    variance = float(np.mean([_variance(one) for one in results]))
    found: dict[str, Any] = {"states": len(results), "games": sum(results[0]), "variance": variance}
    for name, predict in (("most frequent", _most_frequent), ("mean", _mean_read)):
        for others, leave_out in (("others", True), ("all", False)):
            expected = [_expected(one, predict, leave_out=leave_out) for one in results]
            found[f"{name}, {others}"] = share_of_states(expected, numbers)
    return found


def _predicted(run: Run, network: str, part: samples.Samples) -> np.ndarray[Any, np.dtype[np.float32]]:
    evaluator = network_of(weights(run, network))
    size = 1024
    return np.concatenate([evaluator(part.inputs[i : i + size])[0] for i in range(0, len(part), size)])


def _by_kind(right: np.ndarray[Any, Any], numbers: np.ndarray[Any, Any], settings: Settings) -> dict[str, Share]:
    kinds = np.array([place.kind for place in games(settings).places])[numbers]
    found = {"overall": share_of_states(right, numbers)}
    for kind in KINDS:
        found[kind] = share_of_states(right[kinds == kind], numbers[kinds == kind])
    return found


def _play_from_state(line: str, ply: int, rollouts: int, games: int, seed: int) -> list[int]:
    """Play games from a state: [ties, wins, losses] of the side to move, indexed by the result 0, 1 or -1."""
    states = list(Record.from_line(line).states())
    state = states[ply]
    assert isinstance(state, tubstap.State)
    player = str(PlayerSpec.of("uct", simulations=rollouts))
    counts = [0, 0, 0]
    for game in range(games):
        winner = play(state, player, player, seed=Rng(seed, f"ceiling {game}").below(2**32 - 1)).winner
        counts[0 if winner is None else 1 if winner == state.side else -1] += 1
    return counts


def _variance(counts: Sequence[int]) -> float:
    """The unbiased estimate of the variance of a state's results."""
    games = sum(counts)
    mean = (counts[1] - counts[-1]) / games
    return ((counts[1] + counts[-1]) / games - mean * mean) * games / (games - 1)


def _most_frequent(counts: Sequence[int]) -> int:
    return max((1, -1, 0), key=lambda result: counts[result])


def _mean_read(counts: Sequence[int]) -> int:
    return int(labels(np.array([(counts[1] - counts[-1]) / sum(counts)]))[0])


def _expected(counts: Sequence[int], predict: Any, *, leave_out: bool) -> float:
    """The share of a state's games whose result `predict` gives from the counts of all its games, or, with `leave_out`,
    from those of its other games."""
    right = 0
    for result in (0, 1, -1):
        others = list(counts)
        others[result] -= leave_out
        if counts[result] and sum(others):
            right += counts[result] * (predict(others) == result)
    return right / sum(counts)


@stage("growth", needs=(check_records, train_networks))
def measure_growth(run: Run, settings: Settings, records: dict[str, Any], _: Any) -> list[dict[str, Any]]:
    """For each share of the training games, their number and the error and accuracy on all test states."""
    encoder = settings.architecture(GROWN).encoder.name
    tasks = [
        functools.partial(
            _train_share, share, settings, folder(run, "train", encoder), folder(run, "test", encoder), run.folder
        )
        for share in SHARES
    ]
    depends = measure_growth.depends(settings) | {"records": records["digest"]}
    return run.collect("growth", depends, tasks, here=True)


def _train_share(share: float, settings: Settings, train_folder: Path, test_folder: Path, into: Path) -> dict[str, Any]:
    from sandtable.learn import supervised

    whole, test = samples.load(train_folder), samples.load(test_folder)
    games = sorted(set(whole.games.tolist()))
    chosen = Rng(settings.seed, f"li2022 growth {share}").sample(games, max(2, round(share * len(games))))
    part = whole.where(np.isin(whole.games, chosen))
    module, _ = train(GROWN, settings, part, test, into / "growth" / f"{GROWN}-{round(1000 * share)}")
    values = supervised.predictions(module, test.inputs).numpy()
    accuracy = share_of_states(labels(values) == test.values, test.games)
    return {"games": len(chosen), "error": float(np.mean((values - test.values) ** 2)), "accuracy": accuracy}
