"""takahashi from its maps to its report, at the smallest scale, and how its samples are divided."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import sandtable as st
from sandtable.arena import Record
from sandtable.arena.store import Store
from sandtable.learn import samples
from sandtable.nets.architectures import ARCHITECTURES, COMBINED
from sandtable.nets.checkpoints import read_card
from sandtable.papers.run import Run
from sandtable.papers.stored import read
from sandtable.papers.tables import Cell, Table
from sandtable.papers.takahashi import SCALES, STAGES, compose, published
from sandtable.papers.takahashi.budgets import READINGS, measure_budgets, name
from sandtable.papers.takahashi.settings import KINDS, MODELS, Settings
from sandtable.papers.takahashi.training import (
    ON_SHORT_GAMES,
    PLAIN,
    REGULARISED,
    SEEDED,
    inputs_of,
    kept_for_test,
    trainings,
)
from sandtable.rng import Rng
from support.boards import states_of_games
from support.commands import sandtable
from support.paper_runs import stored_tables
from support.report_rendering import check_rendering


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("takahashi")
    done = sandtable("reproduce", "takahashi", "--scale", "smoke", "--workers", 2, cwd=folder)
    assert done.stdout == "results/takahashi/report.html\n"
    return folder


def test_every_table_is_stored(smoke: Path) -> None:
    found = stored_tables(smoke, "takahashi")
    tested = {"convolution", "states", "table_1_game", "table_1_state", "regularised"}
    judged = {"findings", "paired", "paired_regularised", "overfitting", "seeds", "seeds_paired"}
    short = {"states_short", "table_1_short", "overfitting_short", "paired_short"}
    played = {"budgets_simple", "budgets_complex", "matches", "handicaps", "alternative"}
    assert set(found) == tested | judged | short | played
    for table in found.values():
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
        assert table["said"]
        assert set(STAGES) - {"report"} <= set(table["provenance"]["stages"])
    for what in ("game", "state", "short"):
        for model, row in zip(MODELS, found[f"table_1_{what}"]["rows"], strict=True):
            assert [cell["published"] for cell in row[1:]] == list(published.ACCURACY[model].values())
            assert all(cell["low"] <= cell["value"] <= cell["high"] for cell in row[1:])
    report = (smoke / "results/takahashi/report.md").read_text()
    for picture in (smoke / "results/takahashi").glob("*.png"):
        assert f"({picture.name})" in report


def test_our_player_chooses_by_visits_as_in_the_stored_results(smoke: Path) -> None:
    with Store(smoke / "runs/takahashi-smoke/matches.sqlite", write=False) as store:
        names = {name for row in store.rows() for name in json.loads(row.record)["players"]}
    ours = [name for name in names if name.startswith("sandtable")]
    assert ours
    assert all("choice=visits" in name for name in ours)


def test_models_are_compared_game_by_game(smoke: Path) -> None:
    found = stored_tables(smoke, "takahashi")
    accuracy = {row[0]["value"]: [cell["value"] for cell in row[1:]] for row in found["table_1_game"]["rows"]}
    for row in found["paired"]["rows"]:
        first, second = row[0]["value"].split(" - ")
        for place, column in ((1, 2), (3, 3)):
            assert row[place]["value"] == pytest.approx(accuracy[first][column] - accuracy[second][column])
            assert abs(row[place + 1]["value"]) < 2  # Brier's score lies within 0..2


def test_budgets_are_compared_with_the_paper_s_states(smoke: Path) -> None:
    for kind, printed in (("simple", (23.5, 58.8, 39.0, 2.2)), ("complex", (35.1, 58.6, 38.0, 3.4))):
        rows = stored_tables(smoke, "takahashi")[f"budgets_{kind}"]["rows"]
        assert [(row[0]["value"], row[1]["value"]) for row in rows] == [(str(r), n) for r in READINGS for n in (10, 30)]
        for row in rows:
            assert tuple(round(cell["published"], 1) for cell in row[2:]) == printed
            assert all(cell["low"] <= cell["value"] <= cell["high"] for cell in row[2:])
            assert sum(cell["value"] for cell in row[3:]) == pytest.approx(100)


def test_short_games_are_played_on_the_same_maps_and_learnt_from(smoke: Path) -> None:
    folder = smoke / "runs/takahashi-smoke"
    usual_games, short_games = (
        [Record.from_line(line) for line in (folder / name).read_text().splitlines()]
        for name in ("records.jsonl", "short_records.jsonl")
    )
    for usual, short in zip(usual_games, short_games, strict=True):
        assert usual.start == short.start
        assert short.players == ("muct(simulations=10)",) * 2
    cards = [read_card(folder / f"nets/{name}gcn-simple-game.safetensors") for name in ("", "short-")]
    assert cards[0].sha256 != cards[1].sha256
    assert cards[1].training["settings"]["short_simulations"] == 10
    learnt_games = samples.load(folder / "data/short-simple-tubstap-combined").games
    assert cards[1].training["samples"] == (~kept_for_test(learnt_games, "game", SCALES["smoke"])).sum()


def test_short_games_can_be_left_out(tmp_path: Path) -> None:
    settings = dataclasses.replace(SCALES["smoke"], short_simulations=0)
    with Run(tmp_path) as run:
        assert STAGES["short_training"](run, settings) == {}
    assert not list(tmp_path.glob("short_*"))


def test_the_states_of_a_budget_are_counted_from_its_games(tmp_path: Path) -> None:
    settings = Settings(budget_games=2, largest_budget=10)
    with Run(tmp_path / "run") as run:
        found = measure_budgets(run, settings)
    rng = Rng(settings.seed, "takahashi budgets complex")
    for number, counts in enumerate(found[name("complex", READINGS[0], 10)]):
        state = st.tubstap.maps.complex(rng.below(2**32 - 1)).start()
        record = st.play(state.scenario, "muct(simulations=10)", "muct(simulations=10)", seed=number)
        moved = [0, 0]
        for move in record.moves:
            moved[state.side] += 1
            state.play(move)
        assert state.over
        if state.winner is None:
            assert counts == {"win": 0, "loss": 0, "tie": sum(moved)}
        else:
            assert counts == {"win": moved[state.winner], "loss": moved[1 - state.winner], "tie": 0}


def test_every_model_is_trained(smoke: Path) -> None:
    nets = smoke / "runs/takahashi-smoke/nets"
    again = {f"{model}-{kind}-game-seed-1" for model in SEEDED for kind in KINDS}
    once = {one.name for one in (*PLAIN, *REGULARISED, *ON_SHORT_GAMES)}
    assert {path.stem for path in nets.glob("*.safetensors")} == once | again
    assert len(PLAIN) == 20


def test_the_gcn_and_b_are_compared_over_trainings(smoke: Path) -> None:
    assert Settings().training_seeds == 3
    found = stored_tables(smoke, "takahashi")
    run = smoke / "runs/takahashi-smoke"

    def results(stage: str) -> list[dict[str, list[float]]]:
        lines = [json.loads(line) for line in (run / f"{stage}.jsonl").read_text().splitlines()]
        made = sorted((line for line in lines if "value" in line), key=lambda one: int(one["place"]))
        return [line["value"]["by_game"] for line in made]

    first, again = results("training"), results("training_seeds")
    order = [(one.model, one.kind) for one in PLAIN if one.split == "game" and one.model in SEEDED]
    places = {(one.model, one.kind): place for place, one in enumerate(PLAIN) if one.split == "game"}
    means = {}
    for pair, other in zip(order, again, strict=True):
        own = first[places[pair]]
        assert own["game"] == other["game"]
        means[pair] = 100 * (sum(own["right"]) + sum(other["right"])) / (2 * sum(own["states"]))
    levels = {row[0]["value"]: row for row in found["seeds"]["rows"]}
    apart = found["seeds_paired"]["rows"][0]
    for place, kind in ((1, "simple"), (3, "complex")):
        assert levels["GCN"][place]["value"] == pytest.approx(means["gcn", kind])
        assert apart[place]["value"] == pytest.approx(means["gcn", kind] - means["b", kind])
    claims = {row[0]["value"]: row[1]["value"] for row in found["findings"]["rows"]}
    assert claims["GCN predicts better than B on simple maps"] == apart[1]["value"]


def test_experiments_that_are_left_out_are_not_trained(smoke: Path, tmp_path: Path) -> None:
    """The default is not stored, so that runs with both continue."""
    less = dataclasses.replace(SCALES["smoke"], by_state=0, regularise=0)
    assert {one.name for one in trainings(less)} == {f"{model}-{kind}-game" for model in MODELS for kind in KINDS}
    assert len(trainings(SCALES["smoke"])) == 30
    assert not {"by_state", "regularise"} & set(SCALES["smoke"].only("by_state", "regularise"))
    stored = read(smoke / "results/takahashi", "takahashi")
    tables = {
        name: table for name, table in stored.tables.items() if "regularised" not in name and name != "table_1_state"
    }
    report = compose(dataclasses.replace(stored, tables=tables))
    text = "\n".join((*report.summary, *(one.text for one in report.sections)))
    assert "They were left out of this run." in text
    assert "with states divided" not in text


def test_the_summary_says_whether_a_tested_cause_makes_the_differences_smaller(smoke: Path) -> None:
    stored = read(smoke / "results/takahashi", "takahashi")

    def summary(**changed: Table | None) -> str:
        tables = {name: changed.get(name, table) for name, table in stored.tables.items()}
        kept = {name: table for name, table in tables.items() if table is not None}
        return "\n".join(compose(dataclasses.replace(stored, tables=kept)).summary)

    def off_by(points: float) -> Table:
        """Table 1 with figures that differ from the published ones by some points."""
        table = stored.tables["table_1_game"]
        rows = [
            tuple(cell if cell.published is None else at(cell, cell.published + points) for cell in row)
            for row in table.rows
        ]
        return dataclasses.replace(table, rows=tuple(rows))

    def at(cell: Cell, value: float) -> Cell:
        return dataclasses.replace(cell, value=value, low=value - 1, high=value + 1)

    three, two, one = off_by(3), off_by(-2), off_by(1)
    text = summary(table_1_game=two, table_1_short=one, table_1_state=three)
    assert "is 2.0 points on the training set and 2.0 on the test set. With games of M-UCT" in text
    assert "(paper 35.1), it is 1.0 points on the training set and 1.0 on the test set" in text
    assert "On the test set, the mean difference is smaller with games of M-UCT with 10 simulations" in text
    text = summary(table_1_game=one, table_1_short=two, table_1_state=three)
    assert "not smaller with any tested change" in text
    text = summary(table_1_game=one, table_1_short=None, table_1_state=None)
    assert "tested change" not in text
    assert "Whether the length of the games explains it was not tested." in text


def test_a_division_by_games_keeps_games_whole_and_one_by_states_does_not() -> None:
    games = np.repeat(np.arange(50), np.arange(1, 51)).astype(np.int32)
    by_game, by_state = (kept_for_test(games, split, Settings()) for split in ("game", "state"))
    assert not set(games[by_game]) & set(games[~by_game])
    assert len(set(games[by_game])) == 10
    assert by_state.sum() == round(0.2 * len(games))
    assert set(games[by_state]) & set(games[~by_state])


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_trained_on_the_inputs_of_its_own_encoder(model: str) -> None:
    """The part that is cut out of the combined inputs equals what the model's own encoder writes."""
    some = states_of_games(2)
    own = ARCHITECTURES[f"takahashi_{model}"].encoder.make().encode(some)
    assert np.array_equal(inputs_of(model, COMBINED.make().encode(some)), own)


def test_the_paper_scale_has_the_paper_s_numbers() -> None:
    paper = SCALES["paper"]
    assert (paper.maps, paper.simulations, paper.test_share, paper.batch, paper.epochs) == (5000, 5000, 0.2, 2000, 50)


def test_a_report_depends_on_its_stored_tables_alone(smoke: Path, tmp_path: Path) -> None:
    check_rendering("takahashi", smoke / "results/takahashi", tmp_path / "again")
