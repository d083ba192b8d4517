"""Map suites: positions match their measurements and are fair by them, and the frozen suite needs a reason."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sandtable as st
from sandtable.arena import suite_search, suites
from sandtable.arena.grounds import grounds
from sandtable.arena.store import Store
from sandtable.arena.suites import (
    NAMES,
    USES,
    Entry,
    FirstSeat,
    Source,
    Suite,
    SuiteError,
    file_of,
    suite,
    suites_there,
)
from sandtable.arena.tournament import make, read, run
from sandtable.cli import app
from sandtable.errors import TournamentError


@pytest.fixture(autouse=True)
def small_suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replace the shipped suites by two with two positions of each game and an invented fairness."""
    monkeypatch.setattr(suites, "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    suite.cache_clear()
    for seed, name in enumerate(NAMES):
        sources = {
            "tubstap": [
                Source("tubstap", "varied", {"seed": seed, "size": 6}),
                Source("tubstap", "varied", {"seed": seed, "size": 9}),
            ],
            "conquest": [
                Source("conquest", "simple", None, seed),
                Source("conquest", "planar", {"seed": seed, "territories": 8}, seed),
            ],
        }
        for game, own in sources.items():
            entries = tuple(
                Entry(f"{name}-{game}-{i + 1:02}", source, source.digest, FirstSeat(19, 20, 1), seed)
                for i, source in enumerate(own)
            )
            measured = {"player": suite_search.methods()[game].player, "games": 40}
            (tmp_path / file_of(name, game)).write_text(Suite(name, game, measured, entries).to_json())
    yield
    suite.cache_clear()


def test_a_suite_is_read_as_it_was_written(tmp_path: Path) -> None:
    for found in (part for name in NAMES for part in suites_there(name)):
        assert found.to_json() == (tmp_path / file_of(found.name, found.game)).read_text()
        for entry in found.entries:
            entry.verify()
            assert entry.name.startswith(f"{found.name}-{found.game}-")
            assert entry.source.game == found.game


def test_a_missing_suite_is_reported_with_the_command_that_makes_it(tmp_path: Path) -> None:
    (tmp_path / file_of("frozen", "conquest")).unlink()
    with pytest.raises(SuiteError, match="sandtable suite make frozen --game conquest"):
        suite("frozen", "conquest")
    assert [part.game for part in suites_there("frozen")] == ["tubstap"]


def test_a_changed_generator_is_noticed() -> None:
    entry = dataclasses.replace(suite("dev", "tubstap").entries[0], digest="0" * 16)
    with pytest.raises(SuiteError, match=r"dev-tubstap-01: varied now gives .* not 0000000000000000"):
        entry.verify()


def test_fairness_is_a_share_of_games_with_few_draws() -> None:
    assert suite_search.is_fair(FirstSeat(14, 26, 0))
    assert suite_search.is_fair(FirstSeat(10, 10, 20))
    assert not suite_search.is_fair(FirstSeat(13, 27, 0))
    assert not suite_search.is_fair(FirstSeat(27, 13, 0))
    assert not suite_search.is_fair(FirstSeat(9, 10, 21))


def test_a_measurement_stops_when_the_seat_decides() -> None:
    """Red's three infantry at full strength against one with 1 HP: forty games are not needed."""
    scenario = st.tubstap.maps.skirmish(1, red=3, blue=1)
    units = tuple(unit._replace(hp=10 if unit.side == 0 else 1) for unit in scenario.units)
    found = suite_search.measure(dataclasses.replace(scenario, units=units), "muct(simulations=20)", 40, 1)
    assert not suite_search.is_fair(found)
    assert found.games < 40


def test_a_measurement_is_reproducible() -> None:
    start = Source("tubstap", "varied", {"seed": 5, "size": 6}).start()
    once = suite_search.measure(start, "muct(simulations=20)", 6, 3, stop_early=False)
    assert once == suite_search.measure(start, "muct(simulations=20)", 6, 3, stop_early=False)
    assert once.games == 6


def test_a_suite_is_a_list_of_grounds() -> None:
    places = grounds("suite:dev:conquest")
    assert len(places) == 2
    assert {place.suite for place in places} == {"dev"}
    first, second = places[0].start(7), places[0].start(8)
    assert isinstance(first, st.conquest.State)
    assert isinstance(second, st.conquest.State)
    assert first.hash() == second.hash()  # the start is the suite's, whatever the game's number
    with pytest.raises(TournamentError, match="suite:NAME:GAME"):
        grounds("suite:dev")
    with pytest.raises(SuiteError, match="did you mean 'frozen'"):
        grounds("suite:frozn:tubstap")


def test_tournaments_with_other_starts_have_other_keys() -> None:
    one, other = (make("m", ["random", "flow"], ["suite:dev:conquest"], 2) for _ in range(2))
    land = st.conquest.load("simple")
    moved = dataclasses.replace(
        other, grounds=tuple(dataclasses.replace(place, position=land.start(9)) for place in other.grounds[:1])
    )
    assert one.key == other.key != moved.key


def test_the_frozen_suite_needs_a_reason_and_its_use_is_logged(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="say why"):
        make("m", ["random", "greedy"], ["suite:frozen:tubstap"], 2)
    with pytest.raises(TournamentError, match="say why"):
        make("m", ["random", "greedy"], ["suite:frozen:tubstap"], 2, why=" ")
    described = make("m", ["random", "greedy"], ["suite:frozen:tubstap"], 2, why="a test of the log")
    small = dataclasses.replace(described, grounds=described.grounds[:1])
    for _ in range(2):  # the second time nothing is left to play, and nothing is logged
        with Store(tmp_path / "m.sqlite") as store:
            run(small, store)
    lines = [json.loads(line) for line in USES.read_text().splitlines()]
    assert [line["why"] for line in lines] == ["a test of the log"]
    assert lines[0]["players"] == ["random", "greedy"]
    (tmp_path / "cup.toml").write_text(
        'players = ["random", "greedy"]\nmaps = ["suite:frozen:tubstap"]\ngames = 2\nwhy = "final figures"\n'
    )
    assert read(tmp_path / "cup.toml")[0].frozen


def test_the_command_lists_shows_and_verifies_suites() -> None:
    run_cli = CliRunner().invoke
    listed = run_cli(app, ["suite", "list"]).output
    assert all(word in listed for word in ("dev", "frozen", "tubstap", "conquest", "40 games"))
    shown = run_cli(app, ["suite", "show", "dev", "--game", "tubstap", "--markdown"]).output
    assert shown.count("\n") == 4
    assert "| dev-tubstap-01 | 6x6, " in shown
    assert "match their digests" in run_cli(app, ["suite", "verify", "dev"]).output


def test_generated_maps_of_the_suites_vary() -> None:
    for seed in range(40):
        made = st.tubstap.maps.varied(seed)
        assert 6 <= made.width - 2 <= 20
        assert made == st.tubstap.maps.varied(seed)
    small = st.tubstap.maps.varied(3, size=6)
    stronger = st.tubstap.maps.varied(3, size=6, hp=[10] * len(small.units))
    assert [unit.hp for unit in stronger.units] == [10] * len(small.units)
    with pytest.raises(st.SandtableError, match="values of HP"):
        st.tubstap.maps.varied(3, size=6, hp=[1])
    with pytest.raises(st.SandtableError, match=r"size must be a whole number within 6\.\.20"):
        st.tubstap.maps.varied(3, size=5)
