"""kimura2020 from self-play to its report, at the smallest scale, and the published figures beside ours."""

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from sandtable.errors import SandtableError
from sandtable.nets import checkpoints
from sandtable.nets.architectures import POLICIES
from sandtable.nets.evaluators import locate
from sandtable.papers.kimura2020 import SCALES, published, seeds
from sandtable.papers.kimura2020.claims import EFFECTS, LONG
from sandtable.papers.kimura2020.compose import FIGURES
from sandtable.papers.kimura2020.report import figures, wins
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, VARIANTS
from support.commands import sandtable
from support.paper_runs import stored_table
from support.report_rendering import check_rendering


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return sandtable("reproduce", "kimura2020", "--scale", "smoke", *arguments, cwd=folder)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the smoke scale has been run to its end."""
    folder = tmp_path_factory.mktemp("kimura2020")
    done = run(folder, "--workers", 1)
    assert done.stdout == "results/kimura2020/report.html\n"
    return folder


def test_the_papers_numbers_are_the_defaults() -> None:
    paper = SCALES["paper"]
    assert (paper.games, paper.simulations, paper.match_games, paper.long_match_games) == (500, 500, 50, 150)
    assert (paper.playouts, paper.mcts_simulations) == (100, 2000)
    recipe = paper.recipe(VARIANTS[2])
    assert (recipe.network.architecture, recipe.network.dropout) == ("kimura_sep_8_affine", 0.3)
    assert (recipe.search.c, recipe.search.attack_bonus) == (0.8, ATTACK_BONUS)
    learning = recipe.learning
    assert (learning.batch, learning.optimiser, learning.l2, learning.weight_decay) == (128, "sgd", 1e-4, 0.0)
    assert paper.games * paper.updates_per_game == 5000


def test_the_first_readings_give_the_recipe_of_the_shipped_net() -> None:
    """A setting at its first reading is not stored, so that runs from before there was a choice continue."""
    first = dataclasses.replace(
        SCALES["paper"], policy_head="convolution", regularisation="decay", training_maps="random"
    )
    readings = ("policy_head", "policy_loss", "regularisation", "training_maps")
    assert first.only("seed", *readings) == {"seed": 2020}
    assert SCALES["paper"].only(*readings) == {
        "policy_head": "affine",
        "regularisation": "loss",
        "training_maps": "even",
    }
    assert SCALES["paper"].only("training_maps") == {"training_maps": "even"}
    shipped = checkpoints.read_card(locate("kimura2020_short")).training["recipe"]
    assert json.loads(json.dumps(first.recipe(VARIANTS[2]).about())) == shipped
    with pytest.raises(SandtableError, match="policy_head must be affine or convolution"):
        dataclasses.replace(first, policy_head="other")


def test_published_counts_add_up_to_the_number_of_games() -> None:
    assert set(published.MAP01) < {variant.name for variant in VARIANTS}
    for name, rows in published.MAP01.items():
        assert [sum(row[:3]) for row in rows] in ([50, 50], [150, 150], [50, 52]), name


def test_win_rates_count_wins_only() -> None:
    # Our counts are wins, losses, draws; the paper's are wins, draws, losses. Its rate is the printed one, even if its
    # counts give another.
    cell = wins([30, 15, 5], published.MAP01["long-sep-8-no-attack"][1])
    assert (cell.value, cell.counts, cell.n) == (60.0, (30, 15, 5), 50)
    assert (cell.published, cell.published_counts, cell.published_games) == (48.0, (24, 26, 2), 52)


def test_every_table_and_picture_is_written(smoke: Path) -> None:
    rows = stored_table(smoke, "kimura2020", "table_1")["rows"]
    assert [row[0]["value"] for row in rows] == [variant.name for variant in VARIANTS]
    assert all(row[-1]["low"] is not None for row in rows)
    assert [row[-1]["published"] for row in rows] == [6.0, 26.0, 22.0, 40.0, 48.0, 12.0, 85.3, None]
    for name in (
        "table_2",
        "untrained",
        "effects",
        "seeds",
        "seed_effects",
        "alternatives",
        "trainings",
        "graph",
        "thinking",
        "memory",
        "fast",
        "turns",
    ):
        assert stored_table(smoke, "kimura2020", name)["rows"], name
    for picture in ("figure_6_total", "figure_7_policy", "figure_8_value", "figure_9_convolutions", "fast"):
        assert (smoke / f"results/kimura2020/{picture}.png").read_bytes()[:4] == b"\x89PNG", picture


def test_untrained_networks_stand_beside_the_paper_s_trained_ones(smoke: Path) -> None:
    table = stored_table(smoke, "kimura2020", "untrained")
    assert [row[0]["value"] for row in table["rows"]] == [
        *("untrained-sep-4", "untrained-sep-6", "untrained-sep-8", "untrained-conv-6", "untrained-sep-8-no-attack")
    ]
    assert [row[1]["published"] for row in table["rows"]] == [14.0, 36.0, 32.0, 34.0, None]
    assert all(cell["n"] == 2 for row in table["rows"] for cell in row[1:])
    assert "of the 8 that the paper has for the same networks after its short training" in table["said"]
    nets = smoke / "runs/kimura2020-smoke/nets"
    cards = [checkpoints.read_card(nets / f"{name}-sep-8.safetensors") for name in ("untrained", "short")]
    assert cards[0].sha256 != cards[1].sha256
    assert cards[0].training == {"seed": 2020, "games": 0}


def curve(scale: float) -> dict[str, Any]:
    losses = ("total_loss", "policy_loss", "value_loss")
    rows = [{"updates": 10 * i} | {name: scale * (k + 1) / (i + 1) for k, name in enumerate(losses)} for i in range(5)]
    return {"curve": [{"games": 0}, *rows]}


def test_a_figure_with_missing_curves_is_not_drawn() -> None:
    every = {name: curve(i + 1) for i, name in enumerate(("short-sep-4", "short-sep-6", "short-sep-8", "short-conv-6"))}
    drawn = figures(every)
    assert [one.name for one in drawn] == list(FIGURES)
    assert len({one.draw() for one in drawn}) == 4
    for one in drawn:
        assert set(one.lines) == set(FIGURES[one.name].networks)
    assert figures({"short-sep-8": every["short-sep-8"]}) == []
    never_updated = {"curve": [{"games": 4, "updates": 0}]}
    assert [one.name for one in figures(every | {"short-conv-6": never_updated})] == list(FIGURES)[:3]


def test_seed_tables_are_means_over_trainings_and_their_differences(smoke: Path) -> None:
    """The paper's scale has three seeds. Figures of the tables are means over trainings and differences of these."""
    assert SCALES["paper"].training_seeds == 3
    rates = {row[0]["value"]: row for row in stored_table(smoke, "kimura2020", "seeds")["rows"]}
    matches = [
        json.loads((smoke / f"runs/kimura2020-smoke/{name}.json").read_text())["value"]
        for name in ("matches", "seed_matches")
    ]
    for name, row in rates.items():
        for place, opponent in ((1, "PMC"), (2, "MCTS")):
            games = [
                found[f"Map01 {one} {opponent}"]["counts"]
                for found, one in zip(matches, (name, f"{name}-seed-1"), strict=True)
            ]
            each = [100 * counts[0] / sum(counts) for counts in games]
            assert row[place]["value"] == pytest.approx(sum(each) / 2)
            assert row[place + 2]["value"] == " / ".join(f"{rate:.0f}" for rate in each)
    effects = {row[0]["value"]: row for row in stored_table(smoke, "kimura2020", "seed_effects")["rows"]}
    claimed = [f"{own} - {without}" for _, own, without in EFFECTS if own != LONG]
    assert list(effects) == claimed
    findings = {row[0]["value"]: row for row in stored_table(smoke, "kimura2020", "findings")["rows"]}
    for claim, own, without in EFFECTS:
        if own != LONG:
            row, shown = effects[f"{own} - {without}"], findings[f"{claim}, against PMC"]
            assert row[1]["value"] == pytest.approx(rates[own][1]["value"] - rates[without][1]["value"])
            assert shown[1]["value"] == row[1]["value"]
            assert shown[2]["value"] == row[2]["value"]
    nets = {checkpoints.read_card(path).sha256 for path in (smoke / "runs/kimura2020-smoke/nets").glob("*sep-8*.json")}
    assert len(nets) > 5


