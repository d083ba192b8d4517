"""Stage `from_nothing`: coevolution as the only operator, beginning with an untrained network (section 6.2, future
work).

The iterations are the thesis's, with coevolution in place of both searches. In the first iteration an untrained network
gives the fitness of moves; in the others, the network trained on all games so far. The thesis expects coevolution to
struggle at first, because only the network looks beyond the current turn.
"""

from __future__ import annotations

import functools
from typing import Any

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import Data, net, settings_of
from sandtable.papers.soares2025.matches import GA_POLICY, GUIDED, MCTS, Entry, Results, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, Settings
from sandtable.papers.soares2025.training import data_stage, training_stage
from sandtable.papers.stages import Stage, stage
from sandtable.papers.tables import Table

LINE = "from_nothing"
PLAYERS = (GUIDED, GA_POLICY)
TEXT = (
    "Future work of the thesis: no game of MCTS. Coevolution with an untrained network plays the games of the first "
    "iteration, and coevolution with the latest network those of the others; the policy learns the moves that were "
    "played. Each player meets the same player with the usual network of that iteration, and vanilla MCTS, on the maps "
    "of that iteration."
)

# The player of this line that plays against the thesis's players in stage `rivals`.
RIVAL = GA_POLICY._replace(name="GA + policy, from nothing", net=net(ITERATIONS, LINE))


def is_on(settings: Settings) -> bool:
    """Whether this line of iterations is played: not if it is left out, or if the run itself begins from nothing."""
    return settings.from_nothing_games > 0 and settings_of(settings, LINE) != settings


@functools.cache
def iteration_stage(iteration: int) -> Stage[Results]:
    """Players with this line's network against the same players with the thesis's, and against vanilla MCTS."""

    @stage(f"{LINE}_{iteration}", needs=(training_stage(iteration), training_stage(iteration, LINE)))
    def play_iteration(run: Run, settings: Settings, *_: Any) -> Results:
        own = [_from_nothing(one, iteration) for one in PLAYERS]
        usual = [one.with_net(net(iteration)) for one in PLAYERS]
        pairs = [*zip(own, usual, strict=True), *((one, MCTS) for one in own)]
        maps, games = settings.maps(iteration), settings.from_nothing_games
        return play_beyond(run, settings, play_iteration.name, maps, pairs, games)

    return play_iteration


@stage(LINE, needs=[iteration_stage(number) for number in range(1, ITERATIONS + 1)], when=is_on)
def play_from_nothing(_: Run, __: Settings, *made: Results) -> dict[int, Results]:
    """The results by iteration."""
    return dict(enumerate(made, start=1))


def from_nothing_data() -> list[Stage[Data]]:
    return [data_stage(number, LINE) for number in range(1, ITERATIONS + 1)]


def table(found: dict[int, Results], data: list[Data]) -> Table:
    rows = []
    for iteration, results in found.items():
        added = data[iteration - 1]
        ties = 100 * sum(added.ties.values()) / sum(added.games.values())
        for one in PLAYERS:
            own = _from_nothing(one, iteration).name
            cells = [score(pooled(results, own, other)) for other in (one.name, MCTS.name)]
            rows.append((iteration, one.name, ties, *cells))
    columns = (
        "iteration",
        "player",
        "ties in its data, %",
        "against it with the usual network",
        "against vanilla MCTS",
    )
    return Table.of(LINE, "Coevolution as the only operator, from nothing", columns, rows)


def _from_nothing(player: Entry, iteration: int) -> Entry:
    return player._replace(name=f"{player.name}, from nothing", net=net(iteration, LINE))
