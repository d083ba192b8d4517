"""Learning curves of li2022: games, trainings, tables; and what its own tables leave unexplained."""

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

from sandtable import _core
from sandtable.arena import Record
from sandtable.errors import SandtableError
from sandtable.learn import samples
from sandtable.nets.architectures import POLICIES
from sandtable.papers.li2022 import STAGES, compose, learning_curves, published
from sandtable.papers.li2022.learning_curves_report import CONTRASTS, SHOWN
from sandtable.papers.li2022.settings import KINDS, PAPER_TEST, PAPER_TRAIN, SCALES, CurveSizes
from sandtable.papers.li2022.token_values import SHAPE, TokenEncoder, TokenValues
from sandtable.papers.li2022.unexplained import ROUNDING, mix_table, possible_shares
from sandtable.papers.run import Run, RunError
from sandtable.papers.stored import read

SETTINGS = SCALES["smoke"]
RULE, FIRST_RULE = learning_curves.RULES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the learning curves alone."""
    made = tmp_path_factory.mktemp("curves")
    with Run(made / "run", results=made / "results", workers=1) as run:
        STAGES["curves_report"](run, SETTINGS)
    return made


@pytest.fixture
def run(folder: Path) -> Any:
    with Run(folder / "run", workers=1) as made:
        yield made


def records(files: list[Path]) -> list[Record]:
    return [Record.from_line(line) for path in files for line in path.read_text().splitlines()]


def test_curve_sizes_and_repeats_at_the_paper_s_scale() -> None:
    paper = SCALES["paper"]
    assert learning_curves.sizes(paper, RULE) == [300, 1000, 3000, 10_000]
    assert learning_curves.sizes(paper, FIRST_RULE) == [1000, 3000]
    assert [learning_curves.repeats(paper, RULE, size) for size in (300, 1000, 3000, 10_000)] == [3, 3, 3, 1]
    assert paper.curve_rollouts == 1600
    counts = Counter(learning_curves.kind_of(number) for number in range(1000))
    for kind, maps in zip(KINDS, PAPER_TRAIN, strict=True):
        assert counts[kind] / 1000 == pytest.approx(maps / sum(PAPER_TRAIN), abs=0.01)


def test_test_games_are_held_out_and_keep_their_rule(run: Run) -> None:
    played = learning_curves.play_curve_games(run, SETTINGS)
    for rule, found in played.items():
        learnt, test = records(found.learnt), records([found.test])
        assert len(learnt) == learning_curves.sizes(SETTINGS, rule)[-1]
        assert len(test) == SETTINGS.curve_test_games
        starts: Any = [one.start for one in (*learnt, *test)]
        assert {state.scenario.rules.quiet_limit for state in starts} == {rule}
        assert len({state.scenario for state in starts}) == len(starts)
        for record in learnt:
            record.verify()


def test_repeats_are_trained_on_different_games(run: Run) -> None:
    played = learning_curves.play_curve_games(run, SETTINGS)[RULE]
    size = SETTINGS.curve_sizes.least
    assert learning_curves.repeats(SETTINGS, RULE, size) == 2
    chosen = [learning_curves._chosen(played.learnt, learning_curves.Training("cnn_i", size, n)) for n in range(2)]
    assert [len(lines) for lines in chosen] == [size, size]
    assert not set(chosen[0]) & set(chosen[1])


def test_figures_are_means_over_trainings_and_states(folder: Path, run: Run) -> None:
    results = learning_curves.train_curves(run, SETTINGS)
    found = read(folder / "results/curves", "li2022")
    size = SETTINGS.curve_sizes.least
    for network, shown in SHOWN.items():
        own = [tested for one, tested in results[RULE].items() if (one.network, one.size) == (network, size)]
        assert len(own) == 2
        for table, key, factor in (("curve_accuracy", "right", 100), ("curve_error", "error", 1)):
            mean = factor * sum(sum(one[key]) for one in own) / sum(sum(one["states"]) for one in own)
            assert found[table].number(shown, f"{size} games") == pytest.approx(mean)
    for contrast in CONTRASTS:
        first, second = (
            found["curve_error"].number(SHOWN[one], f"{size} games") for one in (contrast.better, contrast.worse)
        )
        apart = found["curve_error_differences"].number(contrast.name, f"{size} games")
        assert apart == pytest.approx(first - second)
    assert set(results[FIRST_RULE]) == {
        learning_curves.Training(network, size, 0) for network in learning_curves.FIRST_RULE_NETWORKS for size in (2,)
    }


def test_the_ceiling_is_drawn_in_the_figure(folder: Path) -> None:
    found = read(folder / "results/curves", "li2022")
    figure = found.figures["learning_curves"]
    assert figure.log_x
    for words, column in (("at least", "from the other games"), ("at most", "from all games")):
        value = found["curve_ceiling"].number("perfect value network", column)
        assert set(figure.lines[f"perfect value network, {words}"][1]) == {value}
    assert figure.draw().startswith(b"\x89PNG")


def test_a_report_on_one_size_compares_no_sizes(folder: Path) -> None:
    """There is no smaller one to compare it with."""
    stored = read(folder / "results/curves", "li2022")
    network, *_, most = stored["curve_accuracy"].columns
    accuracy = stored["curve_accuracy"].only(network, most)
    report = compose(dataclasses.replace(stored, tables={**stored.tables, "curve_accuracy": accuracy}))
    said = next(part for part in report.summary if part.startswith(f"With {most}"))
    assert "a perfect value network would score between" in said
    assert "the accuracies change by" not in said


def test_adding_sizes_keeps_finished_trainings(folder: Path, run: Run) -> None:
    before = {path: path.read_bytes() for path in (folder / "run").glob("curve_training-*.jsonl")}
    more = dataclasses.replace(SETTINGS, curve_sizes=CurveSizes(2, 2, 3, 4))
    learning_curves.train_curves(run, more)
    assert (folder / "run/curve_training-40-3.jsonl").exists()
    assert before == {path: path.read_bytes() for path in before}
    (folder / "run/curve_training-40-3.jsonl").unlink()


def test_games_made_with_other_settings_are_refused(folder: Path) -> None:
    with (
        Run(folder / "run", workers=1) as run,
        pytest.raises(RunError, match=r"curve_games-40-0-4\.jsonl: made with curve_rollouts = 20, not 30"),
    ):
        learning_curves.play_curve_games(run, dataclasses.replace(SETTINGS, curve_rollouts=30))


def positions(run: Run) -> list[Any]:
    played = learning_curves.play_curve_games(run, SETTINGS)[RULE]
    return [state for record in records(played.learnt) for state in samples.positions(record)[0]]


def test_the_token_network_agrees_with_the_player_s_network(run: Run) -> None:
    states = positions(run)[-30:]
    written = torch.from_numpy(TokenEncoder().encode(states))
    assert written.shape == (30, *SHAPE)
    module = TokenValues().eval()
    own: Any = POLICIES["tokens_64"].build().eval()
    module.layers.load_state_dict(own.state_dict())
    for place, state in enumerate(states):
        arrays, *_ = _core.tubstap.encode_policy("tokens", [state])
        result, *_ = own.everything(*map(torch.from_numpy, arrays))
        assert torch.allclose(module.logits(written[place : place + 1]), result, atol=1e-5)


def test_token_encodings_do_not_depend_on_the_batch(run: Run) -> None:
    states = positions(run)
    whole = TokenEncoder().encode(states)
    for place in (0, len(states) // 2, len(states) - 1):
        alone = TokenEncoder().encode([states[place]])[0]
        assert (alone == whole[place]).all()


def test_the_published_overall_accuracy_needs_an_unusual_mixture_of_states() -> None:
    shares = possible_shares()
    assert shares["local_search"].low == pytest.approx(0.865, abs=0.002)
    assert shares["symmetric"].high == pytest.approx(0.081, abs=0.002)
    # A mixture with possible shares gives the published overall accuracies.
    low, high = shares["random"]
    mixed = {"random": (low + high) / 2, "symmetric": 0.02}
    mixed["local_search"] = 1 - sum(mixed.values())
    for row in published.ACCURACY.values():
        assert sum(mixed[kind] * row[kind] for kind in KINDS) == pytest.approx(row["overall"], abs=0.5)
    table = mix_table({"random": 20.0})
    total = published.STATES["test"]["total"]
    for (kind, found), maps in zip(shares.items(), PAPER_TEST, strict=True):
        assert table.number(kind, "least states a map") == pytest.approx(found.low * total / maps)
    assert table.number("random", "states a map here") == 20
    assert ROUNDING == 0.05


def test_without_curves_there_is_no_report_on_them(tmp_path: Path) -> None:
    none = dataclasses.replace(SETTINGS, curve_repeats=0)
    with Run(tmp_path / "run", workers=1) as run:
        assert learning_curves.train_curves(run, none) == {}
        with pytest.raises(SandtableError, match="curve_repeats=0: there are no learning curves to report"):
            STAGES["curves_report"](run, none)
    assert not list((tmp_path / "run").glob("curve*"))
