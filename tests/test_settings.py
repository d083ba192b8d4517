"""Settings are declared once: tables, pages and error messages follow the declarations. Specs are values."""

import dataclasses
import math
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as s
from typer.testing import CliRunner

import sandtable as st
from sandtable import _core
from sandtable.analysis import SearchResult
from sandtable.cli import app
from sandtable.errors import SettingError
from sandtable.players import player_class, registry, spec_of
from sandtable.players.spec import PlayerSpec
from sandtable.settings import MAX_COUNT, Setting, count, declared, declares, setting
from support.settings_tables import PAGES, TABLES, regenerated, table

PLAYERS = st.players()
SETTINGS = [(name, one) for name in PLAYERS for one in declared(player_class(name))]
NATIVE = [
    kind
    for module in (_core, _core.tubstap, _core.conquest)
    for name, kind in vars(module).items()
    if name.endswith("Settings") and hasattr(kind, "fields")
]


def bad_values(one: Setting) -> list[Any]:
    """Values that the declaration rules out."""
    if one.words:
        return ["no-such-word", 5]
    found: list[Any] = [] if str in one.types else ["word"]
    if one.low is not None:
        high: Any = one.high if not isinstance(one.high, str) else 10**6
        low: Any = one.low if not isinstance(one.low, str) else 1
        found += [low - 1, high + 1, *([low] if one.above else [])]
    return found or [3.5]


# Of all players.


@pytest.mark.parametrize("name", PLAYERS)
def test_the_command_shows_every_setting(name: str) -> None:
    shown = CliRunner().invoke(app, ["players", name], env={"COLUMNS": "400"}).stdout.splitlines()
    for one in declared(player_class(name)):
        assert any(all(cell in line for cell in one.row) and line.startswith(one.name) for line in shown), one


def test_the_pages_show_every_setting() -> None:
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    assert [regenerated(page) for page in pages] == pages, "make settings-tables"
    for _, one in SETTINGS:
        assert table([one]).splitlines()[2] in pages[0]
    keys = [one for kind in TABLES.values() for one in declared(kind)]
    assert all(f"| `{one.name}` |" in pages[1] and f"| {one.sentence} |" in pages[1] and one.sentence for one in keys)


@pytest.mark.parametrize(("name", "one"), SETTINGS, ids=lambda value: getattr(value, "name", value))
def test_a_bad_value_gets_a_one_line_error_that_names_it(name: str, one: Setting) -> None:
    assert one.sentence
    assert one.sentence[-1] not in ".,"
    defaults = {other.name: other.default for other in declared(player_class(name))}
    assert one.checked(one.default, defaults) == one.default
    for value in bad_values(one):
        with pytest.raises(st.PlayerError, match=rf"^{name}: {one.name} (must be|is)") as caught:
            st.player(f"{name}({one.name}={value!r})")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_budget_s_default_applies_unless_there_is_a_clock(name: str) -> None:
    kind = player_class(name)
    counts = {one.name: one.default for one in declared(kind) if one.is_count}
    if name == "sandtable":  # its champions have the defaults
        assert set(counts.values()) == {None}
        return
    if not counts:
        return
    plain, timed = kind(), kind(seconds=1)
    assert plain.counts() == counts
    assert timed.counts() == dict.fromkeys(counts)
    assert kind(seconds=1, **counts).counts() == counts
    assert all(getattr(plain, one) is None for one in counts)
    if hasattr(kind, "search_settings"):
        assert {one: getattr(plain.settings, one) for one in counts} == counts
        assert {getattr(timed.settings, one) for one in counts} == {None}


def test_players_have_the_defaults_of_their_searches() -> None:
    """M-UCT is the exception: it is UCT with other defaults."""
    for name in PLAYERS:
        kind = player_class(name)
        if hasattr(kind, "search_settings") and name != "muct":
            assert kind().settings == kind.search_settings()
    muct: Any = st.player("muct")
    assert muct.settings.replace(policy="flat").policy == "flat"
    fields = {one.name: dataclasses.replace(one, default=None) for one in declared(player_class("uct"))}
    assert fields == {one.name: dataclasses.replace(one, default=None) for one in declared(player_class("muct"))}
    assert (muct.settings.simulations, muct.settings.c, muct.settings.order) == (5000, 0.15, "original")


# The native classes.


@pytest.mark.parametrize("kind", NATIVE, ids=lambda kind: kind.__name__)
def test_native_settings_are_values(kind: Any) -> None:
    made = kind()
    assert made == kind(**{one.name: one.default for one in kind.fields})
    assert hash(made) == hash(kind())
    assert made != 5
    assert eval(repr(made), {kind.__name__: kind}) == made
    for one in kind.fields:
        assert getattr(made, one.name) == one.default
        with pytest.raises(AttributeError):
            setattr(made, one.name, one.default)
        for value in bad_values(one):
            with pytest.raises(SettingError, match=rf"^{kind.__name__}: {one.name} "):
                made.replace(**{one.name: value})
            with pytest.raises(SettingError):
                kind(**{one.name: value})
    with pytest.raises(SettingError, match=f"{kind.__name__} has no setting 'nothing'; it has"):
        kind(nothing=1)
    with pytest.raises(TypeError):
        kind(1)


