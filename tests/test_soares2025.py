"""soares2025 from its games to its report, at the smallest scale, and its published figures."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sandtable as st
from sandtable.arena.store import Store
from sandtable.cli import app
from sandtable.errors import SandtableError
from sandtable.nets import checkpoints
from sandtable.papers.run import Run, RunError
from sandtable.papers.soares2025 import SCALES, STAGES, exploitability, published
from sandtable.papers.soares2025.beyond import (
    AS_THE_CODE,
    LEARNING_HABITS,
    RIVALS,
    SEARCH_HABITS,
    SWEEP,
    as_the_code,
    variants,
)
from sandtable.papers.soares2025.data import collect_games, read_games, without_places
from sandtable.papers.soares2025.from_nothing import RIVAL
from sandtable.papers.soares2025.matches import THESIS
from sandtable.papers.soares2025.settings import PAPER_SAMPLES, Small
from sandtable.papers.training import weights
from sandtable.players import spec_of
from support.paper_runs import stored_table
from support.report_rendering import check_rendering

TABLES = (
    "findings",
    "headlines",
    "text_inputs",
    "from_nothing",
    "habits",
    "operator",
    "code",
    "code_pairs",
    "published_pairs",
    "longer",
    "longer_pairs",
    "sweep",
    "rivals",
    "best",
    "network_trainings",
    "networks",
    "tournament_text_order",
    "tournament_text_order_pairs",
    "ours",
    "our_starts",
    "exploitability",
    "further",
    "decisions",
    "records",
)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run at the smoke scale."""
    folder = tmp_path_factory.mktemp("soares2025")
    places = ["--folder", str(folder / "runs/soares2025-smoke"), "--results", str(folder / "results/soares2025")]
    done = CliRunner().invoke(app, ["reproduce", "soares2025", "--scale", "smoke", "--workers", "1", *places])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{folder}/results/soares2025/report.html\n"
    return folder


def test_the_thesis_s_numbers_are_the_defaults() -> None:
    paper = SCALES["paper"]
    assert (paper.vanilla_iterations, paper.guided_iterations) == (300, 150)
    assert (paper.batch, paper.learning_rate, paper.epochs) == (32, 0.001, 200)
    assert (paper.evaluation_games, paper.tournament_games) == (30, 50)
    assert (paper.policy_target, paper.value_target, paper.data_search) == ("visits", "result", "guided")
    for iteration, printed in published.SAMPLES.items():
        added = [one._asdict() for one in PAPER_SAMPLES[:iteration]]
        assert {name: sum(one.get(name, 0) for one in added) for name in printed} == printed
    assert [sum(one.values()) for one in published.SAMPLES.values()] == [26_928, 49_206, 89_254]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("tournament_games=3", "tournament_games must be even, so that seats are swapped, not 3"),
        ("sweep_games=1", "sweep_games must be even"),
        ("exploitability_seeds=1", "exploitability_seeds must be 0 or at least 2"),
        ("seconds=0", "seconds must be within"),
        ("samples_1=1,2", "comma-separated numbers"),
        ("epochs=1.5", "epochs must be a whole number, such as 1"),
        ("value_target=truth", "value_target must be result or search"),
        ("trust=2", "no setting is called 'trust'"),
    ],
)
def test_a_bad_setting_gets_a_one_line_error_before_the_first_game(change: str, message: str, tmp_path: Path) -> None:
    arguments = ["--scale", "smoke", "--folder", str(tmp_path / "run"), "--until", "data_1", "--set", change]
    done = CliRunner().invoke(app, ["reproduce", "soares2025", *arguments])
    assert isinstance(done.exception, SandtableError)
    assert message in str(done.exception)
    assert not (tmp_path / "run").exists()


def test_the_published_figures_agree_with_each_other() -> None:
    """Overall scores are means over maps and over pairs; both tournaments together weigh their maps equally."""
    for k, players in published.TOURNAMENT.items():
        pairs = published.PAIRS[k] | {(b, a): 100 - share for (a, b), share in published.PAIRS[k].items()}
        for name, scores in players.items():
            by_map = [value for key, value in scores.items() if key != "all"]
            assert scores["all"] == pytest.approx(sum(by_map) / len(by_map), abs=0.7)
            by_pair = [share for (one, _), share in pairs.items() if one == name]
            assert scores["all"] == pytest.approx(sum(by_pair) / 3, abs=0.7)
    for pair, printed in (
        (("GA + policy", "GA"), published.POLICY_OVER_GA),
        (("guided", "GA + policy"), published.GUIDED_OVER_POLICY),
    ):
        assert (3 * published.PAIRS[2][pair] + 4 * published.PAIRS[3][pair]) / 7 == pytest.approx(printed, abs=0.05)


def test_the_headlines_are_differences_of_scores() -> None:
    """Over all games, with equally many on each of the seven maps of both tournaments."""

    def score(player: str) -> float:
        by_map = [
            value
            for players in published.TOURNAMENT.values()
            for name, value in players[player].items()
            if name != "all"
        ]
        assert len(by_map) == 7
        return sum(by_map) / 7

    assert score("GA + policy") - score("GA") == pytest.approx(published.POLICY_OVER_GA_POINTS, abs=0.01)
    assert score("guided") - score("GA + policy") == pytest.approx(published.GUIDED_OVER_POLICY_POINTS, abs=0.01)


