"""The readings of li2022: options of a run, and the stages that compare them."""

import collections
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from sandtable import tubstap
from sandtable.arena import Record
from sandtable.cli.reproduce import _changed
from sandtable.learn import samples
from sandtable.nets import ARCHITECTURES, read_card
from sandtable.papers import games as paper_games
from sandtable.papers.li2022 import STAGES, data, readings, readings_compose, readings_data, readings_training
from sandtable.papers.li2022.settings import NETWORKS, SCALES, Maps, Settings
from sandtable.papers.run import Run, RunError
from sandtable.papers.training import weights

TINY = dataclasses.replace(
    SCALES["smoke"], train=Maps(1, 1, 3), test=Maps(1, 1, 1), match_maps=1, max_epochs=1, local_search_rollouts=20
)
SETTINGS = dataclasses.replace(SCALES["smoke"], readings_max_epochs=1)
SECOND = dataclasses.replace(TINY, quiet_limit=40, data_games="last", layer="kernel", inputs="raw", planes="text")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Run(tmp_path_factory.mktemp("readings"), workers=1) as made:
        yield made


# Options.


def test_the_defaults_are_the_first_readings() -> None:
    """An option at its default is not stored, so that runs from before there were options continue."""
    plain = Settings()
    preset = tubstap.rules("li2022")
    assert data.rules(plain) is preset
    assert [plain.architecture(network).name for network in NETWORKS] == list(NETWORKS)
    assert not {"quiet_limit", "data_games", "layer", "inputs", "planes"} & set(plain.only(*vars(plain)))
    assert plain.only("batch", "layer") == {"batch": 256}
    changed = dataclasses.replace(plain, layer="kernel", quiet_limit=40)
    assert changed.only("batch", "layer", "planes") == {"batch": 256, "layer": "kernel"}
    other = data.rules(changed)
    assert (other.quiet_limit, other.name) == (40, "li2022*")
    assert other.replace(quiet_limit=20).digest == preset.digest != other.digest


def test_options_can_be_set_by_name() -> None:
    changes = ["quiet_limit=40", "data_games=last", "layer=kernel", "inputs=raw", "planes=text"]
    assert _changed(TINY, changes) == SECOND
    names = [SECOND.architecture(network).name for network in NETWORKS]
    assert names == ["cnn_i_text_raw", "cnn_g_raw", "gcn_4_kernel_raw", "gcn_32_kernel_raw"]


def test_a_run_with_the_second_readings(tmp_path: Path) -> None:
    with Run(tmp_path) as own:
        STAGES["training"](own, SECOND)
        for network in NETWORKS:
            card = read_card(weights(own, network))
            assert card.architecture == SECOND.architecture(network).name
            assert card.rules == data.rules(SECOND).digest
        made = data.games(SECOND)
        maps = [paper_games.parsed("tubstap", one["map"]) for one in STAGES["maps"](own, SECOND)]
        for place, map, line in zip(made.places, maps, STAGES["games"](own, SECOND), strict=True):
            record = Record.from_line(line)
            record.verify()
            assert isinstance(record.start, tubstap.State)
            assert record.start.scenario == map
            assert map.rules.quiet_limit == 40
            seed = made.seed_of(place)
            if place.kind == "local_search":
                played = tubstap.maps.local_search_with_game(seed, rollouts=20, rules=map.rules)
                assert record.moves == tuple(played.moves)
            else:
                fresh = paper_games.fresh_game("tubstap", json.loads(tubstap.jsonmap.format(map)), made.player, seed)
                assert line == fresh
        with pytest.raises(RunError, match=r"maps\.jsonl: made with data_games = 'last', not None"):
            STAGES["maps"](own, dataclasses.replace(SECOND, data_games="fresh"))


# The games that the readings are compared on.


def test_maps_have_the_paper_s_proportions() -> None:
    paper = SCALES["paper"]
    counts = collections.Counter(place.kind for place in readings_data.places(paper))
    assert counts == {"random": 40, "symmetric": 60, "local_search": 400}
    for kind, train in zip(counts, paper.train, strict=True):
        assert counts[kind] / counts.total() == pytest.approx(train / sum(paper.train), abs=0.01)


def test_data_sets_differ_only_in_their_factors(run: Run) -> None:
    made = readings_data.make_readings_data(run, SETTINGS)
    assert {one.name for one in made} == {"fresh-20", "last-20", "fresh-40", "last-40"}
    kinds = [place.kind for place in readings_data.places(SETTINGS)]
    for limit in (20, 40):
        fresh, last = (made[readings_data.DataSet(limit, kind)] for kind in ("fresh", "last"))
        for kind, *lines in zip(kinds, fresh, last, strict=True):
            for line in lines:
                Record.from_line(line).verify()
            starts = [_scenario(line) for line in lines]
            assert starts[0] == starts[1]  # on the same map
            assert starts[0].rules.quiet_limit == limit
            assert (lines[0] == lines[1]) == (kind != "local_search")
    for kind, *lines in zip(kinds, *(made[readings_data.DataSet(limit, "fresh")] for limit in (20, 40)), strict=True):
        first, second = map(_scenario, lines)
        if kind != "local_search":
            assert first.units == second.units
    assert _scenario(made[readings_data.DATA_SETS[0]][0]).rules == tubstap.rules("li2022")


