"""Stage `budgets`: the number of states in games of M-UCT against itself, by its simulations and by the reading of
M-UCT.

Section 5.2 does not give M-UCT's budget; it gives the number of states and their labels. These games show which budgets
and which readings of M-UCT agree with those numbers.
"""

from __future__ import annotations

import functools
from statistics import fmean
from typing import NamedTuple

from sandtable import tubstap
from sandtable.arena import play
from sandtable.arena.statistics import Interval, clustered, mean_interval
from sandtable.learn.samples import positions
from sandtable.papers.games import LABELS
from sandtable.papers.measured import Measured
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.stages import stage
from sandtable.papers.tables import Cell, Table, TableError
from sandtable.papers.takahashi import published
from sandtable.papers.takahashi.settings import KINDS, Settings
from sandtable.players.spec import PlayerSpec
from sandtable.rng import Rng

# M-UCT has 2,000 simulations in version 1.08 of the platform; it had 5,000 until January 2016.
BUDGETS = (10, 30, 100, 300, 1000, 2000, 5000)


class Reading(NamedTuple):
    """A reading of M-UCT: the order in which it tries children, and the attacks of its playouts."""

    order: str
    policy: str

    def player(self, simulations: int) -> str:
        return str(PlayerSpec.of("muct", simulations=simulations, order=self.order, policy=self.policy))

    def __str__(self) -> str:
        order = "attacks first" if self.order == "original" else "random order"
        return f"{order}, {'harmful' if self.policy == 'attack80_harmful' else 'all'} attacks"


# The platform's own M-UCT; the same with a random order; and that without attacks that do no damage.
READINGS = (Reading("original", "attack80"), Reading("random", "attack80"), Reading("random", "attack80_harmful"))

Counts = list[dict[str, int]]  # for each game, the number of states by label
Counted = dict[str, Counts]  # by name()

_TEXT = (
    "The paper does not give the number of simulations that M-UCT makes for a decision. These are games of M-UCT "
    "against itself on {games} maps of each kind, the same maps in all rows. A state is a position in which a side "
    "moves, labelled as in section 5.2. The platform's M-UCT tries the children of a node unit by unit, attacks first; "
    "its playouts draw from all attacks, including those that do no damage."
)


def name(kind: str, reading: Reading, simulations: int) -> str:
    return f"{kind} {reading.player(simulations)}"


@stage("budgets", settings=("seed", "budget_games", "largest_budget"))
def measure_budgets(run: Run, settings: Settings) -> Counted:
    """The labels of each game's states."""
    tasks = {
        name(kind, reading, simulations): functools.partial(
            _count_states, kind, reading.player(simulations), settings.budget_games, settings.seed
        )
        for kind in KINDS
        for reading in READINGS
        for simulations in _budgets(settings)
    }
    counts: list[Counts] = run.collect("budgets", measure_budgets.depends(settings), list(tasks.values()))
    return dict(zip(tasks, counts, strict=True))


def budget_tables(counts: Counted, settings: Settings) -> list[Table]:
    """A table for each kind of maps."""
    return [_table(counts, settings, kind) for kind in KINDS]


def budget_sections(measured: Measured, settings: Settings) -> list[Section]:
    """The sections on the budgets; none if they were not measured in this run."""
    tables = [measured[f"budgets_{kind}"] for kind in KINDS if f"budgets_{kind}" in measured]
    text = _TEXT.format(games=settings.budget_games)
    return [Section(table.title, text * (place == 0), table.saying(_said(table))) for place, table in enumerate(tables)]


def _budgets(settings: Settings) -> list[int]:
    return [simulations for simulations in BUDGETS if simulations <= settings.largest_budget]


def _count_states(kind: str, player: str, games: int, seed: int) -> Counts:
    rng, found = Rng(seed, f"takahashi budgets {kind}"), []
    for number in range(games):
        scenario = tubstap.maps.GENERATORS[kind](rng.below(2**32 - 1))
        values = positions(play(scenario, player, player, seed=number))[1]
        found.append({label: values.count(value) for value, label in LABELS.items()})
    return found


def _table(counts: Counted, settings: Settings, kind: str) -> Table:
    rows = []
    for reading in READINGS:
        for simulations in _budgets(settings):
            games = counts[name(kind, reading, simulations)]
            shares = [_share(games, label, kind) for label in LABELS.values()]
            rows.append((str(reading), simulations, _length(games, kind), *shares))
    columns = (
        "M-UCT's children and playouts",
        "simulations",
        "states a game",
        *(f"{one}, %" for one in LABELS.values()),
    )
    title = f"States of a game on {kind} maps, by M-UCT's budget"
    return Table.of(f"budgets_{kind}", title, columns, rows)


def _length(games: Counts, kind: str) -> Cell:
    lengths = [sum(game.values()) for game in games]
    low, high = mean_interval(lengths)
    return Cell(fmean(lengths), low, high, len(games), published.STATES[kind]["total"] / published.GAMES)


def _share(games: Counts, label: str, kind: str) -> Cell:
    """The share of all states with a label, in per cent; the interval takes games as the sampling unit."""
    labelled, lengths = [game[label] for game in games], [sum(game.values()) for game in games]
    value, (low, high) = sum(labelled) / sum(lengths), clustered(labelled, lengths)
    printed = published.STATES[kind][label] / published.STATES[kind]["total"]
    return Cell(100 * value, 100 * low, 100 * high, sum(lengths), 100 * printed)


def _said(table: Table) -> str:
    """A sentence on which rows have as many states a game as the paper, and which is nearest."""
    if not table.rows:
        raise TableError(f"{table.name} has no rows")
    rows: dict[str, Cell] = {}
    for reading, cells in table.named_rows():
        simulations = cells[table.column("simulations")].value
        if not isinstance(simulations, int):
            raise TableError(f"{table.name}: a row has no number of simulations")
        rows[f"{reading}, {simulations:,} simulations"] = cells[table.column("states a game")]
    gaps = {name: difference_from_published(cell) for name, cell in rows.items()}
    within = [name for name, gap in gaps.items() if gap.contains_zero]
    nearest = min(gaps, key=lambda name: abs(gaps[name].value))
    agree = f"lie within the interval of {'; '.join(within)}" if within else "lie within no row's interval"
    return (
        f"The paper's {rows[nearest].published:.1f} states a game {agree}. The nearest mean is "
        f"{rows[nearest].value:.1f} ({nearest})."
    )


def difference_from_published(cell: Cell) -> Interval:
    """Ours minus the paper's mean over 5,000 games, whose own error is small beside ours."""
    ours = cell.interval
    if ours is None or cell.published is None:
        raise TableError("a row of the budgets lacks the states a game, their interval or the paper's figure")
    return Interval(*(one - cell.published for one in ours))