def test_native_settings_keep_given_values() -> None:
    kind = _core.UctSettings
    made = kind(simulations=7, c=2, policy="attack80_harmful", opponent="original", play_best_mean=True)
    assert (made.simulations, made.c, made.policy, made.opponent) == (7, 2.0, "attack80_harmful", "original")
    assert made.play_best_mean is True
    assert made.log_of_total is False
    assert made.replace(c=3.5) == kind(
        simulations=7, c=3.5, policy="attack80_harmful", opponent="original", play_best_mean=True
    )
    assert made.c == 2.0, "replace() returns a new value"
    assert made != made.replace(order="original")
    assert len({made, made.replace(), made.replace(c=0)}) == 2
    assert kind(simulations=None).simulations is None
    assert next(one.high for one in kind.fields if one.is_count) == MAX_COUNT


def test_the_limit_of_a_setting_may_be_another_setting() -> None:
    kind = _core.conquest.CoevolutionSettings
    assert kind(population=6, elites=6).elites == 6
    for bad in ({"population": 4}, {"elites": 31}, {"population": 6, "elites": 7}):
        with pytest.raises(SettingError, match=r"elites must be within 0\.\.\d+, not \d"):
            kind(**bad)  # type: ignore[arg-type]


# Users' own players.


@pytest.mark.parametrize("base", [(), (registry.player_class("uct"),)], ids=["plain", "uct"])
def test_users_own_players_declare_settings_the_same_way(
    base: tuple[type, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_PLAYERS", dict(registry._PLAYERS))

    def act(self: Any, state: Any, side: int | None = None) -> Any:
        return state.moves()[self.place]

    body = {
        "__annotations__": {
            "place": "int",
            "kind": "Literal['a', 'b']",
            "size": "Literal[8, 12]",
            "budget": "int | None",
            "free": "list[int]",
        },
        "place": setting(0, "place of the move in the list", low=0, high=5),
        "kind": "a",
        "size": 8,
        "budget": count(10, "a budget"),
        "free": None,
        "games": ("tubstap",),
        "act": act,
        "__module__": __name__,
    }
    made: Any = dataclasses.dataclass(kw_only=True)(type("Own", base, body))
    st.register("own", made)
    assert spec_of(st.player("own(place=2, kind=b)")) == "own(place=2, kind=b)"
    assert spec_of(st.player("own(budget=10, free=[1])")) == "own(budget=10, free=[1])"
    assert [one.name for one in declared(made)][-5:] == ["place", "kind", "size", "budget", "free"]
    for bad, message in (
        ("place=6", "own: place must be within 0..5, not 6"),
        ("place=x", "own: place must be a whole number, not 'x'"),
        ("kind=c", "own: kind must be a or b, not 'c'"),
        ("size=9", "own: size must be 8 or 12, not 9"),
        ("budget=0", "own: budget must be within 1..4000000000, not 0"),
        ("plac=1", "own has no setting 'plac' (did you mean 'place'?)"),
    ):
        with pytest.raises(st.PlayerError) as caught:
            st.player(f"own({bad})")
        assert message in str(caught.value)


def test_fields_of_a_search_keep_their_order() -> None:
    """A field without a default is one of the search; the fields that the search declares before it precede it."""

    @declares(_core.conquest.MctsSettings)
    class Ordered:
        first: int = setting(1, "own")
        stall: bool
        second: Literal["x"] = "x"

    names = [one.name for one in declared(Ordered)]
    assert names == ["first", "candidates", "c", "stall", "second", "max_nodes", "iterations", "rollout_levels"]


# Specs.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("uct", "uct"),
        (" uct ( ) ", "uct"),
        ("uct(c=1, simulations=50)", "uct(simulations=50, c=1.0)"),
        ("uct(simulations=200)", "uct(simulations=200)"),  # a given budget stays, since a clock may be added
        ("uct(c=1.4142135623730951, policy='uniform')", "uct"),
        ("muct(opponent='adversarial', simulations=5000)", "muct(simulations=5000, opponent=adversarial)"),
        ("minimax(evaluator='a b.safetensors', depth=3)", "minimax(depth=3, evaluator='a b.safetensors')"),
        ("mcts(root='coevolution(generations=5)')", "mcts(root='coevolution(generations=5)')"),
        ("mcts(stall=true, root=coevolution)", "mcts(root=coevolution, stall=True)"),
        ("random(seed=3)", "random(seed=3)"),
    ],
)
def test_specs_are_canonical(text: str, canonical: str) -> None:
    spec = PlayerSpec.parse(text)
    assert str(spec) == canonical
    assert PlayerSpec.parse(canonical) == spec
    assert hash(PlayerSpec.parse(canonical)) == hash(spec)
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.name = "other"  # type: ignore[misc]


