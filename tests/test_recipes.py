"""Recipes: reading them, refusing bad ones, the maps that they name, and their keys in the docs."""

import contextlib
import dataclasses
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import sandtable as st
from sandtable.errors import RecipeError, SandtableError
from sandtable.learn import recipe
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search, Strength, Turns
from sandtable.nets.architectures import POLICIES
from sandtable.tubstap.training import self_play
from support.tiny_trainings import TINY

GOOD = """
name = "mine"
games = 100
snapshots = [1, 2.5]

[network]
architecture = "tokens_32"

[[maps]]
source = "skirmish"
options = { red = [1, 3], rules = ["kimura2020", "original"] }

[[maps]]
source = "kimura-map01"
share = 2
from_game = 50

[search]
root = "gumbel"
simulations = 16

[strength]
every = 5
opponents = ["random", "uct(simulations=10)"]
maps = ["kimura-map01"]
"""


def load(text: str | bytes, tmp_path: Path) -> Recipe:
    path = tmp_path / "recipe.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return recipe.load(path)


def test_a_recipe_is_read_from_its_file(tmp_path: Path) -> None:
    made = load(GOOD, tmp_path)
    assert (made.name, made.games, made.snapshots) == ("mine", 100, (1.0, 2.5))
    assert made.network == Network("tokens_32")
    assert made.maps[1] == Maps("kimura-map01", share=2.0, from_game=50)
    assert isinstance(made.maps[1].share, float)
    assert made.search == Search(root="gumbel", simulations=16)
    assert made.learning == Learning()
    assert made.strength.opponents == ("random", "uct(simulations=10)")


@pytest.mark.parametrize(
    "path", sorted((Path(st.__file__).parent / "recipes").glob("tubstap*.toml")), ids=lambda p: p.stem
)
def test_shipped_recipes_have_maps_that_their_networks_encode(path: Path) -> None:
    made = recipe.load(path)
    encoder = POLICIES[made.network.architecture].encoder.core
    for number in (0, 1, 10**4, 10**6):
        state = self_play.beginning(made, number)
        assert st._core.tubstap.encode_policy(encoder, [state])[2][0] == len(state.moves())


def without(line: str) -> str:
    assert line in GOOD
    return GOOD.replace(line, "")


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


