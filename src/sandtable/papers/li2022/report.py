"""Stage `report`: the tables and figures of li2022, ours beside the published ones. compose.py writes the text."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from sandtable.arena.statistics import mean_interval
from sandtable.errors import SandtableError
from sandtable.nets.checkpoints import read_card
from sandtable.papers.accuracy import differences_by_game, mean_error
from sandtable.papers.games import LABELS, states_table
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.accuracy import measure_accuracy, measure_ceiling, measure_growth
from sandtable.papers.li2022.compose import NAMES, compose
from sandtable.papers.li2022.data import check_records, games
from sandtable.papers.li2022.learning_curves import (
    curve_seeds,
    describe_curve_games,
    measure_curve_ceiling,
    train_curves,
)
from sandtable.papers.li2022.learning_curves_report import curve_figure, curve_tables
from sandtable.papers.li2022.matches import PLAYERS, measure_thinking, play_matches
from sandtable.papers.li2022.mcts_readings import mcts_readings_tables, play_mcts_readings
from sandtable.papers.li2022.readings import compare_readings
from sandtable.papers.li2022.readings_report import FOLDER, quoted_readings, readings_tables
from sandtable.papers.li2022.readings_training import check_readings_records, fold_seed
from sandtable.papers.li2022.settings import KINDS, NETWORKS, SCALES, Settings
from sandtable.papers.li2022.training import train_networks
from sandtable.papers.li2022.training_seeds import seed_tables, seeds, train_with_seeds
from sandtable.papers.li2022.unexplained import mix_table
from sandtable.papers.matches import score, turned
from sandtable.papers.plots import Curves
from sandtable.papers.report import report_stage
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, percent
from sandtable.papers.training import weights


def measure_readings(_: Run, __: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """The tables of a report on the readings alone."""
    if not made["readings"]:
        raise SandtableError("readings=0: there are no readings to report; leave that setting out")
    return readings_tables(made["readings_records"], made["readings"]), []


write_readings_report = report_stage(
    "li2022",
    SCALES,
    (check_readings_records, compare_readings),
    measure_readings,
    compose,
    name="readings_report",
    within=FOLDER,
    seeds=lambda settings: [fold_seed(settings, fold) for fold in range(settings.readings_folds)],
)


def measure_curves(_: Run, settings: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """The tables and the figure of a report on the learning curves alone."""
    tables = _curve_tables(settings, made)
    if not tables:
        raise SandtableError("curve_repeats=0: there are no learning curves to report; set it to 1 or more")
    return tables, curve_figure(tables)


def _curve_tables(settings: Settings, made: Mapping[str, Any]) -> list[Table]:
    return curve_tables(made["curve_training"], made["curve_ceiling"], made["curve_records"], settings)


CURVES = (describe_curve_games, train_curves, measure_curve_ceiling)
write_curves_report = report_stage(
    "li2022",
    SCALES,
    CURVES,
    measure_curves,
    compose,
    name="curves_report",
    within="curves",
    seeds=curve_seeds,
)


def measure(run: Run, settings: Settings, made: Mapping[str, Any]) -> tuple[list[Table], list[Curves]]:
    """All tables and figures of a run."""
    curves, accuracy, matches, thinking = (made[name] for name in ("training", "accuracy", "matches", "thinking"))
    tables = [
        _table_2(made["records"]),
        _table_3(run),
        _table_4(accuracy, "all"),
        _table_4(accuracy, "paper"),
        *_by_game_tables(accuracy, settings),
        *seed_tables(made["training_seeds"]),
        _ceiling_table(made["ceiling"]),
        _growth_table(made["growth"]),
        _longer_table(curves),
        _match_table("symmetric", matches, thinking, settings),
        _match_table("local_search", matches, thinking, settings),
        _larger_table(matches, thinking, settings),
        *mcts_readings_tables(made["mcts_readings"], settings),
        mix_table(_states_of_test_maps(made["records"])),
        *_curve_tables(settings, made),
        *(
            readings_tables(made["readings_records"], made["readings"])
            if made["readings"]
            else quoted_readings(run.results)
        ),
    ]
    losses = _curve(curves, "loss", 1) | _curve(curves, "held_out_loss", 1, ", held out")
    return tables, [
        Curves("figure_10", _curve(curves, "test_accuracy", 100), "training step", "accuracy on all test states, %"),
        Curves("losses", losses, "training step", "squared error"),
        *curve_figure(tables),
    ]


MEASURED = (
    check_records,
    train_networks,
    measure_accuracy,
    train_with_seeds,
    measure_ceiling,
    measure_growth,
    measure_thinking,
    play_matches,
    play_mcts_readings,
    *CURVES,
    check_readings_records,
    compare_readings,
)
write_report = report_stage("li2022", SCALES, MEASURED, measure, compose, seeds=seeds)


def _table_2(records: dict[str, Any]) -> Table:
    uses = {"training": ("train",), "test": ("test",), "test, with further maps": ("test", "match", "more")}
    groups = {name: [f"{use} {kind}" for use in some for kind in KINDS] for name, some in uses.items()}
    printed = {"training": published.STATES["train"], "test": published.STATES["test"]}
    return states_table("table_2", "Table 2: states for each label", "data", groups, records, printed, None)


def _states_of_test_maps(records: dict[str, Any]) -> dict[str, float]:
    """The mean number of states in a game on the paper's number of test maps, by kind."""
    found: dict[str, float] = {}
    for kind in KINDS:
        states = sum(records["states"].get(f"test {kind} {label}", 0) for label in LABELS.values())
        games = records["games"].get(f"test {kind}", 0)
        found |= {kind: states / games} if games else {}
    return found