def test_specs_are_changed_as_values() -> None:
    spec = PlayerSpec.parse("uct(simulations=50)")
    assert str(spec.replace(c=2)) == "uct(simulations=50, c=2.0)"
    assert spec.replace(simulations=None) == PlayerSpec("uct")
    assert PlayerSpec.of("uct", simulations=50) == spec
    assert spec_of(spec.player()) == str(spec)
    assert PlayerSpec.of_player(st.player(str(spec))) == spec
    for change, message in (({"simulation": 5}, "did you mean 'simulations'"), ({"c": -1}, "c must be within 0..1000")):
        with pytest.raises(st.PlayerError, match=message):
            spec.replace(**change)


@given(s.integers(1, 10**9), s.floats(0, 1000), s.booleans(), s.sampled_from(["uniform", "flat", "attack80"]))
def test_specs_round_trip(simulations: int, c: float, mean: bool, policy: str) -> None:
    spec = PlayerSpec.of("muct", simulations=simulations, c=c, play_best_mean=mean, policy=policy)
    assert PlayerSpec.parse(str(spec)) == spec
    assert PlayerSpec.parse(str(spec)).digest == spec.digest


def test_a_digest_identifies_settings_and_networks(tmp_path: Path, fresh_net: Path) -> None:
    def digest(text: str) -> str:
        found = PlayerSpec.parse(text).digest
        assert len(found) == 16
        assert int(found, 16) >= 0
        return found

    assert digest("uct(c=1, simulations=9)") == digest("uct(simulations=9, c=1.0)")
    assert len({digest(f"uct(simulations={n})") for n in range(1, 30)} | {digest("uct")}) == 30
    # The same network under another name and in another place is the same player; another network is not.
    copy = tmp_path / "copy.safetensors"
    for end in (".safetensors", ".json", ".onnx"):
        copy.with_suffix(end).write_bytes(fresh_net.with_suffix(end).read_bytes())
    assert digest(f"guided(net={str(copy)!r})") == digest(f"guided(net={str(fresh_net)!r})")
    assert digest(f"guided(net={str(copy)!r})") != digest("guided")
    assert digest("minimax(evaluator=gcn_4)") != digest("minimax(evaluator=gcn_32)") != digest("minimax")
    nested = "coevolution(initialise={!r})"
    inner = [digest(nested.format(f"guided(net={str(net)!r})")) for net in (copy, fresh_net)]
    assert inner[0] == inner[1] != digest("coevolution(initialise=guided)")
    # A shipped network counts by its content though it is the default.
    assert digest("guided(net=soares2025)") == digest("guided")


def test_the_digest_of_sandtable_covers_both_champions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PlayerSpec.parse("sandtable").digest
    monkeypatch.setattr(st.game("conquest"), "champion", "equilibrium(plans=true, progress=0.5)")
    assert PlayerSpec.parse("sandtable").digest != before
    monkeypatch.setattr(st.game("conquest"), "champion", "guided(net=soares2025)")
    assert PlayerSpec.parse("sandtable").digest != before


# Results.


def test_principal_variations_begin_with_their_move_and_are_legal() -> None:
    state = st.tubstap.maps.symmetric(3).start()
    made: Any = st.player("uct(simulations=3000)")
    analysis = made.analyse(state)
    assert analysis.simulations == 3000
    assert sum(one.visits for one in analysis.candidates) == 3000
    for one in analysis.candidates:
        assert one.pv[0] == one.move
        after = state.copy()
        for move in one.pv:
            after.play(move)
    assert len(analysis.candidates[0].pv) == max(len(one.pv) for one in analysis.candidates) > 1


@pytest.mark.parametrize("spec", ["pmc(playouts=1)", "minimax(depth=1)", "muct(simulations=60)"])
def test_every_candidate_has_a_principal_variation(spec: str) -> None:
    made: Any = st.player(spec)
    analysis = made.analyse(st.tubstap.load("duel").start())
    assert analysis.simulations > 0
    assert all(one.pv[0] == one.move for one in analysis.candidates)


def test_search_results_are_checked() -> None:
    one = st.Candidate("move", 3, 0.5)
    made = SearchResult(best=0, candidates=[one], value=0.5, nodes=1, simulations=3)
    assert made == SearchResult(best=0, candidates=[one], value=0.5, nodes=1, simulations=3)
    assert made != SearchResult(best=0, candidates=[one], value=0.5, nodes=1, simulations=4)
    assert math.isclose(made.value, 0.5)
    with pytest.raises(ValueError, match="index of a candidate"):
        SearchResult(best=1, candidates=[one], value=0, nodes=0, simulations=0)
