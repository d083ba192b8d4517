"""Stages `best` and `tournament_text_order`: the best rows of the sweep and the rivals, played again with many games;
and the tournament of the last iteration's networks by the text's order of marches.

The best of many rows is partly luck, so only new games count here, not those by which the rows were chosen.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.beyond import LAST, RIVALS, SWEEP, play_rivals, sweep
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import net
from sandtable.papers.soares2025.from_nothing import RIVAL
from sandtable.papers.soares2025.matches import THESIS, Entry, Results, play_pairs, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, MAPS, Settings
from sandtable.papers.stages import stage
from sandtable.papers.tables import Table
from sandtable.rng import Rng

BEST = 5
TEXT_RULES = "soares2025-text"
TEXT_ORDER = "tournament_text_order"
TEXT = (
    "The {count} rows of the last two tables with the highest scores, played again with new games: {games} on each map "
    "against each opponent. The score by which a row was chosen is partly luck; its score in new games is not."
)
ORDER_TEXT = (
    "The thesis's players with the networks of the third iteration, {games} games of a pair on each map at {seconds:g} "
    "s a move, by the order of marches of the thesis's text: all marches of a turn in random order. The networks were "
    "trained on games by the code's order, in which the players' marches alternate."
)


class Row(NamedTuple):
    """A player of the sweep or of the rivals, and its opponents there."""

    player: Entry
    opponents: tuple[Entry, ...]

    def counts(self, found: Results) -> list[int]:
        """Wins, losses and ties against all opponents."""
        every = [pooled(found, self.player.name, one.name) for one in self.opponents]
        return [sum(column) for column in zip(*every, strict=True)]


@stage(
    "best",
    needs=(sweep, play_rivals),
    when=lambda settings: settings.best_games and settings.sweep_games and settings.rival_games,
)
def play_best(run: Run, settings: Settings, swept: Results, rivals: dict[str, Results]) -> list[dict[str, Any]]:
    """The best rows, best first: the player's name, the counts by which it was chosen, and those of new games."""
    rows = [(Row(one.changed, (one.player,)), swept) for one in SWEEP]
    rows += [(Row(one, THESIS), rivals[one.name]) for one in (*RIVALS, RIVAL) if one.name in rivals]
    by_score = sorted(rows, key=lambda row: -_score(row[0].counts(row[1])))
    return [_play_again(run, settings, *row) for row in by_score[:BEST]]


def _score(counts: Sequence[int]) -> float:
    won, _, tied = counts
    return (won + tied / 2) / max(1, sum(counts))


def _play_again(run: Run, settings: Settings, row: Row, found: Results) -> dict[str, Any]:
    fresh = dataclasses.replace(settings, seed=Rng(settings.seed, "soares2025 best").below(2**32 - 1))
    network = net(ITERATIONS)
    pairs = [(row.player.with_net(network), one.with_net(network)) for one in row.opponents]
    new = play_beyond(run, fresh, f"best_{row.player.file_name}", MAPS, pairs, settings.best_games)
    against = row.opponents[0].name if len(row.opponents) == 1 else "the thesis's four"
    return {"player": row.player.name, "against": against, "chosen": row.counts(found), "new": row.counts(new)}


def best_table(found: list[dict[str, Any]]) -> Table:
    rows = [(one["player"], one["against"], score(one["chosen"]), score(one["new"])) for one in found]
    columns = ("player", "against", "chosen by", "new games")
    return Table.of("best", f"The best {len(found)} rows, played again: scores, %", columns, rows)


@stage(TEXT_ORDER, needs=(LAST,), when=lambda settings: settings.text_order_games and settings.rules != TEXT_RULES)
def play_text_order(run: Run, settings: Settings, _: Any) -> Results:
    """The tournament of the last iteration's networks by the text's rules."""
    own = dataclasses.replace(settings, rules=TEXT_RULES)
    pairs = list(itertools.combinations([one.with_net(net(ITERATIONS)) for one in THESIS], 2))
    games, maps = settings.text_order_games, settings.maps(ITERATIONS)
    return play_pairs(run, own, TEXT_ORDER, maps, pairs, games, settings.seconds)