def test_the_variance_of_trainings_is_at_least_that_of_their_games() -> None:
    counts = [[30, 15, 5], [30, 20, 0], [30, 0, 20]]
    found = seeds._estimate(counts)
    assert found.mean == 60
    assert found.variance == pytest.approx(1e4 * (91 / 152) * (61 / 152) * 3 / 150)
    assert seeds._estimate([[50, 0, 0], [0, 50, 0]]).variance == pytest.approx(5000)


def test_each_alternative_reading_differs_in_one_setting(smoke: Path) -> None:
    rows = stored_table(smoke, "kimura2020", "alternatives")["rows"]
    assert [row[1]["value"] for row in rows] == ["as in Table 1", "policy_head=convolution", "training_maps=random"]
    run_folder = smoke / "runs/kimura2020-smoke/nets"
    recipes = [checkpoints.read_card(run_folder / f"{row[0]['value']}.safetensors").training["recipe"] for row in rows]
    for other, part in zip(recipes[1:], ("network", "maps"), strict=True):
        assert {key for key in other if other[key] != recipes[0][key]} == {"name", part}
    said = stored_table(smoke, "kimura2020", "alternatives")["said"]
    assert "The network's win rate minus the paper's is " in said


def test_the_report_states_how_long_the_long_training_is(smoke: Path) -> None:
    said = stored_table(smoke, "kimura2020", "table_1")["said"]
    assert "The long training has 4 games, 1.0 times as many as the short one, and took " in said
    assert SCALES["paper"].long_games >= 5 * SCALES["paper"].games


