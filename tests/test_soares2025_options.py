"""soares2025 with other rules, searches and budgets: one smoke run with all of them, and their effects."""

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sandtable as st
from sandtable.arena.store import Store
from sandtable.cli import app
from sandtable.errors import SandtableError
from sandtable.nets import checkpoints
from sandtable.papers.run import Run, RunError
from sandtable.papers.soares2025 import SCALES, STAGES, published
from sandtable.papers.soares2025.beyond import RIVALS
from sandtable.papers.soares2025.budgets import allowed, counted
from sandtable.papers.soares2025.from_nothing import is_on
from sandtable.papers.soares2025.headlines import headlines, lead
from sandtable.papers.soares2025.matches import FLOW, GA, GA_POLICY, GUIDED, MCTS, SANDTABLE, THESIS, pair_name
from sandtable.papers.soares2025.result_tables import by_pair
from sandtable.papers.soares2025.settings import MAPS, Settings, Small
from sandtable.papers.tables import Table

CHANGED = (
    "rules=soares2025-text",
    "first_search=coevolution",
    "data_search=coevolution",
    "beyond_budget=counts",
    "further=0",
    "long_games=0",
    "sweep_games=0",
    "own_games=0",
)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smoke run from nothing, with marches in random order, and budgets in counts beyond the thesis's matches."""
    folder = tmp_path_factory.mktemp("soares2025")
    places = ["--folder", str(folder / "run"), "--results", str(folder / "results")]
    changes = [part for change in CHANGED for part in ("--set", change)]
    arguments = ["reproduce", "soares2025", "--scale", "smoke", "--workers", "1", *places, *changes]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return folder


def settings_of() -> Settings:
    """The settings of that run."""
    changed: Any = {
        name: int(value) if value.isdigit() else value for name, value in (one.split("=") for one in CHANGED)
    }
    return dataclasses.replace(SCALES["smoke"], **changed)


def test_all_games_are_played_under_the_chosen_rules(other: Path) -> None:
    records = [st.Record.from_line(line) for line in (other / "run/records.jsonl").read_text().splitlines()]
    assert len(records) > 300
    for record in records:
        state: Any = record.start
        assert state.land.rules.order == "random"
        record.verify()
    digest = st.conquest.rules("soares2025-text").digest
    cards = [checkpoints.read_card(path) for path in (other / "run/nets").glob("*.safetensors")]
    assert {card.rules for card in cards} == {digest}


def test_runs_with_other_rules_are_not_mixed(other: Path) -> None:
    with Run(other / "run") as run:
        for stage in ("data_1", "tournament_2", "rivals", "text_inputs"):
            settings = dataclasses.replace(settings_of(), rules="soares2025")
            with pytest.raises(RunError, match="made with rules = 'soares2025-text'"):
                STAGES[stage](run, settings)


def test_default_rules_are_left_out_of_stored_settings() -> None:
    assert SCALES["smoke"].only("seed", "rules") == {"seed": 2025}
    assert settings_of().only("seed", "rules") == {"seed": 2025, "rules": "soares2025-text"}


def test_no_game_of_the_data_is_played_by_mcts(other: Path) -> None:
    lines = (other / "run/records.jsonl").read_text().splitlines()
    summary = json.loads((other / "run/records.json").read_text())["value"]
    data = sum(count for kind, count in summary["games"].items() if kind.startswith(("data_1", "data_3")))
    players = {st.Record.from_line(line).players for line in lines[:data]}
    first = "coevolution(generations=1, evaluator=net-0)"
    assert (first, first) in players
    assert all(one.startswith("coevolution(generations=1, evaluator=net-") for pair in players for one in pair)
    assert not (other / "results/from_nothing.json").exists()  # the run itself is from nothing


def test_games_beyond_the_thesis_have_budgets_in_counts(other: Path) -> None:
    with Store(other / "run/matches.sqlite") as store:
        rows = list(store.rows())
    by_clock = {row.first.rpartition(" ")[0] for row in rows if "seconds=" in row.record}
    assert by_clock == {one.name for one in THESIS[:3]}  # in the tournaments
    beyond = json.loads((other / "run/rival_CMA_ES_policy.json").read_text())["settings"]
    assert beyond["budget"] == "counts"
    assert all("seconds" not in spec for spec in beyond["players"].values())
    assert "1 generations of 30 x 30" in (other / "results/report.md").read_text()


def test_exploitability_is_left_out_under_other_rules(other: Path) -> None:
    assert not (other / "results/exploitability.json").exists()
    assert not list((other / "run").glob("exploitability*"))


def test_coevolution_by_shares_needs_no_network(tmp_path: Path) -> None:
    settings = dataclasses.replace(SCALES["smoke"], first_search="coevolution_share", samples_1=Small(4, 1, 1))
    with Run(tmp_path) as run:
        found = STAGES["data_1"](run, settings)
    assert found.samples == {"simple": 4, "banana": 4, "owl_island": 4}
    assert not (tmp_path / "nets").exists()


