"""Stage `report`: Tables 1 and 2 and Figures 6 to 9 of kimura2020."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandtable.arena.statistics import wilson
from sandtable.papers import plots
from sandtable.papers import report as writing
from sandtable.papers.kimura2020 import published
from sandtable.papers.kimura2020.beyond import ARMIES, GRAPH, IMAGE, measure_memory, measure_thinking, train_graph
from sandtable.papers.kimura2020.fast import ARMIES as FAST_ARMIES
from sandtable.papers.kimura2020.fast import RIVALS, play_fast, recipe, snapshot, train_fast
from sandtable.papers.kimura2020.matches import OPPONENTS, SKIRMISHES, play_matches
from sandtable.papers.kimura2020.pruned import DEPTHS, MCTS, TREE, WIDTH, called, play_pruned
from sandtable.papers.kimura2020.settings import SCALES, VARIANTS, Settings, Variant
from sandtable.papers.kimura2020.training import train_variants
from sandtable.papers.matches import score
from sandtable.papers.report import Section
from sandtable.papers.run import Run
from sandtable.papers.tables import Cell, Table, agreement

TITLE = "kimura2020: PV-MCTS with the unit's choice in the tree"
FIGURES = {
    "figure_6_total.png": ("total_loss", "loss"),
    "figure_7_policy.png": ("policy_loss", "policy loss"),
    "figure_8_value.png": ("value_loss", "value loss"),
}


def write_report(run: Run, settings: Settings) -> Path:
    """The report's folder: the run's own, or `run.results` if nothing of a larger scale lies there."""
    trained = train_variants(run, settings)
    matches = play_matches(run, settings)
    ours = train_graph(run, settings)
    thinking = measure_thinking(run, settings)
    memory = measure_memory(run, settings)
    fast, fast_matches = train_fast(run, settings), play_fast(run, settings)
    pruned = play_pruned(run, settings)
    about = writing.provenance(run, run.scale, settings, SCALES[run.scale])
    depths = [name for name in ("short-sep-4", "short-sep-6", "short-sep-8") if name in trained]
    kinds = [name for name in ("short-sep-8", "short-conv-6") if name in trained]
    pictures = {
        picture: plots.curves({name: _curve(trained[name], column) for name in depths}, "updates", label)
        for picture, (column, label) in FIGURES.items()
    }
    pictures["figure_9_convolutions.png"] = plots.curves(
        {name: _curve(trained[name], "total_loss") for name in kinds}, "updates", "loss"
    )
    pictures["fast.png"] = plots.curves(
        {
            column.replace("_", " "): (
                [row["minutes"] for row in fast["curve"] if column in row],
                [row[column] for row in fast["curve"] if column in row],
            )
            for column in ("policy_loss", "value_loss", "fate_loss")
        },
        "minutes",
        "loss",
    )
    sections = [
        Section("How these figures were made", writing.made("kimura2020", about)),
        Section("Table 1: Map01", _TABLE_1, _table_1(matches, trained, settings)),
        Section(
            "Table 2: Map02",
            _TABLE_2,
            _table_2(matches),
        ),
        Section("What the attack term and dropout do", _EFFECTS, _effects(matches)),
        Section("Trainings", _TRAININGS, _trainings(trained | ({GRAPH: ours} if ours else {}))),
        *([Section("A graph instead of an image", _GRAPH, _graph(ours))] if ours else []),
        Section("Seconds a decision by the number of units", _THINKING, _thinking(thinking)),
        Section("What separable convolutions save", _MEMORY, _memory(memory)),
        Section("The same strength in an hour", _FAST, _fast(fast_matches, settings), "fast.png", "losses by minutes"),
        Section("At equal seconds a turn", _TURNS, _turns(fast_matches)),
        Section("Minimax over the operations that a policy likes", _PRUNED, _pruned(pruned)),
        *(
            Section(f"Figure {number}: {what}", "", None, picture, what)
            for number, (what, picture) in enumerate(
                (
                    ("the whole loss, 4, 6 and 8 blocks", "figure_6_total.png"),
                    ("the policy's loss", "figure_7_policy.png"),
                    ("the value's loss", "figure_8_value.png"),
                    ("plain and separable convolutions", "figure_9_convolutions.png"),
                ),
                start=6,
            )
        ),
    ]
    return writing.publish(run, TITLE, sections, pictures, about)


_TABLE_1 = (
    "PV-MCTS against pure Monte Carlo with 100 playouts a move and MCTS with 2,000 simulations, seats swapped. As in "
    "the paper a win rate counts wins only; intervals are 95%. A row without a figure was not run."
)
_TABLE_2 = "The long training on a map with four units a side, which it never saw."
_EFFECTS = "The same network, games and seeds with and without. Differences of win rates in points, with 95% intervals."
_TRAININGS = (
    "Each in one process on one core. `forward` is the share of self-play's time that is inside the network, `batch` "
    "the mean number of positions that it is asked for at once."
)
_GRAPH = (
    "Future work of the paper and of li2022: the same self-play, search and seconds with a network that sees units and "
    "what they can do to each other instead of planes (`src/sandtable/nets/tokens.py`)."
)
_THINKING = "First decisions on 6x6 maps with so many infantry a side, in milliseconds."
_FAST = (
    "Our recipe, `sandtable train recipes/tubstap-fast.toml`: a graph network that plays every map, a Gumbel root with "
    "few simulations, all kinds of maps. Wins of the network after so many minutes on two cores; neither map is among "
    "those that it learns from."
)
_TURNS = (
    "The last network as the player `sandtable` against Monte-Carlo players, each with the same seconds for a whole "
    "turn: on hand-made maps with terrain, and on generated ones with all kinds and terrains. A tie counts half."
)
_PRUNED = (
    f"Future work of li2022: the likeliest {WIDTH} operations of a position are followed below the root, so that "
    "depths of three and four are affordable. The network is the recipe's last one. Against MCTS on Map01; "
    "against its own tree search on generated maps of 2 v 2 infantry, since neither leaves anything to chance."
)
_MEMORY = "Weights, and memory and time of a batch of 128 there and back, on one core."


def wins(counts: list[int], printed: published.Counts | None = None) -> Cell:
    """A share of wins, from wins, losses and ties, beside the paper's wins, draws and losses."""
    won, lost, tied = counts
    games = won + lost + tied
    low, high = wilson(won, games)
    return Cell(
        100 * won / games,
        100 * low,
        100 * high,
        games,
        None if printed is None else 100 * printed[0] / sum(printed),
        f"{won}-{tied}-{lost}",
        "" if printed is None else "-".join(map(str, printed)),
    )


