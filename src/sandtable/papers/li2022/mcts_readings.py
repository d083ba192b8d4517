"""Stage `mcts_readings`: other readings of MCTS-n (section 4.3), and more rollouts, against the networks on symmetric
maps. They are not in the paper. They look for the reason why its MCTS-200 is stronger than ours.
"""

from __future__ import annotations

from typing import Any

from sandtable import tubstap
from sandtable.arena.statistics import Z95, Interval, root_mean_square
from sandtable.papers.li2022 import published
from sandtable.papers.li2022.data import rules
from sandtable.papers.li2022.matches import PLAYING, network_player
from sandtable.papers.li2022.settings import Settings
from sandtable.papers.li2022.training import train_networks
from sandtable.papers.matches import Contestant, Match, match_stage, score, turned
from sandtable.papers.measured import Measured
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, said
from sandtable.rng import Rng

GROUND, TABLE = "readings", "mcts_readings"
AS_PLAYED = "as in the matches"
# The settings of `uct` that each reading changes. The exploration constant is for rewards of 1, 0.5 and 0.
CHANGES: dict[str, dict[str, Any]] = {
    AS_PLAYED: {},
    "the move with the best mean": {"play_best_mean": True},
    "playouts draw from all operations": {"policy": "flat"},
    "playouts attack in 80%": {"policy": "attack80"},
    "children after one visit": {"expand_after": 1},
    "children after ten visits": {"expand_after": 10},
    "logarithm of all rollouts": {"log_of_total": True},
    "constant 0.7": {"c": 0.7},
    "constant 0.35": {"c": 0.35},
}
MORE_ROLLOUTS = (2, 5)  # multiples of the rollouts in the matches

_TEXT = (
    "Scores of MCTS-{rollouts} by several readings, and with more rollouts, against the players with the networks. All "
    "rows have the same {maps} new symmetric maps, with two games on each."
)


def players(settings: Settings) -> dict[str, dict[str, Any]]:
    """The settings of `uct`, by a description of what is changed in them."""
    n = settings.match_rollouts
    more = {f"{times * n:,} rollouts": {"simulations": times * n} for times in MORE_ROLLOUTS}
    return {what: {"simulations": n} | change for what, change in (CHANGES | more).items()}


@match_stage(
    "mcts_readings",
    lambda _: PLAYING.values(),
    lambda: {"changes": CHANGES, "more_rollouts": MORE_ROLLOUTS},
    needs=(train_networks,),
    settings=("match_rollouts", "mcts_readings_maps"),
    when=lambda settings: settings.mcts_readings_maps,
)
def play_mcts_readings(run: Run, settings: Settings, _: Any) -> list[Match]:
    """Each result by its name, such as `readings constant 0.7 GCN`."""
    rng = Rng(settings.seed, "li2022 mcts readings")
    seeds = [rng.below(2**32 - 1) for _ in range(settings.mcts_readings_maps)]
    maps = [tubstap.maps.symmetric(seed, rules=rules(settings)) for seed in seeds]
    return [
        Match(GROUND, Contestant.playing(what, "uct", **how), network_player(run, name), maps)
        for what, how in players(settings).items()
        for name in PLAYING
    ]


def mcts_readings_tables(matches: dict[str, Any], settings: Settings) -> list[Table]:
    """The scores of each reading; empty if the stage was left out."""
    if not matches:
        return []
    rows = [
        (
            what,
            *(
                score(matches[f"{GROUND} {what} {name}"]["counts"], turned(published.MATCHES[f"symmetric {name} MCTS"]))
                for name in PLAYING
            ),
        )
        for what in players(settings)
    ]
    title = f"Readings of MCTS-{settings.match_rollouts}: score, % (a draw is half a win), on symmetric maps"
    facts = {"maps": settings.mcts_readings_maps}
    return [Table.of(TABLE, title, ("reading", *(f"vs {name}" for name in PLAYING)), rows, facts=facts)]


def mcts_readings_sections(measured: Measured, settings: Settings) -> list[Section]:
    """The section on the readings; none if the run has no such table."""
    if TABLE not in measured:
        return []
    table = measured[TABLE]
    text = _TEXT.format(rollouts=settings.match_rollouts, maps=table.facts["maps"])
    return [Section("Readings of the tree search", text, table.saying(nearest_reading(measured)))]


def nearest_reading(measured: Measured) -> str:
    """The rows that agree with the paper's scores, the row that comes nearest, and its share of ties."""
    if TABLE not in measured:
        return "Other readings of that search were not tried, and no cause is known."
    table = measured[TABLE]
    rows = {name: [table.cell(name, f"vs {network}") for network in PLAYING] for name, _ in table.named_rows()}
    rows = {name: cells for name, cells in rows.items() if all(cell.difference for cell in cells)}
    if not rows:
        return "No score of another reading can be compared with the paper's."
    agreeing = [f"'{name}'" for name, cells in rows.items() if all(cell.agrees for cell in cells)]
    verdict = "none has three scores that agree with the paper's: no cause was found"
    if agreeing:
        verdict = f"all three scores agree with the paper's for {' and '.join(agreeing)}"
    distances = {name: root_mean_square(gap.value for gap in _gaps(cells)) for name, cells in rows.items()}
    best = min(distances, key=lambda name: distances[name])
    errors = root_mean_square((gap.high - gap.low) / (2 * Z95) for gap in _gaps(rows[best]))
    ties, printed = _ties(rows[best])
    return (
        f"{len(rows)} readings and budgets were played on symmetric maps; {verdict}. The nearest is '{best}', "
        f"{distances[best]:.1f} points from the paper's scores (root mean square; the correct reading would be about "
        f"{errors:.1f} away by chance): {_scores(rows[best])}. {ties:.0f}% of its games are tied, and {printed:.0f}% "
        "of the paper's."
    )


def _gaps(cells: list[Cell]) -> list[Interval]:
    return [cell.difference for cell in cells if cell.difference]


def _scores(cells: list[Cell]) -> str:
    return ", ".join(f"{said(cell)} against {name}" for cell, name in zip(cells, PLAYING, strict=True))


def _ties(cells: list[Cell]) -> tuple[float, float]:
    """The shares of ties in per cent, here and in the paper."""
    both = [[cell.counts for cell in cells if cell.counts], [c.published_counts for c in cells if c.published_counts]]
    ours, theirs = (100 * sum(one[2] for one in some) / max(sum(map(sum, some)), 1) for some in both)
    return ours, theirs
