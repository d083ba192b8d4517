"""The published figures that reports print, compared cell by cell with transcriptions of the papers' tables.

tests/published/ was transcribed from the papers' text alone; the package must print the same beside its own figures.
"""

import itertools
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sandtable import tubstap
from sandtable.conquest.players.soares2025 import Coevolution, Guided, Mcts
from sandtable.papers.kimura2020 import published as kimura2020
from sandtable.papers.kimura2020.matches import OPPONENTS
from sandtable.papers.kimura2020.settings import ATTACK_BONUS, Variant
from sandtable.papers.li2022 import published as li2022
from sandtable.papers.li2022.settings import PAPER_TEST, PAPER_TRAIN
from sandtable.papers.soares2025 import published as soares2025
from sandtable.papers.soares2025.settings import PAPER_SAMPLES
from sandtable.papers.soares2025.settings import Settings as ThesisSettings
from sandtable.papers.takahashi import published as takahashi

Table = dict[str, Any]


def printed(paper: str) -> Table:
    return tomllib.loads((Path(__file__).parent / "published" / f"{paper}.toml").read_text())


def by_column(table: Table, row: str, columns: str = "columns") -> Table:
    """The cells of a row by their columns."""
    return dict(zip(table[columns], table[row], strict=True))


def counts(text: str) -> tuple[int, int, int]:
    wins, losses, ties = map(int, text.split("-"))
    return wins, losses, ties


def turned(row: tuple[int, int, int]) -> tuple[int, int, int]:
    """The same games as the other player counts them."""
    return row[1], row[0], row[2]


# li2022


LI_MAPS = {"random": "random", "symmetric": "symmetric", "local-search": "local_search"}
LI_PLAYERS = {"GCN": "GCN", "CNN_g": "CNN_g", "CNN_i": "CNN_i", "MCTS-200": "MCTS"}


def test_li2022_units_and_terrains() -> None:
    """Tables 1 and 7, as the rules preset has them."""
    paper, rules = printed("li2022"), tubstap.rules("li2022")
    kinds = dict(zip("FAPCRI", tubstap.types.KINDS, strict=True))
    for number, letter in enumerate(kinds):
        cells = by_column(paper["table_1"], letter)
        assert tuple(cells[other] for other in kinds) == rules.power[number], letter
        assert cells["mobility"] == rules.movement[number]
        low, _, high = cells["range"].partition("-")
        assert (int(low), int(high or low)) == rules.range[number]
    seen = set()
    for name in paper["table_7"]:
        if name == "columns":
            continue
        what, *letters = name.split("_")
        for letter, (terrain, value) in itertools.product(letters, by_column(paper["table_7"], name).items()):
            kind, place = list(kinds).index(letter), tubstap.types.TERRAINS.index(terrain)
            if what == "cost":
                assert rules.cost[kind][place] == (0 if value == "-" else value), (letter, terrain)
            else:
                assert (0 if rules.air[kind] else rules.defence[place]) == value, (letter, terrain)
            seen.add((what, letter, terrain))
    assert len(seen) == 2 * 6 * 6


def test_li2022_data_weights_and_accuracy() -> None:
    """Tables 2, 3 and 4, and the games of section 4.2."""
    paper = printed("li2022")
    sets = {"training": "train", "test": "test"}
    for name, ours in sets.items():
        assert by_column(paper["table_2"], name) == li2022.STATES[ours]
        games = {"train": PAPER_TRAIN, "test": PAPER_TEST}[ours]
        assert {LI_MAPS[kind]: n for kind, n in by_column(paper["section_4_2"], name).items()} == games._asdict()
    assert len(li2022.STATES) == len(sets)
    assert {name.lower(): count for name, count in paper["table_3"].items()} == li2022.WEIGHTS
    networks = [name for name in paper["table_4"] if name != "columns"]
    assert {
        name.lower(): {LI_MAPS.get(kind, kind): cell for kind, cell in by_column(paper["table_4"], name).items()}
        for name in networks
    } == li2022.ACCURACY


