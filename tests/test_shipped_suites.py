"""The shipped suites match their measurements, are fair by them, and are varied."""

import collections

import pytest

import sandtable as st
from sandtable.arena import suite_search
from sandtable.arena.suites import NAMES, suite, suites_there


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_suite_matches_its_measurements(name: str) -> None:
    for found in suites_there(name):
        assert len(found.entries) == 60
        assert found.measured["player"] == suite_search.methods()[found.game].player
        for entry in found.entries:
            entry.verify()
            assert suite_search.is_fair(entry.first_seat), entry.name
            assert entry.first_seat.games == suite_search.GAMES == 40


def test_the_suites_share_no_position() -> None:
    digests = [entry.digest for name in NAMES for part in suites_there(name) for entry in part.entries]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("name", NAMES)
def test_maps_of_tubstap_have_all_sizes_kinds_terrains_and_balances(name: str) -> None:
    scenarios: list[st.tubstap.Scenario] = [entry.source.map_made() for entry in suite(name, "tubstap").entries]
    assert {one.width - 2 for one in scenarios} == set(range(6, 21))
    assert {unit.kind for one in scenarios for unit in one.units} == set(st.tubstap.KINDS)
    playable = {cell for one in scenarios for row in one.terrain[1:-1] for cell in row[1:-1]}
    assert playable == set(range(len(st.tubstap.TERRAINS)))
    counts = [[sum(unit.side == side for unit in one.units) for side in (0, 1)] for one in scenarios]
    assert sum(red != blue for red, blue in counts) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_starts_of_conquest_are_on_the_thesis_maps_and_on_generated_maps_of_all_sizes(name: str) -> None:
    sources = [entry.source for entry in suite(name, "conquest").entries]
    shipped = collections.Counter(source.map for source in sources if source.options is None)
    assert shipped == dict.fromkeys(("simple", "banana", "owl_island", "italy"), 6)
    sizes = [len(source.map_made().territories) for source in sources if source.options is not None]
    assert min(sizes) == 6
    assert max(sizes) == 60
    assert len(set(sizes)) == len(sizes) == 36
