"""Stage `from_nothing`: coevolution as the only operator, from an untrained network on (section 6.2, future work).

The same iterations as the thesis's, with coevolution in the place of both searches. In the first, an untrained network
gives the fitness of moves; in the others, the network that learnt from all games so far. The thesis expects it to
struggle at first, since nothing but the network looks beyond the turn.
"""

from __future__ import annotations

import dataclasses

from sandtable.papers.matches import score
from sandtable.papers.run import Run
from sandtable.papers.soares2025.budgets import play_beyond
from sandtable.papers.soares2025.data import Data, net
from sandtable.papers.soares2025.matches import GA_POLICY, GUIDED, MCTS, Entry, Results, pooled
from sandtable.papers.soares2025.settings import ITERATIONS, Settings
from sandtable.papers.soares2025.training import make_data, train_network
from sandtable.papers.tables import Cell, Table

LINE = "from_nothing"
PLAYERS = (GUIDED, GA_POLICY)
TEXT = (
    "Future work of the thesis: no game of MCTS. Coevolution by an untrained network makes the games of the first "
    "iteration, and by the latest network those of the others; the policy learns what it played. Against the same "
    "player with the usual network of that iteration, and against vanilla MCTS, on the maps of that iteration."
)
SEARCHES = {"first_search": "coevolution", "data_search": "coevolution"}

# Against the thesis's players, in stage `rivals`.
RIVAL = GA_POLICY._replace(name="GA + policy, from nothing", net=net(ITERATIONS, LINE))


def is_on(settings: Settings) -> bool:
    """Not where it is left out, or where the run itself begins with nothing."""
    return settings.from_nothing_games > 0 and any(getattr(settings, name) != word for name, word in SEARCHES.items())


def play_from_nothing(run: Run, settings: Settings) -> dict[int, Results]:
    """By iteration: players with its network against the same with the thesis's, and against vanilla MCTS."""
    if not is_on(settings):
        return {}
    found = {}
    for iteration in range(1, ITERATIONS + 1):
        train_network(run, settings, iteration)
        train_network(run, _settings(settings), iteration, LINE)
        own = [_ours(one, iteration) for one in PLAYERS]
        usual = [one.with_net(net(iteration)) for one in PLAYERS]
        pairs = [*zip(own, usual, strict=True), *((one, MCTS) for one in own)]
        stage, maps = f"{LINE}_{iteration}", settings.maps(iteration)
        found[iteration] = play_beyond(run, settings, stage, maps, pairs, settings.from_nothing_games)
    return found


def train_last(run: Run, settings: Settings) -> None:
    """The network of RIVAL."""
    train_network(run, _settings(settings), ITERATIONS, LINE)


def data_from_nothing(run: Run, settings: Settings) -> list[Data]:
    """Of its iterations."""
    if not is_on(settings):
        return []
    return [make_data(run, _settings(settings), iteration, LINE) for iteration in range(1, ITERATIONS + 1)]


def table(found: dict[int, Results], data: list[Data]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for iteration, results in found.items():
        added = data[iteration - 1]
        ties = 100 * sum(added.ties.values()) / sum(added.games.values())
        for one in PLAYERS:
            own = _ours(one, iteration).name
            cells = [score(pooled(results, own, other)) for other in (one.name, MCTS.name)]
            rows.append((Cell(iteration), Cell(one.name), Cell(ties), *cells))
    columns = (
        "iteration",
        "player",
        "ties in its data, %",
        "against it with the usual network",
        "against vanilla MCTS",
    )
    return Table(LINE, "Coevolution as the only operator, from nothing", columns, tuple(rows))


def _settings(settings: Settings) -> Settings:
    return dataclasses.replace(settings, **SEARCHES)  # type: ignore[arg-type]


def _ours(player: Entry, iteration: int) -> Entry:
    return player._replace(name=f"{player.name}, from nothing", net=net(iteration, LINE))