def _row(variant: Variant, games: int | None) -> tuple[Cell, ...]:
    return (
        Cell(variant.name),
        Cell(f"{games:,} games" if games else "not run"),
        Cell(variant.blocks),
        Cell("separable" if variant.separable else "plain"),
        Cell("3.7" if variant.attack else "0"),
        Cell("yes" if variant.dropout else "no"),
    )


def _table_1(matches: dict[str, Any], trained: dict[str, Any], settings: Settings) -> Table:
    rows = []
    for variant in VARIANTS:
        run = variant.name in trained
        cells = []
        for at, opponent in enumerate(OPPONENTS):
            printed = published.MAP01.get(variant.name)
            if run:
                counts = matches[f"Map01 {variant.name} {opponent}"]["counts"]
                cells.append(wins(counts, printed[at] if printed else None))
            else:
                cells.append(Cell(None, published=100 * printed[at][0] / sum(printed[at]) if printed else None))
        rows.append((*_row(variant, settings.games_of(variant) if run else None), *cells))
    columns = ("network", "training", "n", "convolutions", "attack term", "dropout", "against PMC", "against MCTS")
    table = Table("table_1", "Table 1: wins on Map01, % (wins-draws-losses)", columns, tuple(rows))
    return Table(table.name, table.title, columns, table.rows, agreement(table))


def _table_2(matches: dict[str, Any]) -> Table:
    name = "long-sep-8"
    cells = []
    for at, opponent in enumerate(OPPONENTS):
        found = matches.get(f"Map02 {name} {opponent}")
        printed = published.MAP02[at]
        cells.append(wins(found["counts"], printed) if found else Cell(None, published=100 * printed[0] / sum(printed)))
    columns = ("network", *(f"against {one}" for one in OPPONENTS))
    return Table("table_2", "Table 2: wins on Map02, % (wins-draws-losses)", columns, ((Cell(name), *cells),))


def _effects(matches: dict[str, Any]) -> Table:
    """Differences of two shares (Newcombe, 1998, method 10: from the two Wilson intervals)."""
    rows = []
    for what, without in (("attack term", "short-sep-8-no-attack"), ("dropout", "short-sep-8-no-dropout")):
        cells = []
        for opponent in OPPONENTS:
            found = matches.get(f"Map01 {without} {opponent}")
            if found is None:
                cells.append(Cell(None))
                continue
            a, b = wins(matches[f"Map01 short-sep-8 {opponent}"]["counts"]), wins(found["counts"])
            assert isinstance(a.value, float)
            assert isinstance(b.value, float)
            low = ((a.value - (a.low or 0)) ** 2 + ((b.high or 0) - b.value) ** 2) ** 0.5
            high = (((a.high or 0) - a.value) ** 2 + (b.value - (b.low or 0)) ** 2) ** 0.5
            gain = a.value - b.value
            cells.append(Cell(gain, gain - low, gain + high, a.n))
        rows.append((Cell(what), *cells))
    columns = ("what", *(f"points against {one}" for one in OPPONENTS))
    return Table("effects", "Effects at equal games, n = 8, separable", columns, tuple(rows))