def test_every_table_is_stored(smoke: Path) -> None:
    numbers = (*range(3, 9), *range(11, 15))
    for name in (*TABLES, *(f"table_5_{number}" for number in numbers)):
        found = stored_table(smoke, "soares2025", name)
        assert found["rows"], name
        assert all(len(row) == len(found["columns"]) for row in found["rows"])
    for iteration, number in ((2, 11), (3, 13)):
        for row in stored_table(smoke, "soares2025", f"table_5_{number}")["rows"]:
            assert [cell["published"] for cell in row[1:]] == [
                published.TOURNAMENT[iteration][row[0]["value"]][name]
                for name in (*SCALES["smoke"].maps(iteration), "all")
            ]
            assert all(cell["low"] <= cell["value"] <= cell["high"] for cell in row[1:])
    assert [row[0]["value"] for row in stored_table(smoke, "soares2025", "rivals")["rows"]] == [
        one.name for one in (*RIVALS, RIVAL)
    ]
    assert len(stored_table(smoke, "soares2025", "habits")["rows"]) == len(SEARCH_HABITS) + len(LEARNING_HABITS)
    assert len(stored_table(smoke, "soares2025", "sweep")["rows"]) == len(SWEEP)
    best = stored_table(smoke, "soares2025", "best")["rows"]
    assert len(best) == 5
    scores = [row[2]["value"] for row in best]
    assert scores == sorted(scores, reverse=True)
    assert all(row[3]["n"] == row[2]["n"] for row in best)
    report = (smoke / "results/soares2025/report.md").read_text()
    for picture in (smoke / "results/soares2025").glob("*.png"):
        assert f"({picture.name})" in report


def test_every_start_is_played_from_both_seats(smoke: Path) -> None:
    with Store(smoke / "runs/soares2025-smoke/matches.sqlite") as store:
        rows = list(store.rows())
    assert all(row.error is None for row in rows)
    tournament = [row for row in rows if row.task.startswith("guided ") and row.second.startswith("GA + policy")]
    starts = [st.Record.from_line(row.record).to_line().partition('"players"')[0] for row in tournament]
    assert all(starts.count(start) % 2 == 0 for start in starts)


def test_networks_have_cards(smoke: Path) -> None:
    names = {f"net-{k}" for k in range(5)} | {one.name for one in variants(SCALES["smoke"])} | {AS_THE_CODE}
    names |= {f"from-nothing-net-{k}" for k in (1, 2, 3)} | {"text-inputs-banana", "code-inputs-banana"}
    layers = {"layers-territories": "soares2025_territories", "layers-plain-gcn": "soares2025_gcn"}
    names |= {"layers-thesis", *layers}
    nets = smoke / "runs/soares2025-smoke/nets"
    assert {path.stem for path in nets.glob("*.safetensors")} == names
    cards = {name: checkpoints.read_card(nets / f"{name}.safetensors") for name in names}
    text = cards["text-inputs-banana"]
    assert (text.architecture, text.weights) == ("soares2025_text_banana", 32_622 + 20 * (1 + 4))
    others = [card for name, card in cards.items() if card is not text and name not in layers]
    assert {name: cards[name].architecture for name in layers} == layers
    assert {(card.architecture, card.weights) for card in others} == {("soares2025", 32_622)}
    assert {card.rules for card in cards.values()} == {st.conquest.rules("soares2025").digest}
    assert text.training["samples"] == cards["code-inputs-banana"].training["samples"] == 16  # those of Banana alone
    assert cards["net-3"].training["samples"] == 3 * 16 + 4
    assert cards["data-search-dropout"].training["training"]["data_search"] == "dropout"
    # The thesis's layers for equal time learn from net-3's games with its seed: the same epochs give the same network.
    assert len({card.sha256 for name, card in cards.items() if name != "layers-thesis"}) == len(names) - 1


def test_records_replay_and_contain_no_paths(smoke: Path) -> None:
    run = smoke / "runs/soares2025-smoke"
    lines = (run / "records.jsonl").read_text().splitlines()
    summary = json.loads((run / "records.json").read_text())["value"]
    assert len(lines) == sum(summary["games"].values()) == sum(summary["ends"].values())
    assert summary["games"]["data_1-owl_island"] == 2
    for line in lines:
        st.Record.from_line(line).verify()
        assert str(smoke) not in line
    assert "guided(net=net-1, iterations=2)" in "".join(lines)


def test_finished_stages_are_not_run_again(smoke: Path) -> None:
    folder = smoke / "runs/soares2025-smoke"

    def times() -> dict[str, int]:
        kept = ("matches.sqlite", "lock")
        paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(kept)]
        return {str(path): path.stat().st_mtime_ns for path in paths}

    before = times()
    with Run(folder) as run:
        assert STAGES["records"](run, SCALES["smoke"])["games"]
        with pytest.raises(RunError, match="made with epochs = 1, not 2"):
            STAGES["training_1"](run, dataclasses.replace(SCALES["smoke"], epochs=2))
    assert times() == before


