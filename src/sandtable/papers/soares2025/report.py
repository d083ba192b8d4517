"""Stage `report`: the tables and figures of chapter 5 of soares2025, its findings one by one, and what is beyond it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from sandtable.papers import plots
from sandtable.papers import report as writing
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.soares2025 import published, result_tables
from sandtable.papers.soares2025.beyond import (
    HABIT_ITERATION,
    OPERATOR,
    TOURNAMENTS,
    play_everything,
    train_variants,
    variants,
)
from sandtable.papers.soares2025.data import net
from sandtable.papers.soares2025.exploitability import SECONDS, measure_exploitability
from sandtable.papers.soares2025.records import FILE, write_records
from sandtable.papers.soares2025.settings import ITERATIONS, SCALES, Settings
from sandtable.papers.soares2025.training import make_data, train_network

TITLE = "soares2025: a policy/value graph network and coevolution for simultaneous turns"


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    matches = play_everything(run, settings)
    iterations = sorted(matches.evaluations)
    data = {iteration: make_data(run, settings, iteration) for iteration in iterations}
    trained = {net(iteration): train_network(run, settings, iteration) for iteration in iterations}
    others = train_variants(run, settings) if matches.habits else {}
    exploited = measure_exploitability(run, settings)
    records = write_records(run, settings)
    about = writing.provenance(run, run.scale, settings, SCALES[run.scale])
    figures = [_Figure("by iteration", part, trained) for part in ("policy", "value")]
    figures += [_Figure("of other ways to learn", part, others) for part in ("policy", "value") if others]
    sections = [
        Section("How these figures were made", f"{writing.made('soares2025', about)}\n\n{_MADE}"),
        Section("What the thesis found, one by one", _FINDINGS, result_tables.findings(matches)),
    ]
    for iteration in range(1, ITERATIONS + 1):
        number = 2 * iteration + 1
        samples = result_tables.samples(data, iteration, f"table_5_{number}")
        sections.append(Section(f"Table 5.{number}: data of iteration {iteration}", _SAMPLES, samples))
        evaluation = result_tables.evaluation(matches.evaluations, iteration, f"table_5_{number + 1}")
        title = f"Table 5.{number + 1}: evaluation of iteration {iteration}"
        sections.append(Section(title, _evaluated(settings), evaluation))
    for number, iteration in zip((11, 13), TOURNAMENTS, strict=True):
        found = matches.tournaments[iteration]
        text = _played(settings.seconds, settings.tournament_games)
        by_map = result_tables.by_map(found, f"table_5_{number}", published.TOURNAMENT[iteration])
        sections.append(Section(f"Table 5.{number}: tournament of iteration {iteration}", text, by_map))
        by_pair = result_tables.by_pair(found, f"table_5_{number + 1}", published.PAIRS[iteration])
        sections.append(Section(f"Table 5.{number + 1}: its pairs, all maps", _PAIRS, by_pair))
    if matches.longer:
        text = _played(settings.long_seconds, settings.long_games)
        by_map = result_tables.by_map(matches.longer, "longer", published.TOURNAMENT[ITERATIONS])
        by_pair = result_tables.by_pair(matches.longer, "longer_pairs", published.PAIRS[ITERATIONS])
        sections.append(Section(f"The same at {settings.long_seconds:g} s a move", text, by_map))
        sections.append(Section("Its pairs", _PAIRS, by_pair))
    if len(iterations) > ITERATIONS:
        sections.append(Section("More iterations", _FURTHER, result_tables.further(matches, data)))
    habit_games, sweep_games, rival_games = (
        _each(settings.beyond_seconds, games)
        for games in (settings.habit_games, settings.sweep_games, settings.rival_games)
    )
    if matches.habits:
        table = result_tables.habits(matches, settings)
        sections.append(Section("What the authors' code did beside their text", f"{_HABITS} {habit_games}.", table))
        if OPERATOR in variants(settings):
            title = "Coevolution as the operator that makes the data"
            sections.append(Section(title, f"{_OPERATOR} {habit_games}.", result_tables.operator(matches)))
    if matches.code:
        by_map = result_tables.by_map(matches.code, "code", published.TOURNAMENT[HABIT_ITERATION])
        sections.append(Section("The tournament as the authors' code played", f"{_CODE} {habit_games}.", by_map))
        by_pair = result_tables.by_pair(matches.code, "code_pairs", published.PAIRS[HABIT_ITERATION])
        sections.append(Section("Its pairs", _PAIRS, by_pair))
    sections.append(Section("What the published pairs can tell", _PUBLISHED, result_tables.published_pairs()))
    if matches.sweep:
        sections.append(Section("Other settings", f"{_SWEEP} {sweep_games}.", result_tables.sweep(matches)))
    if matches.rivals:
        sections.append(Section("Other players", f"{_RIVALS} {rival_games}.", result_tables.rivals(matches)))
    if matches.ours:
        sections.append(Section("The player sandtable", _ours(settings), result_tables.ours(matches)))
        sections.append(Section("Its starts", _STARTS, result_tables.our_starts(matches)))
    if exploited:
        sections.append(Section("Exploitability", _EXPLOITED, result_tables.exploitability(exploited)))
    sections.append(Section("Decisions", _DECISIONS, result_tables.decisions(matches)))
    sections.append(Section("Games", _RECORDS, result_tables.records(records)))
    sections += [Section(f"Figures 5.2 to 5.5: {one.title}", "", None, one.file, one.title) for one in figures]
    return writing.publish(run, TITLE, sections, {one.file: one.drawn() for one in figures}, about)


_MADE = (
    "Scores are in per cent, a tie counting half, with 95% intervals (Wilson). Matches are by the thesis's rules: a "
    "random start, a tie after turn 100 or when both are 49..51% sure after turn 50, surrender at 99% against 1%; each "
    "start is played from both seats, which the authors' games were not. Their script also built the second player of "
    "a pair with the first one's kind, so that it is not certain what their tournaments measured. Where tables are "
    "numbered the order is the thesis's, as we read it."
)
_FINDINGS = (
    "A finding holds if the whole interval is on its side of 50%, fails if it is on the other side, and is open if "
    "50% lies within."
)
_SAMPLES = "Turns to learn from, one player's view each, up to and with this iteration; ours are of whole games."
_PAIRS = "The row's player against the column's."
_FURTHER = "Italy came with the third iteration. What more of the same does to guided MCTS against vanilla MCTS."
_HABITS = (
    "Each player with a habit of the authors' code against itself without, on the small maps; above 50% the habit "
    "helps. Habits of learning are networks of the second iteration's data, trained anew with that one difference."
)
_CODE = (
    "All of these habits at once, in the search, in the learning and in the second iteration's data; small maps, and "
    "the second iteration's figures beside ours."
)
_PUBLISHED = (
    "The intervals that so many games allow. Where the second player of a pair was built as the first one's kind, its "
    "true score is 50%: a figure whose interval has 50% in it does not tell the two players apart."
)
_OPERATOR = (
    "Future work of the thesis: the second iteration's games from coevolution with the network instead of guided MCTS. "
    "It counts no visits, so that the policy learns what it played. Small maps, against the same player with the usual "
    "network."
)
_SWEEP = "The same player with one setting changed, against itself as it is in the tournament, on all four maps."
_RIVALS = "Players that are not the thesis's, with the same network and time, against its four on all four maps."
_STARTS = (
    "Those that it won from both seats, lost from both, and neither. A start that either player wins from the same "
    "seat is decided by what was drawn, and nobody can win more than one of its two games against a good opponent."
)
_EXPLOITED = (
    "What a player gives away to an opponent that knows how often it plays what, in per cent of the stake. Positions "
    f"are of three to five territories, their value is known exactly; {SECONDS:g} s a move. A best response to few "
    "seeds answers chance too: chosen by one half of the seeds and measured on the other it gives the second column. "
    "0 is an equilibrium."
)
_DECISIONS = "Mean milliseconds of a decision in the last tournament, and how long its games were."
_RECORDS = f"All of them replay; `{FILE}` in the run's folder has a record a line, data first and then matches."


def _evaluated(settings: Settings) -> str:
    budget = f"{settings.guided_iterations} iterations of guided MCTS, {settings.vanilla_iterations} of vanilla MCTS"
    return f"{settings.evaluation_games} games on each map; {budget}, as in the data."


def _ours(settings: Settings) -> str:
    return (
        "Our network, which learnt on generated maps only (`recipes/conquest-fast.toml`), with a search that solves "
        f"the turn among moves that it proposes; {settings.beyond_seconds:g} s a move for everybody. None of these "
        "maps are among those that it learnt on."
    )


def _played(seconds: float, games: int) -> str:
    return f"{_each(seconds, games)}, seats swapped; scores over all opponents."


def _each(seconds: float, games: int) -> str:
    return f"{games} games of each pair on each map at {seconds:g} s a move"


class _Figure(NamedTuple):
    """Losses of some networks by epoch, on what they learn from and on what is held out."""

    what: str
    part: str  # policy or value
    trained: dict[str, Any]

    @property
    def title(self) -> str:
        return f"the {self.part}'s losses {self.what}"

    @property
    def file(self) -> str:
        return f"{self.part}_losses_{self.what.replace(' ', '_')}.png"

    def drawn(self) -> bytes:
        lines = {}
        for name, found in self.trained.items():
            epochs = [float(i) for i in range(1, len(found["curve"]) + 1)]
            for column, label in ((f"{self.part}_loss", name), (f"held_out_{self.part}_loss", f"{name}, held out")):
                lines[label] = (epochs, [row[column] for row in found["curve"]])
        return plots.curves(lines, "epoch", "loss")