def _trainings(trained: dict[str, Any]) -> Table:
    rows = []
    for name, found in trained.items():
        last = found["last"]
        rows.append(
            (
                Cell(name),
                Cell(int(last["games"])),
                Cell(int(last["positions"])),
                Cell(int(last["updates"])),
                Cell(last["minutes"]),
                Cell(100 * last["forward_share"]),
                Cell(last["batch"]),
                Cell(100 * last["cache_hits"]),
            )
        )
    columns = ("network", "games", "positions", "updates", "minutes", "forward, %", "batch", "cache hits, %")
    return Table("trainings", "Trainings", columns, tuple(rows))


def _curve(found: dict[str, Any], column: str) -> tuple[list[float], list[float]]:
    rows = [row for row in found["curve"] if column in row]
    return [row["updates"] for row in rows], [row[column] for row in rows]


def _graph(found: dict[str, Any]) -> Table:
    names = {f"Map01 {GRAPH} {name}": f"{name}, Map01" for name in OPPONENTS}
    names[f"{SKIRMISHES} {GRAPH} {IMAGE.name}"] = f"the image network {IMAGE.name}, generated maps"
    rows = [(Cell(text), wins(found["matches"][name]["counts"])) for name, text in names.items()]
    return Table("graph", "Wins of the graph network, % (wins-draws-losses)", ("against", "wins"), tuple(rows))


def _thinking(found: dict[str, dict[str, float]]) -> Table:
    rows = [(Cell(name), *(Cell(1000 * seconds) for seconds in taken.values())) for name, taken in found.items()]
    return Table("thinking", "Milliseconds a decision", ("player", *(f"{n} v {n}" for n in ARMIES)), tuple(rows))


def _memory(found: dict[str, dict[str, float]]) -> Table:
    rows = [
        (Cell(name), Cell(int(one["weights"])), Cell(one["megabytes"]), Cell(1000 * one["seconds"]))
        for name, one in found.items()
    ]
    return Table("memory", "Separable and plain", ("network", "weights", "megabytes", "milliseconds"), tuple(rows))


def _fast(matches: dict[str, Any], settings: Settings) -> Table:
    rows = []
    for minutes in recipe(settings).snapshots:
        cells = [
            wins(matches[f"{ground} {snapshot(minutes)} {other}"]["counts"], printed)
            for ground, published_row in (("Map01", published.MAP01["long-sep-8"]), ("Map02", published.MAP02))
            for other, printed in zip(OPPONENTS, published_row, strict=True)
        ]
        rows.append((Cell(f"{minutes:g}"), *cells))
    columns = ("minutes", *(f"{ground}, {other}" for ground in ("Map01", "Map02") for other in OPPONENTS))
    title = "Wins after so many minutes, % (wins-draws-losses), beside the paper's long training"
    return Table("fast", title, columns, tuple(rows))


def _turns(matches: dict[str, Any]) -> Table:
    rows = []
    for ground in ("terrain", *(f"battle-{units}" for units in FAST_ARMIES)):
        cells = []
        for seconds in (0.1, 1.0):
            for rival in RIVALS:
                found = matches.get(f"{ground} sandtable {rival} {seconds:g}")
                cells.append(score(found["counts"]) if found else Cell(None))
        rows.append((Cell(ground), *cells))
    columns = ("maps", *(f"{rival}, {seconds:g} s" for seconds in (0.1, 1.0) for rival in RIVALS))
    return Table("turns", "Score of `sandtable` at equal seconds a turn, %", columns, tuple(rows))


def _pruned(matches: dict[str, Any]) -> Table:
    rows = []
    for depth in DEPTHS:
        found = [matches[f"Map01 {called(depth)} {MCTS}"], matches[f"{SKIRMISHES} {called(depth)} {TREE}"]]
        thought, decisions = (sum(one[what][0] for one in found) for what in ("seconds", "decisions"))
        rows.append((Cell(depth), *(score(one["counts"]) for one in found), Cell(1000 * thought / decisions)))
    columns = ("depth", "against MCTS", "against the tree search", "ms a decision")
    return Table("pruned", "Score of minimax, %", columns, tuple(rows))
