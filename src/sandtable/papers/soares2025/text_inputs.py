"""Stage `text_inputs`: the inputs of the thesis's text (section 4.1.1) against those of its code.

The text has the bonuses of a map among the inputs, so that a network fits one map only. Two networks learn from the
games on that map, of all iterations: one with the text's inputs, one with the code's; then they play each other there.
"""

from __future__ import annotations

from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import Data
from sandtable.papers.soares2025.matches import GA_POLICY, GUIDED, Entry, Results, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, Settings
from sandtable.papers.soares2025.training import data_until, train_some, usual
from sandtable.papers.stages import stage
from sandtable.papers.tables import Table

INPUTS = ("text", "code")
TEXT = (
    "In the thesis's text, a territory's inputs include neutral land and membership in each bonus, which ties a "
    "network to one map. Two networks were trained in the same way on the games on that map alone, one with these "
    "inputs and one with those of the code."
)
PLAYERS = (GUIDED, GA_POLICY)


@stage("text_training", needs=data_until(ITERATIONS), when=lambda settings: settings.text_games)
def train_inputs(run: Run, settings: Settings, _: Any, *data: Data) -> dict[str, Any]:
    """The learning curves of both networks, by their names."""
    trainings = {
        usual(settings, _net(inputs, settings), ITERATIONS)._replace(map=settings.text_map, inputs=inputs): data
        for inputs in INPUTS
    }
    return train_some(run, settings, f"text_training_{settings.text_map}", trainings)


@stage("text_inputs", needs=(train_inputs,), when=lambda settings: settings.text_games)
def play_text_inputs(run: Run, settings: Settings, _: Any) -> Results:
    """Players with the network of the text's inputs against the same players with that of the code's."""
    pairs = [(_with_inputs(one, "text", settings), _with_inputs(one, "code", settings)) for one in PLAYERS]
    file, maps = f"text_inputs_{settings.text_map}", (settings.text_map,)
    return play_beyond(run, settings, file, maps, pairs, settings.text_games)


def table(found: Results, trained: dict[str, Any], settings: Settings) -> Table:
    rows: list[tuple[Any, ...]] = []
    for one in PLAYERS:
        first, second = (_with_inputs(one, inputs, settings).name for inputs in INPUTS)
        rows.append((f"{one.name}: the text's inputs against the code's", score(pooled(found, first, second))))
    for inputs in INPUTS:
        curve = trained[_net(inputs, settings)]
        best = curve["curve"][curve["best_epoch"] - 1]["held_out_loss"]
        rows.append((f"loss on games held out, the {inputs}'s inputs", float(best)))
    columns = ("what", settings.text_map)
    return Table.of("text_inputs", "The text's inputs against the code's", columns, rows, digits=2)


def _net(inputs: str, settings: Settings) -> str:
    return f"{inputs}-inputs-{settings.text_map}"


def _with_inputs(player: Entry, inputs: str, settings: Settings) -> Entry:
    return player._replace(name=f"{player.name}, the {inputs}'s inputs", net=_net(inputs, settings))