def _table_3(run: Run) -> Table:
    rows = [
        (NAMES[network], Cell(read_card(weights(run, network)).weights, published=published.WEIGHTS[network]))
        for network in NETWORKS
    ]
    return Table.of("table_3", "Table 3: weights", ("network", "weights"), rows)


def _table_4(accuracy: dict[str, Any], which: str) -> Table:
    columns = ("overall", *KINDS)
    rows = [
        (
            NAMES[network],
            *(percent(accuracy[network][which][column], published.ACCURACY[network][column]) for column in columns),
        )
        for network in NETWORKS
    ]
    name, title = (
        ("table_4", "Table 4: accuracy, %")
        if which == "all"
        else ("table_4_paper", "Table 4, without the further maps: accuracy, %")
    )
    return Table.of(name, title, ("network", *columns), rows)


def _by_game_tables(accuracy: dict[str, Any], settings: Settings) -> list[Table]:
    """Squared errors, and differences between networks paired by game; no tables for an early run, which did not store
    results by game."""
    if any("by_game" not in accuracy[network] for network in NETWORKS):
        return []
    found = {network: accuracy[network]["by_game"] for network in NETWORKS}
    kinds = [games(settings).places[game].kind for game in found[NETWORKS[0]]["game"]]
    errors = [
        (
            NAMES[network],
            mean_error(found[network]),
            *(mean_error(found[network], [kind == one for one in kinds]) for kind in KINDS),
        )
        for network in NETWORKS
    ]
    pairs = []
    for first, second in itertools.combinations(NETWORKS, 2):
        printed = round(published.ACCURACY[second]["overall"] - published.ACCURACY[first]["overall"], 1)
        differences = differences_by_game(found[second], found[first], printed)
        pairs.append((f"{NAMES[second]} - {NAMES[first]}", *differences))
    columns = ("networks", "accuracy, points", "squared error")
    return [
        Table.of("squared_error", "Squared error on all test maps", ("network", "overall", *KINDS), errors, digits=3),
        Table.of("paired", "Differences of two networks, game by game", columns, pairs, digits=(1, 1, 3)),
    ]