BAD: dict[str, tuple[str | bytes, str]] = {
    "not TOML": ("name = ", "not TOML: "),
    "not text": (b"\xff\xfe\x00", "not TOML: "),
    "deep": ("name = " + "[" * 5000, "not TOML: "),
    "huge": ("#" + " " * (2 << 20), "larger than"),
    "empty": ("", "the key 'name' is missing"),
    "unknown key": (changed("games", "gamse"), "there is no key 'gamse' (did you mean 'games'?)"),
    "unknown key of a table": (
        changed("simulations", "simulation"),
        "there is no key 'search.simulation' (did you mean 'simulations'?)",
    ),
    "unknown key of a list's table": (changed("share", "shrae"), "no key 'maps.shrae' (did you mean 'share'?)"),
    "unknown table": (changed("[strength]", "[strenght]"), "no key 'strenght' (did you mean 'strength'?)"),
    "missing key": (without('name = "mine"\n'), "the key 'name' is missing"),
    "missing key of a table": (without('architecture = "tokens_32"\n'), "the key 'network.architecture' is missing"),
    "missing key of a list's table": (without('source = "skirmish"\n'), "the key 'maps.source' is missing"),
    "no maps": ('name = "x"\ngames = 1\nmaps = []\n[network]\narchitecture = "tokens_32"\n', "maps: no source"),
    "a path for a name": (changed('"mine"', '"../mine"'), "name: '../mine'"),
    "no name": (changed('"mine"', '""'), "name: ''"),
    "a name of two lines": (changed('"mine"', '"a\\nb"'), "name: 'a\\nb'"),
    "a word for a number": (changed("100", '"many"'), "games must be a whole number, not 'many'"),
    "a fraction for a number": (changed("100", "1.5"), "games must be a whole number, not 1.5"),
    "a boolean for a number": (changed("100", "true"), "games must be a whole number, not True"),
    "a number for a word": (changed('"gumbel"', "1"), "search.root must be puct or gumbel, not 1"),
    "a number for a table": (
        changed('[network]\narchitecture = "tokens_32"', "network = 1"),
        "network must be a table",
    ),
    "a number for a list": (changed("[1, 2.5]", "1"), "snapshots must be a list"),
    "a word in a list": (changed("[1, 2.5]", '["x"]'), "snapshots must be a number, not 'x'"),
    "a table for a list": (GOOD.split("[[")[0] + '[maps]\nsource = "skirmish"', "maps must be a list"),
    "too few": (changed("= 16", "= 0"), "search.simulations must be within 1..1000000, not 0"),
    "too many": (changed("100", "10000000000"), "games must be within 0..1000000000"),
    "NaN for a number": (changed("[search]", "[search]\nc = nan"), "search.c must be within 0..1000, not nan"),
    "a negative share": (changed("share = 2", "share = -1"), "maps.share must be within 0.."),
    "an endless share": (changed("share = 2", "share = inf"), "maps.share must be within 0.."),
    "a negative game": (changed("from_game = 50", "from_game = -1"), "maps.from_game must be within 0.."),
    "a snapshot before the beginning": (changed("2.5]", "-1]"), "snapshots must be within 0.."),
    "neither games nor minutes": (changed("games = 100", "games = 0"), "a recipe needs games or minutes"),
    "no map to begin with": (
        changed('source = "skirmish"', 'source = "skirmish"\nfrom_game = 1'),
        "maps: no source is active at the first game",
    ),
    "unknown map": (changed("kimura-map01", "kimura-mp01"), "is called 'kimura-mp01' (did you mean 'kimura-map01'?)"),
    "one position to normalise over": (
        GOOD.replace("tokens_32", "kimura_sep_1_affine") + "[learning]\nbatch = 1\n",
        "learning.batch: batch normalisation in an affine policy head needs 2 positions or more",
    ),
    "unknown generator": (changed("skirmish", "skirmsh"), "no map is called 'skirmsh' (did you mean 'skirmish'?)"),
    "unknown option": (changed("red =", "rde ="), "maps.options: skirmish has no option 'rde' (did you mean 'red'?)"),
    "a seed as an option": (changed("red =", "seed ="), "maps.options: skirmish has no option 'seed'"),
    "options of a map": (changed("share = 2", "options = { size = 6 }"), "maps.options: kimura-map01 has no options"),
    "a bad option": (changed("[1, 3]", "40"), "red's number of units must be a whole number within 1..32"),
    "a bad end of a range": (
        changed("[1, 3]", "[1, 40]"),
        "red's number of units must be a whole number within 1..32",
    ),
    "a word for an option": (changed("[1, 3]", '"two"'), "maps.options of skirmish: "),
    "a table for an option": (changed("[1, 3]", "{ a = 1 }"), "maps.options of skirmish: "),
    "unknown rules": (changed('["kimura2020", "original"]', '"kimura202"'), "did you mean 'kimura2020'?"),
    "unknown architecture": (changed("tokens_32", "token_32"), "(did you mean 'tokens_32'?)"),
    "a value network": (changed("tokens_32", "gcn_4"), "network.architecture: 'gcn_4' is none of"),
    "a network that does not fit the map": (
        changed("tokens_32", "kimura_sep_1").replace("{ red = [1, 3],", "{ size = 8,"),
        "maps.source: skirmish: made for boards of 6x6, and this one is 8x8",
    ),
    "unknown root": (changed('"gumbel"', '"puc"'), "search.root must be puct or gumbel"),
    "unknown optimiser": (changed("[search]", '[learning]\noptimiser = "adma"\n[search]'), "must be sgd or adam"),
    "no opponent": (without('opponents = ["random", "uct(simulations=10)"]'), "strength.opponents"),
    "no map for matches": (changed('maps = ["kimura-map01"]', ""), "strength.maps"),
    "unknown opponent": (changed('"random"', '"randm"'), "strength.opponents: no player is called 'randm'"),
    "an opponent of another game": (changed('"random"', '"mcts"'), "strength.opponents: mcts plays conquest"),
    "unknown map for matches": (changed('maps = ["kimura-map01"]', 'maps = ["kimura"]'), "strength.maps: "),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recipe_gets_a_one_line_error(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    with pytest.raises(RecipeError) as caught:
        load(text, tmp_path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_missing_recipe_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(RecipeError) as caught:
            recipe.load(path)
        assert str(caught.value) == f"{path}: there is no such file"


values = s.none() | s.booleans() | s.integers() | s.floats() | s.text(max_size=8) | s.sampled_from(("size", "red", "6"))
tables = s.recursive(values, lambda inner: s.lists(inner, max_size=3) | s.dictionaries(s.text(max_size=5), inner))


@given(s.dictionaries(s.sampled_from(("red", "blue", "size", "rules", "units", "x")), tables, max_size=3))
@settings(max_examples=100, deadline=None)
def test_any_options_of_a_generator_are_taken_or_refused(options: dict[str, Any]) -> None:
    with contextlib.suppress(SandtableError):
        Recipe("x", Network("tokens_32"), (Maps("skirmish", options=options),), games=1)


@given(s.binary(max_size=40) | s.text("nameg=[]{}\"'#.\n 10", max_size=60).map(str.encode))
@settings(max_examples=200, deadline=None)
def test_any_other_file_gets_a_one_line_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    with pytest.raises(RecipeError) as caught:
        recipe.load(path)
    assert "\n" not in str(caught.value)


def test_the_map_of_a_game_depends_on_its_number_alone() -> None:
    made = TINY["tokens_32"]
    assert [made.start(number) for number in (5, 1, 5)] == [made.start(number) for number in (5, 1, 5)]
    assert len({str(made.start(number)) for number in range(20)}) > 10
    other = dataclasses.replace(made, seed=5)
    assert any(made.start(number) != other.start(number) for number in range(5))


def test_maps_are_drawn_by_their_shares_and_within_their_games() -> None:
    made = Recipe(
        "x",
        Network("tokens_32"),
        (
            Maps("skirmish", until_game=1000),
            Maps("technical", share=3.0),
            Maps("kimura-map01", from_game=500),
            Maps("kimura-map02", share=0.0),
        ),
        games=1,
    )

    def counted(numbers: range) -> Counter[str]:
        return Counter(re.split(r"-\d+$", made.start(number).name)[0] for number in numbers)

    early, middle, late = counted(range(400)), counted(range(500, 900)), counted(range(1000, 1400))
    assert set(early) == {"skirmish", "technical"}
    assert early["technical"] == pytest.approx(300, abs=40)
    assert set(middle) == {"skirmish", "technical", "kimura-map01"}
    assert middle["technical"] == pytest.approx(240, abs=40)
    assert set(late) == {"technical", "kimura-map01"}


SECTIONS = {"": Recipe, "[network]": Network, "[[maps]]": Maps, "[search]": Search, "[learning]": Learning}
SECTIONS |= {"[strength]": Strength, "[turns]": Turns}


def test_every_key_is_in_the_docs() -> None:
    """docs/training.md has a table for each section, with the defaults of the classes."""
    text = (Path(__file__).parent.parent / "docs/training.md").read_text()
    found: dict[str, dict[str, str]] = {}
    table = r"^(\S*)[^\n]*\n\n<!-- settings[^\n]*\n\n\| key \| default \|.*?\n\|[-| ]+\n(.*?)\n\n"
    for heading, rows in re.findall(table, text, re.M | re.S):
        cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]
        found[re.sub(r"[`:,]|^At$", "", heading)] = {key.strip("`"): default.strip("`") for key, default, *_ in cells}
    for section, kind in SECTIONS.items():
        expected = {}
        for one in dataclasses.fields(kind):
            default = one.default if one.default_factory is dataclasses.MISSING else one.default_factory()
            if default is dataclasses.MISSING or dataclasses.is_dataclass(default):
                expected[one.name] = ""
            else:
                expected[one.name] = toml(default)
        assert found[section] == expected, section


def toml(value: Any) -> str:
    if value == 2**62:
        return "2**62"
    return json.dumps(value) if isinstance(value, bool | str) else repr(value).replace("()", "[]")
