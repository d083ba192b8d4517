"""Stage `text_inputs`: the inputs of the thesis's text (section 4.1.1) against those of its code.

The text has the bonuses of a map among the inputs, so that a network reads one map only. Two networks learn from the
games on that map, of all iterations: one with the text's inputs, one with the code's; then they play each other there.
"""

from __future__ import annotations

from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.matches import GA_POLICY, GUIDED, Entry, Results, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, Settings
from sandtable.papers.soares2025.training import Training, train_some, usual
from sandtable.papers.tables import Cell, Table

INPUTS = ("text", "code")
TEXT = (
    "The text has neutral land and membership in each bonus among a territory's inputs, which ties a network to one "
    "map. Two networks learnt from the games on that map alone, with these inputs and with the code's, in the same way."
)
PLAYERS = (GUIDED, GA_POLICY)


def play_text_inputs(run: Run, settings: Settings) -> Results:
    """Players with the network of the text's inputs against the same with that of the code's."""
    if not settings.text_games:
        return {}
    train_inputs(run, settings)
    pairs = [(_with_inputs(one, "text", settings), _with_inputs(one, "code", settings)) for one in PLAYERS]
    return play_beyond(
        run, settings, f"text_inputs_{settings.text_map}", (settings.text_map,), pairs, settings.text_games
    )


def train_inputs(run: Run, settings: Settings) -> dict[str, Any]:
    """The curves of both networks, by their names."""
    trainings = [
        Training(
            **usual(settings, _net(inputs, settings), ITERATIONS)._asdict()
            | {"map": settings.text_map, "inputs": inputs}
        )
        for inputs in INPUTS
    ]
    return train_some(run, settings, f"text_training_{settings.text_map}", trainings)


def table(found: Results, trained: dict[str, Any], settings: Settings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in PLAYERS:
        first, second = (_with_inputs(one, inputs, settings).name for inputs in INPUTS)
        rows.append((Cell(f"{one.name}: the text's inputs against the code's"), score(pooled(found, first, second))))
    for inputs in INPUTS:
        curve = trained[_net(inputs, settings)]
        best = curve["curve"][curve["best_epoch"] - 1]["held_out_loss"]
        rows.append((Cell(f"loss on games held out, the {inputs}'s inputs"), Cell(float(best))))
    columns = ("what", settings.text_map)
    return Table("text_inputs", "The text's inputs against the code's", columns, tuple(rows), digits=2)


def _net(inputs: str, settings: Settings) -> str:
    return f"{inputs}-inputs-{settings.text_map}"


def _with_inputs(player: Entry, inputs: str, settings: Settings) -> Entry:
    return player._replace(name=f"{player.name}, the {inputs}'s inputs", net=_net(inputs, settings))
