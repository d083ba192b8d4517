"""Maps of Conquest: shipped, generated, saved, malformed, drawn."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as s

import sandtable as st
from sandtable.conquest import Land, March, mapfile, maps
from support.examples import examples
from support.map_documents import land_document
from support.strategies import lands

SVG = "{http://www.w3.org/2000/svg}"


def test_shipped_maps_have_their_sizes() -> None:
    sizes = {
        name: (len(land.territories), len(land.bonuses))
        for name, land in ((n, st.conquest.load(n)) for n in maps.shipped())
    }
    assert sizes == {"simple": (9, 3), "banana": (12, 4), "owl_island": (12, 4), "italy": (20, 10), "earth": (42, 6)}
    earth = st.conquest.load("earth")
    assert sorted(t for bonus in earth.bonuses for t in bonus.territories) == list(range(42))


@given(s.integers(0, 2**64 - 1), s.integers(4, 48))
@examples(40)
def test_generated_maps_are_reproducible_and_playable(seed: int, territories: int) -> None:
    land = maps.planar(seed, territories=territories)
    assert land == maps.planar(seed, territories=territories)
    assert len(land.territories) == territories
    assert len(land.edges) <= 3 * territories - 6  # planar
    members = sorted(t for bonus in land.bonuses for t in bonus.territories)
    assert members == list(range(territories))
    result = st.conquest.playouts(land.start(seed), 20)
    assert result.turns > 0


def test_the_generator_refuses_impossible_numbers() -> None:
    for territories, bonuses in ((3, None), (1025, None), (20, 11), (20, -1)):
        with pytest.raises(st.SandtableError):
            maps.planar(1, territories=territories, bonuses=bonuses)
    assert maps.planar(1, bonuses=0).bonuses == ()
    assert len(maps.planar(1, territories=257).territories) == 257


def test_moves_and_playouts_work_on_the_largest_map() -> None:
    """Armies a thousand steps behind the front march towards it."""
    n = 1024
    land = Land(
        name="chain",
        territories=tuple(map(str, range(n))),
        places=tuple((float(t), 0.0) for t in range(n)),
        edges=tuple((t, t + 1) for t in range(n - 1)),
        bonuses=(),
        rules=st.conquest.rules("soares2025"),
    )
    state = land.state(owner=[0] * (n - 1) + [1], armies=[5] * n)
    marches = [order for order in state.random_move(0, seed=1) if isinstance(order, March)]
    assert {march.source for march in marches} >= {0, 500, 900}
    assert all(march.target == march.source + 1 for march in marches)
    assert st.conquest.playouts(state, 2, seed=1).wins0 == 2
    assert st.conquest.parse(mapfile.format(land), rules=land.rules) == land


def test_the_generator_makes_chains_and_overlapping_bonuses() -> None:
    for seed in range(5):
        plain = maps.planar(seed, territories=12)
        chain = maps.planar(seed, territories=12, shape=0.001)
        assert all(len(chain.neighbours(t)) <= 2 for t in range(12))
        joined = maps.planar(seed, territories=12, unions=2)
        assert (joined.edges, joined.bonuses[:3]) == (plain.edges, plain.bonuses)
        parts = [set(bonus.territories) for bonus in plain.bonuses]
        for union in joined.bonuses[3:]:
            assert any(set(union.territories) == a | b for a in parts for b in parts if a != b)
            assert union.value == len(union.territories)
    assert len(maps.planar(1, territories=12, unions=20).bonuses) <= 6  # three pairs of regions at most


def test_edges_of_generated_maps_do_not_cross() -> None:
    def turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
        return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])

    for seed in range(5):
        land = maps.planar(seed, territories=30)
        lines = [(land.places[a], land.places[b]) for a, b in land.edges]
        for i, (p, q) in enumerate(lines):
            for r, t in lines[:i]:
                if {p, q} & {r, t}:
                    continue
                assert not (turn(p, q, r) != turn(p, q, t) and turn(r, t, p) != turn(r, t, q))


@given(lands())
@examples(50)
def test_maps_round_trip_through_json(land: Land) -> None:
    assert st.conquest.parse(mapfile.format(land), rules=land.rules) == land


def test_map_files_are_saved_and_loaded(tmp_path: Path) -> None:
    land = st.conquest.load("italy")
    st.conquest.save(land, tmp_path / "map.json")
    assert st.conquest.load(tmp_path / "map.json") == land
    with pytest.raises(st.MapError, match=r"saved as \.json"):
        st.conquest.save(land, tmp_path / "map.txt")
    with pytest.raises(st.MapError, match="did you mean 'italy'"):
        st.conquest.load("italia")
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe")
    with pytest.raises(st.MapError, match="not UTF-8"):
        st.conquest.load(tmp_path / "bad.json")


def named(*names: object) -> list[object]:
    return [{"name": name, "x": 0, "y": 0} for name in names]


def bonus(*territories: object, value: int = 1) -> list[object]:
    return [{"name": "x", "value": value, "territories": territories}]


MALFORMED = {
    "half a character": (land_document(name="\ud800"), "name: the character .* cannot be shown"),
    "an escape": (land_document(comment="\x1b[31m"), "comment: the character .* cannot be shown"),
    "no territories": (land_document(territories=[]), "there are no territories"),
    "too rich": (
        land_document(bonuses=[{"name": str(i), "value": 9000, "territories": [0]} for i in range(2)]),
        "income",
    ),
    "not JSON": ("{", "not JSON"),
    "a list": ("[]", "the map must be an object"),
    "another format": (land_document(format="sandtable-tubstap"), "format: must be .*, not 'sandtable-tubstap'"),
    "a later version": (land_document(version=9), "version: 9"),
    "an unknown key": (land_document(regions=[]), "unknown key 'regions'"),
    "no edges": (land_document(edges=...), "edges is missing"),
    "territories by number": (land_document(territories=3), "territories: must be a list"),
    "one territory": (land_document(territories=named("a"), edges=[], bonuses=[]), "2 to 1024 of them, not 1"),
    "too many": (
        land_document(territories=named(*map(str, range(1025)))),
        "must be a list of at most 1024",
    ),
    "no place": (land_document(territories=[{"name": "a"}] * 3), r"territories\[0\]: x is missing"),
    "a place in words": (
        land_document(territories=[{"name": "a", "x": "left", "y": 0}]),
        r"\[0\].x: must be a number",
    ),
    "a duplicate name": (
        land_document(territories=named("a", "b", "c", "a")),
        "the name 'a' is taken",
    ),
    "no name": (land_document(territories=named("a", "b", "c", "")), r"territories\[3\].name: must be one line"),
    "an unknown territory in an edge": (land_document(edges=[[0, 7]]), r"edges\[0\]: 7 is not within 0..2"),
    "an unknown name in an edge": (land_document(edges=[["a", "z"]]), r"edges\[0\]: there is no territory 'z'"),
    "a self-edge": (land_document(edges=[[0, 1], [1, 1]]), r"edges\[1\]: an edge from 'b' to itself"),
    "an edge twice": (land_document(edges=[[0, 1], [1, 2], [1, 0]]), r"edges\[2\]: 'b' to 'a' is given twice"),
    "an edge of three": (land_document(edges=[[0, 1, 2]]), r"edges\[0\]: must be a pair"),
    "two pieces": (land_document(edges=[[0, 1]]), "'a' and 'c' are not connected"),
    "an empty bonus": (
        land_document(bonuses=bonus()),
        r"bonuses\[0\]: 'x' has no territories",
    ),
    "an unknown territory in a bonus": (
        land_document(bonuses=bonus(9)),
        r"bonuses\[0\]: 9 is not",
    ),
    "a territory twice": (
        land_document(bonuses=bonus(0, "a")),
        "names a territory twice",
    ),
    "a negative bonus": (
        land_document(bonuses=bonus(0, value=-1)),
        r"bonuses\[0\].value: -1 is not",
    ),
    "bonuses of one name": (
        land_document(bonuses=bonus(0) * 2),
        r"bonuses\[1\]: the name 'x'",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_map_gets_a_one_line_error(name: str) -> None:
    text, message = MALFORMED[name]
    with pytest.raises(st.MapError, match=message) as caught:
        st.conquest.parse(text)
    assert "\n" not in str(caught.value)


# The thesis's maps: each edge once, each bonus with its value (territories are numbered as listed in the files).
SPECIFIED = {
    "simple": ("0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8", "2:0,1,2 2:3,4,5 2:6,7,8"),
    "banana": (
        "0-1 1-2 1-8 1-9 2-3 2-9 3-4 4-11 5-6 5-8 6-7 6-8 8-9 8-10 9-10 9-11 10-11",
        "2:0,1,8 2:9,10,11 2:5,6,7 2:2,3,4",
    ),
    "owl_island": (
        "0-1 0-2 1-2 1-5 2-4 2-5 3-5 3-6 4-5 5-6 5-7 6-7 6-8 6-10 7-10 8-9 8-10 9-10 9-11 10-11",
        "2:0,1,2 1:3 3:4,5,6,7 3:8,9,10,11",
    ),
    "italy": (
        "0-1 0-3 1-2 1-3 1-4 3-4 3-7 3-8 4-5 4-8 4-7 4-9 5-8 5-9 5-10 5-11 6-7 7-8 8-19 9-10 9-11 9-12 10-11 11-12"
        " 11-13 11-14 11-19 12-13 13-14 13-15 14-15 14-16 14-18 15-16 16-17 17-18 18-19",
        "3:0,1,2 2:18,19 2:13,14 7:5,9,10,11,12,19 5:9,10,11,12 9:0,1,2,3,4,6,7,8 4:3,4,5 7:13,14,15,16,17,18"
        " 3:15,16,17 3:6,7,8",
    ),
}


@pytest.mark.parametrize("name", SPECIFIED)
def test_shipped_maps_match_the_thesis(name: str) -> None:
    edges, bonuses = SPECIFIED[name]
    land = st.conquest.load(name)
    assert [f"{a}-{b}" for a, b in land.edges] == edges.split()
    assert [f"{b.value}:{','.join(map(str, b.territories))}" for b in land.bonuses] == bonuses.split()


def test_every_shipped_map_can_be_drawn() -> None:
    for name in maps.shipped():
        land = st.conquest.load(name)
        state = land.start(1)
        picture = ET.fromstring(st.conquest.svg(state))
        assert len(picture.findall(f"{SVG}g")) == len(land.territories)
        text = str(st.conquest.text(state))
        assert all(territory in text for territory in land.territories)
        assert "income 5" in text
        ET.fromstring(st.conquest.svg(land))