def _scenario(line: str) -> tubstap.Scenario:
    start = Record.from_line(line).start
    assert isinstance(start, tubstap.State)
    return start.scenario


# Networks.


def test_every_network_of_the_factorial_design_exists() -> None:
    assert set(readings_training.ARCHITECTURE_NAMES) <= set(ARCHITECTURES)
    assert len(set(readings_training.ARCHITECTURE_NAMES)) == 4 + 1 + 2 + 4
    for contrast in readings.CONTRASTS:
        assert {contrast.first, contrast.second} <= set(readings_training.ARCHITECTURE_NAMES)
        assert contrast.first != contrast.second
    assert len(set(readings_compose.READINGS)) == 32
    used = {
        reading.architecture(network) for reading in readings_compose.READINGS for network in readings_compose.NETWORKS
    }
    assert used | {"gcn_32_kernel"} == set(readings_training.ARCHITECTURE_NAMES)


def test_every_game_is_tested_once_by_every_network(run: Run) -> None:
    results = readings_training.train_readings(run, SETTINGS)
    made = readings_data.make_readings_data(run, SETTINGS)
    for one, networks in results.items():
        sizes = [len(samples.positions(Record.from_line(line))[0]) for line in made[one]]
        assert set(networks) == set(readings_training.ARCHITECTURE_NAMES)
        for folds in networks.values():
            assert len(folds) == SETTINGS.readings_folds
            tested = [(game, found) for fold in folds.values() for game, found in fold.items()]
            assert sorted(game for game, _ in tested) == list(range(len(sizes)))
            for game, found in tested:
                assert found.states == sizes[game]
                assert 0 <= found.right <= found.states
                assert 0 <= found.squared_error <= 4 * found.states


def test_tested_games_are_not_trained_on(tmp_path: Path) -> None:
    """Replacing a tested game changes only its own result; replacing a training game changes all predictions."""
    lines = [paper_games.fresh_game("tubstap", _map(seed), "uct(simulations=5)", seed) for seed in range(8)]
    tested, learnt = (
        [*lines[:place], paper_games.fresh_game("tubstap", _map(99), "uct(simulations=5)", 9), *lines[place + 1 :]]
        for place in (2, 3)
    )
    found = []
    for number, own in enumerate((lines, tested, learnt)):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join(f"{line}\n" for line in own))
        result = readings_training._tested_fold(path, "gcn_4", 0, SETTINGS)
        found.append({game: own for game, *own in result["games"]})
    assert [set(one) for one in found] == [{0, 2, 4, 6}] * 3
    for game in (0, 4, 6):
        assert found[0][game] == found[1][game]
        assert found[0][game] != found[2][game]
    assert found[0][2] != found[1][2]


def _map(seed: int) -> Any:
    return paper_games.generated_map("tubstap", "symmetric", seed, {})


def test_figures_are_means_over_states_and_differences_of_them(run: Run) -> None:
    results = readings_training.train_readings(run, SETTINGS)
    found = readings.compare_readings(run, SETTINGS)

    def mean(chosen: list[tuple[readings_data.DataSet, str]], measure: str) -> float:
        games = [tested for one, name in chosen for fold in results[one][name].values() for tested in fold.values()]
        total = sum(tested.right if measure == "accuracy" else tested.squared_error for tested in games)
        return total / sum(tested.states for tested in games)

    every = list(readings_data.DATA_SETS)
    for measure in ("accuracy", "error"):
        for one in every:
            for name, level in found[measure]["levels"][one.name].items():
                assert level["value"] == pytest.approx(mean([(one, name)], measure))
        for contrast, differences in zip(readings.CONTRASTS, found[measure]["networks"], strict=True):
            for column, chosen in ({one.name: [one] for one in every} | {"all": every}).items():
                expected = [mean([(one, name) for one in chosen], measure) for name in contrast[1:]]
                assert differences[column][0] == pytest.approx(expected[0] - expected[1])
        for name, (first, second) in readings.DATA_CONTRASTS.items():
            assert (first.quiet_limit == second.quiet_limit) != (first.data_games == second.data_games)
            for row, names in {"cnn_g": ["cnn_g"], "all": list(readings_training.ARCHITECTURE_NAMES)}.items():
                expected = [mean([(one, network) for network in names], measure) for one in (first, second)]
                assert found[measure]["data"][name][row][0] == pytest.approx(expected[0] - expected[1])