def test_a_changed_player_of_the_same_name_is_refused(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = (RIVALS[0].changed(c=2.0)._replace(name=RIVALS[0].name), *RIVALS[1:])
    monkeypatch.setattr(exploitability, "RIVALS", changed)
    with Run(smoke / "runs/soares2025-smoke") as run, pytest.raises(RunError, match="made with player = "):
        STAGES["exploitability"](run, SCALES["smoke"])


def test_games_are_the_same_in_another_folder_and_damaged_files_are_named(smoke: Path, tmp_path: Path) -> None:
    settings = dataclasses.replace(SCALES["smoke"], samples_1=Small(8, 1, 1))
    with Run(tmp_path) as run:
        data = collect_games(run, settings, 1, "guided")
        assert data.samples == {"simple": 8, "banana": 4, "owl_island": 4}  # whole games of two turns
        theirs = json.loads((smoke / "runs/soares2025-smoke/data_1.jsonl").read_text().splitlines()[2])
        assert theirs["value"]["sha256"] == data.files[0].sha256
        assert len(read_games(data.files[0])) == 2
        data.files[0].path.write_bytes(b"nonsense")
        with pytest.raises(RunError, match="not the games that were played"):
            read_games(data.files[0])
    data.files[0].path.unlink()
    with Run(tmp_path) as run, pytest.raises(RunError, match=r"games were played; delete .*data_1\.jsonl"):
        collect_games(run, settings, 1, "guided")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "games/data_1-simple-0000.npz",
            r"simple-0000\.npz: .*not the games that were played; delete .*/data_1\.jsonl",
        ),
        ("games/data_2_dropout-banana-0000.npz", r"not the games that were played; delete .*/data_2_dropout\.jsonl"),
        ("records.jsonl", r"records\.jsonl: .*not the records that were written; delete .*/records\.json"),
        ("tournament_3.json", r"tournament_3\.json: damaged"),
    ],
)
def test_a_damaged_file_of_a_finished_run_is_named(smoke: Path, tmp_path: Path, name: str, message: str) -> None:
    shutil.copytree(smoke / "runs/soares2025-smoke", tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[:-100])
    with Run(tmp_path / "run") as run, pytest.raises(RunError, match=message):
        STAGES["records"](run, SCALES["smoke"])


def test_a_stage_without_games_is_skipped(smoke: Path) -> None:
    smaller = dataclasses.replace(SCALES["smoke"], long_games=0, habit_games=0, sweep_games=0, rival_games=0)
    smaller = dataclasses.replace(smaller, best_games=0, text_order_games=0, network_games=0)
    settings = dataclasses.replace(smaller, text_games=0, from_nothing_games=0)
    with Run(smoke / "runs/soares2025-smoke") as run:
        left_out = ("habits", "sweep", "rivals", "best", "networks", "tournament_3_long", "tournament_text_order")
        for stage in (*left_out, "text_inputs", "from_nothing"):
            assert STAGES[stage](run, settings) == {}


def test_networks_are_named_without_their_folders() -> None:
    record = st.play(st.conquest.load("simple"), "random", "random", seed=1)
    places = (
        "guided(net='/home/some one/runs/nets/net-2.safetensors', seconds=0.25)",
        'guided(net="/it\'s/net-1.safetensors")',
    )
    named = without_places(dataclasses.replace(record, players=places))
    assert named.players == ("guided(net=net-2, seconds=0.25)", "guided(net=net-1)")


@pytest.mark.parametrize("folder", ["plain", "it's", "a b{c}"])
def test_a_search_within_a_search_finds_its_network_in_any_folder(folder: str, fresh_net: Path, tmp_path: Path) -> None:
    with Run(tmp_path / folder) as run:
        checkpoints.copy(fresh_net, weights(run, "net-3"))
        for rival in RIVALS:
            spec = rival.with_net("net-3").contestant(run, 0.01).spec
            record = st.play(st.conquest.load("simple"), "random", "random", seed=1)
            named = without_places(dataclasses.replace(record, players=(spec_of(st.player(spec)), spec)))
            assert not any(folder in player for player in named.players), spec


def test_players_as_in_the_authors_code() -> None:
    made = [as_the_code(one) for one in THESIS]
    assert [one.name for one in made] == [one.name for one in THESIS]
    assert made[0].spec == "guided(net={net}, seconds={seconds}, stall=true, root_prior=false)"
    assert [one.spec.count("mutation=0.0") for one in made] == [0, 1, 1, 0]
    assert made[3].spec == "mcts(seconds={seconds}, stall=true)"


def test_players_of_the_tournament_are_the_thesis_s() -> None:
    assert [one.name for one in THESIS] == list(published.TOURNAMENT[2]) == list(published.TOURNAMENT[3])


def test_a_report_depends_on_its_stored_tables_alone(smoke: Path, tmp_path: Path) -> None:
    check_rendering("soares2025", smoke / "results/soares2025", tmp_path / "again")