def test_li2022_matches() -> None:
    """Tables 5 and 6, and section 4.3.1: counts, thinking times, and the ratios that follow from the counts."""
    paper = printed("li2022")
    found: dict[str, tuple[int, int, int]] = {}
    seconds = {}
    for ground, table in (("symmetric", paper["table_5"]), ("local_search", paper["table_6"])):
        pairs = {
            (own, other): counts(cell)
            for own, row in table["counts"].items()
            for other, cell in zip(table["opponents"], row, strict=True)
            if cell != "-"
        }
        for own, other in itertools.permutations(table["opponents"], 2):
            wins, losses, ties = pairs[own, other] if (own, other) in pairs else turned(pairs[other, own])
            share = 100 * (wins + ties / 2) / (wins + losses + ties)
            assert share == pytest.approx(by_column(table, own, "opponents")[other], abs=0.0501), (ground, own, other)
        found |= {f"{ground} {LI_PLAYERS[own]} {LI_PLAYERS[other]}": cell for (own, other), cell in pairs.items()}
        seconds[ground] = {LI_PLAYERS[name]: taken for name, taken in table["seconds"].items()}
    larger = paper["section_4_3_1"]
    found["larger GCN MCTS"] = counts(larger["counts"])
    seconds["larger"] = {LI_PLAYERS[name]: taken for name, taken in larger["seconds"].items()}
    assert found == li2022.MATCHES
    assert seconds == li2022.THINKING


# kimura2020


def test_kimura2020_matches() -> None:
    """Tables 1 and 2. The win rates are the printed ones, which do not always follow from the counts."""
    paper = printed("kimura2020")
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    for row in paper["table_1"]["rows"]:
        opponent, time, blocks, convolution, attack, dropout, *result = row
        assert attack in (0.0, ATTACK_BONUS)
        variant = Variant(time.lower(), blocks, convolution == "SepConv2D", attack > 0, dropout == "Yes")
        found.setdefault(variant.name, {})[opponent] = tuple(result)
    assert {name: tuple(rows[one] for one in OPPONENTS) for name, rows in found.items()} == kimura2020.MAP01
    second = {opponent: tuple(result) for opponent, *result in paper["table_2"]["rows"]}
    assert tuple(second[one] for one in OPPONENTS) == kimura2020.MAP02


def test_one_rate_of_kimura2020_does_not_follow_from_its_counts() -> None:
    odd = []
    for name, rows in (*kimura2020.MAP01.items(), ("Map02", kimura2020.MAP02)):
        for opponent, row in zip(OPPONENTS, rows, strict=True):
            share = 100 * row.wins / (row.wins + row.draws + row.losses)
            if not math.isclose(share, row.rate, abs_tol=0.0501):
                odd.append((name, opponent, round(share, 1), row.rate))
    assert odd == [("long-sep-8-no-attack", "MCTS", 46.2, 48.0)]  # 52 games, where all others have 50 or 150


# takahashi


def test_takahashi_accuracy_and_states() -> None:
    """Table 1, and the states of section 5.2."""
    paper = printed("takahashi")
    models = [name for name in paper["table_1"] if name != "columns"]
    assert {name.lower(): by_column(paper["table_1"], name) for name in models} == takahashi.ACCURACY
    names = {"all": "total", "win": "win", "loss": "loss", "draw": "tie"}
    kinds = [name for name in paper["section_5_2"] if name != "columns"]
    states = {kind: {names[k]: n for k, n in by_column(paper["section_5_2"], kind).items()} for kind in kinds}
    assert states == takahashi.STATES
    assert all(2 * one["total"] == sum(one.values()) for one in states.values())


# soares2025


LANDS = {"custom": "simple", "banana": "banana", "owl_island": "owl_island", "italy": "italy", "overall": "all"}
AGENTS = {"guided": "guided", "ga_policy": "GA + policy", "ga": "GA", "vanilla": "MCTS"}