def _ceiling_table(ceiling: dict[str, Any]) -> Table:
    rows: list[tuple[Any, ...]] = [
        (label, percent(ceiling[f"{key}, others"]), percent(ceiling[f"{key}, all"]))
        for label, key in (("most frequent", "most frequent"), ("mean, read as a network is", "mean"))
    ]
    rows += [(NAMES[network], percent(ceiling[network]), None) for network in NETWORKS]
    columns = ("predictor", "from the other games", "from all games")
    return Table.of("ceiling", "Best possible accuracy, %", columns, rows, facts={"variance": ceiling["variance"]})


def _growth_table(growth: list[dict[str, Any]]) -> Table:
    rows = [(one["games"], one["error"], percent(one["accuracy"])) for one in growth]
    title = "GCN_4 by training games: squared error and accuracy on all test maps, %"
    return Table.of("growth", title, ("training games", "error", "accuracy"), rows, digits=2)


def _longer_table(curves: dict[str, Any]) -> Table:
    rows = []
    for network, found in curves.items():
        least = min(found["curve"], key=lambda row: row["held_out_loss"])
        best = max(found["curve"], key=lambda row: row["held_out_accuracy"])
        steps = ((one["step"], one["held_out_loss"], 100 * one["test_accuracy"]) for one in (least, best))
        rows.append((NAMES[network], *itertools.chain(*steps)))
    columns = ("network", "least error: step", "error", "accuracy", "best accuracy: step", "error", "accuracy")
    return Table.of("longer", "Accuracy on all test maps, %, at two steps of training", columns, rows, digits=2)


def _match_table(ground: str, matches: dict[str, Any], thinking: dict[str, Any], settings: Settings) -> Table:
    names = {name: name if name != "MCTS" else f"MCTS-{settings.match_rollouts}" for name in PLAYERS}
    rows = []
    for own in PLAYERS:
        cells = [None if own == other else _score(matches, ground, own, other) for other in PLAYERS]
        rows.append((names[own], *cells, _seconds(thinking, ground, own)))
    number = "5" if ground == "symmetric" else "6"
    title = f"Table {number}: score, % (a draw is half a win), on {ground.replace('_', '-')} maps"
    columns = ("player", *(f"vs {name}" for name in names.values()), "thinking, ms")
    return Table.of(f"table_{number}", title, columns, rows)


def _score(matches: dict[str, Any], ground: str, own: str, other: str) -> Cell:
    key, reverse = f"{ground} {own} {other}", f"{ground} {other} {own}"
    if key in matches:
        return score(matches[key]["counts"], published.MATCHES[key])
    return score(turned(matches[reverse]["counts"]), turned(published.MATCHES[reverse]))


def _seconds(thinking: dict[str, Any], ground: str, name: str) -> Cell:
    taken = thinking[f"{ground} {name}"]
    printed = 1000 * published.THINKING[ground][name]
    if len(taken) < 2:
        return Cell(1000 * fmean(taken), n=len(taken), published=printed)
    low, high = mean_interval(taken)
    return Cell(1000 * fmean(taken), 1000 * low, 1000 * high, len(taken), printed)


def _larger_table(matches: dict[str, Any], thinking: dict[str, Any], settings: Settings) -> Table:
    mcts = f"MCTS-{settings.match_rollouts}"
    scored = _score(matches, "larger", "GCN", "MCTS")
    row = ("GCN", scored, *(_seconds(thinking, "larger", name) for name in ("GCN", "MCTS")))
    columns = ("player", f"vs {mcts}", "thinking, ms", f"{mcts} thinking, ms")
    return Table.of("larger_maps", "GCN on 10x10 symmetric maps: score, %", columns, [row])


def _curve(curves: dict[str, Any], key: str, factor: float, suffix: str = "") -> dict[str, Any]:
    return {
        NAMES[network] + suffix: (
            [row["step"] for row in found["curve"]],
            [factor * row[key] for row in found["curve"]],
        )
        for network, found in curves.items()
    }