def test_measured_memory_is_mostly_activations(smoke: Path) -> None:
    """What autograd keeps for the backward pass, counted one tensor at a time, is most of what a pass needs."""
    rows = {row[0]["value"]: row for row in stored_table(smoke, "kimura2020", "memory")["rows"]}
    for name, (_, weights, megabytes, milliseconds) in rows.items():
        module = POLICIES[name].build()
        kept: dict[int, int] = {}

        def keep(tensor: torch.Tensor, kept: dict[int, int] = kept) -> torch.Tensor:
            kept[tensor.data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            outputs = module(torch.rand(128, 5, 6, 6))
        parameters = {one.data_ptr(): one.numel() for one in module.parameters()}
        activations = sum(size for place, size in kept.items() if place not in parameters) / 2**20
        assert activations > 30
        assert outputs[0].shape == (128,)
        assert weights["value"] == sum(parameters.values())
        assert 0.7 * activations < megabytes["value"] < 2 * activations + 12 * weights["value"] / 2**20, name
        assert milliseconds["value"] > 0
    plain, separable = rows["kimura_conv_8_affine"], rows["kimura_sep_8_affine"]
    assert plain[1]["value"] > 2 * separable[1]["value"]


def test_networks_have_cards(smoke: Path) -> None:
    for variant in VARIANTS:
        card = checkpoints.read_card(smoke / f"runs/kimura2020-smoke/nets/{variant.name}.safetensors")
        assert card.architecture == SCALES["smoke"].architecture(variant.blocks, variant.separable)
        assert card.training["games"] == 4


def test_a_finished_run_trains_nothing_again(smoke: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (smoke / "runs").rglob("*.safetensors")}
    run(smoke, "--workers", 1)
    assert {path: path.stat().st_mtime_ns for path in (smoke / "runs").rglob("*.safetensors")} == before


def test_networks_without_training_games_are_not_trained(tmp_path: Path) -> None:
    run(tmp_path, "--set", "plain_games=0", "--set", "long_games=0", "--until", "training", "--workers", 2)
    trained = {path.stem for path in (tmp_path / "runs/kimura2020-smoke/nets").glob("*.json")}
    assert trained == {v.name for v in VARIANTS if v.time == "short" and v.separable}


def test_a_report_can_be_rendered_from_its_stored_tables(smoke: Path, tmp_path: Path) -> None:
    check_rendering("kimura2020", smoke / "results/kimura2020", tmp_path / "again")