def test_soares2025_samples_and_evaluations() -> None:
    """Tables 5.3 to 5.8."""
    paper = printed("soares2025")
    earlier = dict.fromkeys(LANDS.values(), 0)
    for iteration in (1, 2, 3):
        turns = dict(paper[f"table_5_{2 * iteration + 1}"])
        assert turns.pop("total") == sum(turns.values())
        samples = {LANDS[land]: n for land, n in turns.items()}
        assert samples == soares2025.SAMPLES[iteration]
        assert {land: n - earlier[land] for land, n in samples.items()} == PAPER_SAMPLES[iteration - 1]._asdict()
        earlier |= samples
        scores = paper[f"table_5_{2 * iteration + 2}"]
        assert scores["columns"][1] == "baseline"
        rows = {LANDS[land]: row for land, row in scores.items() if land != "columns"}
        assert {land: row[0] for land, row in rows.items()} == soares2025.AGAINST_PREVIOUS[iteration]
        assert {land: row[1] for land, row in rows.items()} == soares2025.AGAINST_BASELINE[iteration]
    assert set(soares2025.SAMPLES) == set(soares2025.AGAINST_PREVIOUS) == set(soares2025.AGAINST_BASELINE) == {1, 2, 3}


def test_soares2025_tournaments() -> None:
    """Tables 5.11 to 5.14, and the sums of section 5.3.2."""
    paper = printed("soares2025")
    for iteration, number in ((2, 11), (3, 13)):
        by_map, by_pair = paper[f"table_5_{number}"], paper[f"table_5_{number + 1}"]
        assert {
            AGENTS[agent]: {LANDS[land]: cell for land, cell in by_column(by_map, agent).items()}
            for agent in by_map
            if agent != "columns"
        } == soares2025.TOURNAMENT[iteration]
        pairs = {
            (AGENTS[agent], AGENTS[other]): cell
            for agent in AGENTS
            for other, cell in by_column(by_pair, agent).items()
            if other != agent
        }
        assert all(cell + pairs[other, one] == pytest.approx(100) for (one, other), cell in pairs.items())
        ours = soares2025.PAIRS[iteration]
        assert {pair: pairs[pair] for pair in ours} == ours
        assert len(pairs) == 2 * len(ours)
    sums = paper["sections"]
    assert sums["policy_over_ga"] == soares2025.POLICY_OVER_GA
    assert sums["guided_over_policy"] == soares2025.GUIDED_OVER_POLICY
    assert sums["games_of_a_pair_on_a_map"] == soares2025.TOURNAMENT_GAMES == ThesisSettings().tournament_games
    assert sums["games_of_an_evaluation_on_a_map"] == ThesisSettings().evaluation_games


def test_soares2025_parameters() -> None:
    """Tables 5.1, 5.2, 5.9 and 5.10 are the defaults of the players and of the training."""
    paper, settings = printed("soares2025"), ThesisSettings()
    vanilla: Any = Mcts()
    guided: Any = Guided()
    training, tournament, genetic = (paper[f"table_5_{number}"] for number in (1, 9, 10))
    assert training["iterations"] == [settings.vanilla_iterations, settings.guided_iterations]
    assert training["iterations"] == [vanilla.settings.iterations, guided.settings.iterations]
    for table in (training, tournament):
        assert table["max_rollout_depth"][0] == vanilla.rollout_levels
        assert table["policy_trust"] == ["N/A", guided.trust]
    learning = paper["table_5_2"]
    ours = (settings.learning_rate, settings.batch, settings.epochs)
    assert (learning["learning_rate"], learning["batch_size"], learning["epochs"]) == ours
    population: Any = Coevolution()
    assert genetic["population_size"] == [population.population] * 2
    assert genetic["elites_size"] == [population.elites] * 2
    assert genetic["sampled_individuals"] == ["N/A", population.sampled]