def test_coevolution_by_an_untrained_network_makes_it_first(tmp_path: Path) -> None:
    settings = dataclasses.replace(SCALES["smoke"], first_search="coevolution", samples_1=Small(4, 1, 1))
    with Run(tmp_path) as run:
        assert STAGES["data_1"](run, settings).samples == {"simple": 4, "banana": 4, "owl_island": 4}
    assert (tmp_path / "nets/net-0.safetensors").is_file()


def test_from_nothing_is_a_separate_experiment_unless_the_run_is_from_nothing() -> None:
    assert is_on(SCALES["smoke"])
    assert is_on(dataclasses.replace(SCALES["smoke"], data_search="coevolution"))  # its first games are played by MCTS
    assert not is_on(settings_of())
    assert not is_on(dataclasses.replace(SCALES["smoke"], from_nothing_games=0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": "text"}, "rules must be soares2025 or soares2025-text, not 'text'"),
        ({"first_search": "guided"}, "first_search must be mcts or coevolution or coevolution_share"),
        ({"text_map": "earth"}, "text_map must be simple or banana or owl_island or italy"),
        ({"beyond_budget": "count"}, "beyond_budget must be seconds or counts"),
        ({"from_nothing_games": 3}, "from_nothing_games must be even"),
        ({"text_games": 1}, "text_games must be even"),
    ],
)
def test_bad_settings_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SandtableError, match=message):
        dataclasses.replace(SCALES["smoke"], **change)


# Budgets.


def test_players_have_budgets_in_counts() -> None:
    paper = SCALES["paper"]
    specs = {one.name: counted(one, paper).spec for one in (*THESIS, *RIVALS, SANDTABLE)}
    assert specs["guided"] == "guided(net={net}, iterations=150)"
    assert specs["GA + policy"].endswith("initialise=policy, sampled=90, generations=4)")
    assert specs["MCTS"] == "mcts(iterations=300)"
    assert specs["duct"].endswith("simulations=3000)")
    assert specs["CMA-ES + policy"].endswith("generations=4)")
    assert specs["sandtable"].endswith("rounds=20)")
    assert specs["flow"] == FLOW.spec
    assert specs["guided from GA"] == (
        'guided(net={net}, root="coevolution(evaluator={net}, initialise=policy, sampled=90, generations=4)", '
        "iterations=150)"
    )
    assert specs["GA from guided"] == (
        'coevolution(evaluator={net}, initialise="guided(net={net}, iterations=150)", generations=4)'
    )
    assert "seconds" not in "".join(specs.values())
    assert allowed(paper) == "0.25 s a move"


def test_other_populations_have_as_many_evaluations() -> None:
    paper = SCALES["paper"]
    generations = {size: counted(GA.changed(population=size), paper).spec for size in (10, 15, 30, 60, 120)}
    found = {size: int(spec.partition("generations=")[2].partition(",")[0]) for size, spec in generations.items()}
    assert found == {10: 36, 15: 16, 30: 4, 60: 1, 120: 1}
    assert counted(MCTS, paper).name == MCTS.name


# Headlines.


def pairs(counts: dict[tuple[str, str], list[int]], maps: int = 2) -> Table:
    """The table of a tournament with the same results on some maps."""
    found = {name: {pair_name(*pair): {"counts": one} for pair, one in counts.items()} for name in MAPS[:maps]}
    return by_pair(found, "table_5_12", published.PAIRS[2])


def test_the_lead_of_a_player_is_a_difference_of_points() -> None:
    """Over all games, including those against each other, whichever player of a pair is named first."""
    found = pairs(
        {
            ("guided", "GA + policy"): [6, 4, 0],
            ("guided", "GA"): [5, 5, 0],
            ("GA", "GA + policy"): [3, 5, 2],
            ("GA + policy", "MCTS"): [10, 0, 0],
            ("GA", "MCTS"): [0, 0, 10],
        }
    )
    cell = lead([found, found], GA_POLICY.name, GA.name, 9.05)
    # Of thirty games on a map: 4 + 6 + 10 points against 5 + 4 + 5.
    assert cell.value == pytest.approx(100 * (20 - 14) / 30)
    assert (cell.n, cell.published) == (120, 9.05)
    assert cell.low is not None
    assert cell.high is not None
    assert 0 < cell.low < 20 < cell.high < 40
    table = headlines([found])
    assert [row[0].value for row in table.rows] == ["GA + policy over GA", "guided over GA + policy"]
    assert (table.rows[0][2].value, table.rows[0][2].published) == (60.0, 60.6)
    assert lead([pairs({})], GUIDED.name, GA.name).value is None


def test_intervals_of_leads_cover_simulated_tournaments() -> None:
    """In tournaments between equals, differences of scores are as often within their intervals as promised."""
    draw = random.Random(1)
    names = [one.name for one in THESIS]
    within = 0
    for _ in range(400):
        counts = {}
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                wins = sum(draw.random() < 0.5 for _ in range(40))
                counts[first, second] = [wins, 40 - wins, 0]
        cell = lead([pairs(counts, maps=1)], GUIDED.name, GA.name)
        assert cell.low is not None
        assert cell.high is not None
        within += cell.low <= 0 <= cell.high
    assert 0.91 < within / 400 < 0.99
