"""li2022 from its maps to its report, at the smallest scale: stages, files, resumption, clear errors."""

import json
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import pytest

from sandtable.arena import Record
from sandtable.nets import ARCHITECTURES, checkpoints
from sandtable.papers.li2022 import SCALES, STAGES, published
from sandtable.papers.li2022.accuracy import _expected, _mean_read, _most_frequent, _variance
from sandtable.papers.li2022.data import games
from sandtable.papers.li2022.settings import PAPER_TEST, PAPER_TRAIN
from sandtable.papers.report import may_replace
from support import commands
from support.commands import sandtable
from support.paper_runs import stored_tables
from support.report_rendering import check_rendering


def run(folder: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    return sandtable("reproduce", *arguments, "--workers", 1, cwd=folder, code=code)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the smoke scale has been run to its end."""
    folder = tmp_path_factory.mktemp("li2022")
    done = run(folder, "li2022", "--scale", "smoke")
    assert done.stdout == "results/li2022/report.html\n"
    assert all(f"{stage}: " in done.stderr for stage in ("maps", "games", "training", "matches"))
    return folder


def test_every_table_is_stored_as_json(smoke: Path) -> None:
    found = stored_tables(smoke, "li2022")
    assert {"table_2", "table_3", "table_4", "table_5", "table_6", "larger_maps", "ceiling", "longer", "growth"} <= set(
        found
    )
    assert {"readings_data", "readings_accuracy", "readings_error", "readings_accuracy_differences"} <= set(found)
    for table in found.values():
        assert table["title"]
        assert table["said"]
        for row in table["rows"]:
            assert len(row) == len(table["columns"])
            for cell in row:
                assert {"value", "low", "high", "n", "published"} <= set(cell)
                if cell["low"] is not None:
                    assert cell["low"] <= cell["value"] <= cell["high"]
        about = table["provenance"]
        assert about["scale"] == "smoke"
        assert about["seeds"][0] == 2022
        assert len(set(about["seeds"])) == SCALES["smoke"].training_seeds == 2
        assert about["seconds"] > 0
        assert about["machine"]
        assert about["commit"]
        assert set(STAGES) - {"report", "readings_report", "curves_report"} <= set(about["stages"])


def test_published_figures_stand_beside_ours(smoke: Path) -> None:
    found = stored_tables(smoke, "li2022")
    assert [row[1]["value"] for row in found["table_3"]["rows"]] == list(published.WEIGHTS.values())
    assert [row[1]["published"] for row in found["table_4"]["rows"]] == [58.2, 71.5, 77.5, 78.2]
    against = found["table_5"]["rows"][0]
    assert [cell["published"] for cell in against[2:5]] == pytest.approx([55.5, 78.2, 64.6])
    assert found["table_6"]["rows"][3][1]["published"] == pytest.approx(36.0)
    assert found["larger_maps"]["rows"][0][1]["published"] == pytest.approx(70.7)
    # Each game is one player's win and the other's loss.
    for name in ("table_5", "table_6"):
        scores = [[cell["value"] for cell in row[1:5]] for row in found[name]["rows"]]
        for i in range(4):
            for j in range(i):
                assert scores[i][j] + scores[j][i] == pytest.approx(100)


def test_readings_of_the_tree_search_stand_beside_the_paper_s_scores(smoke: Path) -> None:
    table = stored_tables(smoke, "li2022")["mcts_readings"]
    assert table["rows"][0][0]["value"] == "as in the matches"
    assert [row[0]["value"] for row in table["rows"][-2:]] == ["100 rollouts", "250 rollouts"]
    for row in table["rows"]:
        assert [cell["published"] for cell in row[1:]] == pytest.approx([35.4, 57.3, 79.8])
        assert [cell["n"] for cell in row[1:]] == [2, 2, 2]
    assert "The nearest is '" in table["said"]


def test_networks_are_compared_by_their_stored_results_by_game(smoke: Path) -> None:
    found, stored = (
        stored_tables(smoke, "li2022"),
        json.loads((smoke / "runs/li2022-smoke/accuracy.json").read_text())["value"],
    )
    for row, network in zip(found["table_4"]["rows"], stored, strict=True):
        results = stored[network]["by_game"]
        assert sum(results["states"]) == row[1]["n"]
        assert 100 * sum(results["right"]) / sum(results["states"]) == pytest.approx(row[1]["value"])
        assert len(results["game"]) == row[1]["games"]
    errors = [row[1]["value"] for row in found["squared_error"]["rows"]]
    assert all(0 < error < 4 for error in errors)
    accuracies = [row[1]["value"] for row in found["table_4"]["rows"]]
    pairs = [row[1:] for row in found["paired"]["rows"]]
    assert len(pairs) == 6
    assert pairs[0][0]["value"] == pytest.approx(accuracies[1] - accuracies[0])
    assert pairs[0][1]["value"] == pytest.approx(errors[1] - errors[0])


def test_seed_tables_are_means_over_trainings_and_their_differences(smoke: Path) -> None:
    found, folder = stored_tables(smoke, "li2022"), smoke / "runs/li2022-smoke"
    first = json.loads((folder / "accuracy.json").read_text())["value"]
    lines = [json.loads(line) for line in (folder / "training_seeds.jsonl").read_text().splitlines()]
    other = [
        line["value"] for line in sorted((line for line in lines if "value" in line), key=lambda one: one["place"])
    ]
    levels = found["seeds"]["rows"]
    for row, one, two in zip(levels, first.values(), other, strict=True):
        trainings = [one["by_game"], two]
        assert trainings[0]["states"] == trainings[1]["states"]  # the same games
        states = 2 * sum(trainings[0]["states"])
        assert row[1]["value"] == pytest.approx(100 * sum(sum(one["right"]) for one in trainings) / states)
        assert row[2]["value"] == pytest.approx(sum(sum(one["error"]) for one in trainings) / states)
    pairs = found["seeds_paired"]["rows"]
    assert pairs[0][1]["value"] == pytest.approx(levels[1][1]["value"] - levels[0][1]["value"])
    assert found["findings"]["rows"][-1][1]["value"] == pytest.approx(pairs[-1][1]["value"])


def test_the_report_shows_its_pictures(smoke: Path) -> None:
    results = smoke / "results/li2022"
    markdown, page = (results / "report.md").read_text(), (results / "report.html").read_text()
    pictures = sorted(path.name for path in results.glob("*.png"))
    assert "figure_10.png" in pictures
    for name in pictures:
        assert (results / name).read_bytes().startswith(b"\x89PNG")
        assert f"({name})" in markdown
        assert f'src="{name}"' in page
    for words in ("Table 2", "Table 4", "Table 5", "Table 6", "Figure 10", "10x10"):
        assert words in markdown
        assert words in page


def test_all_records_of_the_data_replay(smoke: Path) -> None:
    lines = (smoke / "runs/li2022-smoke/records.jsonl").read_text().splitlines()
    assert len(lines) == len(games(SCALES["smoke"]).places)
    for line in lines[::5]:
        Record.from_line(line).verify()


def test_a_finished_run_repeats_no_stage(smoke: Path) -> None:
    folder = smoke / "runs/li2022-smoke"
    before = {
        path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and "report" not in path.parts
    }
    run(smoke, "li2022", "--scale", "smoke")
    for path, when in before.items():
        if not path.name.startswith(("lock", "matches.sqlite")):
            assert path.stat().st_mtime_ns == when, path


def test_results_of_a_larger_scale_are_not_replaced(smoke: Path, tmp_path: Path) -> None:
    shutil.copytree(smoke, tmp_path / "copy")
    path = tmp_path / "copy/results/li2022/table_2.json"
    table = json.loads(path.read_text())
    table["provenance"]["scale"] = "paper"
    path.write_text(json.dumps(table))
    done = run(tmp_path / "copy", "li2022", "--scale", "smoke")
    assert done.stdout == "runs/li2022-smoke/report/report.html\n"
    assert json.loads(path.read_text())["provenance"]["scale"] == "paper"


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def test_a_repeatedly_killed_run_ends_with_the_same_results(smoke: Path, tmp_path: Path) -> None:
    """It is killed in every long stage, at some point of its log, with two workers; the results are those of an
    undisturbed run with one worker."""
    ask = ("reproduce", "li2022", "--scale", "smoke", "--workers", 2)
    a, b = smoke / "runs/li2022-smoke", tmp_path / "runs/li2022-smoke"
    points = [("maps.jsonl", 4), ("games.jsonl", 6), ("training.jsonl", 3), ("ceiling-games.jsonl", 3)]
    points += [("matches.sqlite", 0), ("readings_training.jsonl", 9)]
    for name, count in points:
        process = subprocess.Popen(
            commands.command(*ask), cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        while process.poll() is None and not ((b / name).exists() and lines(b / name) >= count):
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert not (b / "report").exists(), f"{name}: too late to kill it"
    sandtable(*ask, cwd=tmp_path)
    for name in ("records.jsonl", "nets/gcn_4.safetensors", "nets/cnn_i.safetensors"):
        assert (a / name).read_bytes() == (b / name).read_bytes(), name
    for stage in ("accuracy", "ceiling", "readings"):
        values = [json.loads((folder / f"{stage}.json").read_text())["value"] for folder in (a, b)]
        assert values[0] == values[1]
    counts = [json.loads((folder / "matches.json").read_text())["value"] for folder in (a, b)]
    assert [one["counts"] for one in counts[0].values()] == [one["counts"] for one in counts[1].values()]


def test_a_run_copied_to_another_folder_has_the_same_match_results(smoke: Path, tmp_path: Path) -> None:
    shutil.copytree(smoke / "runs/li2022-smoke", tmp_path / "elsewhere")
    before = json.loads((tmp_path / "elsewhere/matches.json").read_text())["value"]
    (tmp_path / "elsewhere/matches.json").unlink()
    run(tmp_path, "li2022", "--scale", "smoke", "--folder", "elsewhere", "--until", "matches")
    assert json.loads((tmp_path / "elsewhere/matches.json").read_text())["value"] == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("li2023",), "no paper is called 'li2023' (did you mean 'li2022'?)"),
        (("li2022", "--scale", "papers"), "no scale is called 'papers' (did you mean 'paper'?)"),
        (("li2022", "--until", "match"), "no stage is called 'match' (did you mean 'matches'?)"),
        (("li2022", "--set", "batches=3"), "no setting is called 'batches' (did you mean 'batch'?)"),
        (("li2022", "--set", "batch=many"), "--set batch=many: batch must be a whole number, such as 256"),
        (("li2022", "--set", "train=1,2"), "train must be comma-separated numbers, such as 100,200,700"),
        (("li2022", "--set", "batch=" + "[" * 5000), "batch must be a whole number, such as 256"),
        (("li2022", "--set", "batch=0"), "batch must be within 2..1000000, not 0"),
        (("li2022", "--set", "match_maps=0"), "match_maps must be within 1.."),
        (("li2022", "--set", "layer=kernl"), "layer must be adjacency or kernel, not 'kernl' (did you mean 'kernel'?)"),
        (("li2022", "--set", "train=1,2,1000000000000"), "train must be within"),
        (("li2022", "--set", "best_by=test_accuracy"), "best_by must be held_out_loss or held_out_accuracy"),
        (("li2022", "--scale", "smoke", "--set", "train=0,0,0", "--set", "match_maps=1"), "an empty data set"),
        (("li2022", "--scale", "smoke", "--ray", "127.0.0.1:1"), "no Ray cluster at 127.0.0.1:1"),
    ],
)
def test_bad_input_gets_a_one_line_error(tmp_path: Path, arguments: tuple[object, ...], words: str) -> None:
    done = sandtable("reproduce", *arguments, cwd=tmp_path, code=2)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("sandtable: ")
    assert words in last


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("nets/gcn_4.onnx", "not the file that gcn_4.json describes, or damaged"),
        ("nets/gcn_4.json", "not a card"),
        ("data/test-tubstap-attack-graph/inputs.npy", "not an array of a data set"),
        ("maps.jsonl", "damaged"),
        ("training.jsonl", "damaged"),
    ],
)
def test_a_damaged_file_of_a_run_gets_a_one_line_error(smoke: Path, tmp_path: Path, file: str, words: str) -> None:
    shutil.copytree(smoke / "runs", tmp_path / "runs")
    folder = tmp_path / "runs/li2022-smoke"
    for stage in ("accuracy.json", "ceiling.json", "thinking.json", "matches.json"):
        (folder / stage).unlink()
    data = (folder / file).read_bytes()
    (folder / file).write_bytes(b"nonsense\n" + data[9:])
    done = run(tmp_path, "li2022", "--scale", "smoke", code=2)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("sandtable: ")
    assert words in last


def test_a_missing_file_of_a_finished_stage_is_reported(smoke: Path, tmp_path: Path) -> None:
    shutil.copytree(smoke / "runs", tmp_path / "runs")
    folder = tmp_path / "runs/li2022-smoke"
    (folder / "nets/gcn_4.json").unlink()
    done = run(tmp_path, "li2022", "--scale", "smoke", code=2)
    assert "the network was trained; delete runs/li2022-smoke/training.jsonl" in done.stderr.strip().splitlines()[-1]


def test_a_run_needs_only_the_cards_of_networks_whose_games_are_played(smoke: Path, tmp_path: Path) -> None:
    """So that a stored run is small."""
    shutil.copytree(smoke / "runs", tmp_path / "runs")
    nets, matches = (tmp_path / "runs/li2022-smoke" / name for name in ("nets", "matches.json"))
    for path in nets.glob("*.onnx"):
        path.unlink()
    matches.unlink()
    run(tmp_path, "li2022", "--scale", "smoke")
    assert (nets / "gcn_4.onnx").is_file()
    for path in nets.glob("*.safetensors"):
        path.unlink()
    run(tmp_path, "li2022", "--scale", "smoke")
    assert (tmp_path / "results/li2022/report.md").is_file()
    matches.unlink()
    done = run(tmp_path, "li2022", "--scale", "smoke", code=2)
    assert "missing; delete the results of its training" in done.stderr.strip().splitlines()[-1]


def test_results_made_with_another_network_are_refused(smoke: Path, tmp_path: Path) -> None:
    shutil.copytree(smoke / "runs", tmp_path / "runs")
    nets = tmp_path / "runs/li2022-smoke/nets"
    checkpoints.save(nets / "gcn_4.safetensors", ARCHITECTURES["gcn_4"].build(), "gcn_4", "", {})
    done = run(tmp_path, "li2022", "--scale", "smoke", code=2)
    assert "accuracy.json: made with networks = " in done.stderr.strip().splitlines()[-1]


def test_a_changed_run_does_not_replace_an_unchanged_one(smoke: Path) -> None:
    about = stored_tables(smoke, "li2022")["table_2"]["provenance"]
    folder = smoke / "results/li2022"
    assert may_replace(folder, about)
    assert not may_replace(folder, {**about, "changed": {"match_maps": 1}})
    assert may_replace(folder, {**about, "scale": "quick", "changed": {"match_maps": 1}})


def test_the_paper_scale_has_the_paper_s_numbers() -> None:
    paper = SCALES["paper"]
    assert paper.train == PAPER_TRAIN == (200, 274, 1900)
    assert paper.test == PAPER_TEST == (15, 25, 80)
    assert (paper.local_search_rollouts, paper.match_maps, paper.match_rollouts) == (6400, 250, 200)
    made = games(paper)
    seeds = [made.seed_of(place) for place in made.places]
    assert len(set(seeds)) == len(seeds)  # no map is in two parts


def test_the_accuracy_ceiling_of_known_states() -> None:
    """Counts are [ties, wins, losses]: a state that is always won is always predicted, an even one is not."""
    for predict in (_most_frequent, _mean_read):
        assert _expected([0, 16, 0], predict, leave_out=True) == 1
        assert _expected([16, 0, 0], predict, leave_out=True) == 1
    assert _expected([0, 9, 7], _most_frequent, leave_out=False) == 9 / 16
    assert _expected([0, 8, 8], _most_frequent, leave_out=True) == 0  # the other games always predict the opposite
    assert _expected([0, 9, 7], _mean_read, leave_out=False) == 0  # the mean is near 0: read as a tie
    assert _expected([0, 13, 3], _mean_read, leave_out=True) == 13 / 16
    assert _variance([0, 12, 0]) == _variance([12, 0, 0]) == 0
    assert _variance([0, 6, 6]) == pytest.approx(statistics.variance([1] * 6 + [-1] * 6))


def test_a_report_can_be_rendered_from_its_stored_tables(smoke: Path, tmp_path: Path) -> None:
    check_rendering("li2022", smoke / "results/li2022", tmp_path / "again")
