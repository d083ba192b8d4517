"""Users' own players on the command line: the tutorial's, and players that fail."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sandtable as st
from sandtable.arena.store import Store
from sandtable.players import registry
from sandtable.players.spec import PlayerSpec
from support.commands import sandtable as run
from support.pages import files

CRASHING = """
class Crashing:
    games = ("tubstap",)

    def act(self, state, side=None):
        return self.best(state)

    def best(self, state):
        return state.moves()[10_000]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's folder, for a module mine.py that is unloaded afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_PLAYERS", dict(registry._PLAYERS))
    sys.modules.pop("mine", None)
    yield tmp_path
    sys.modules.pop("mine", None)


def test_the_tutorials_player_plays_matches(folder: Path) -> None:
    for file, content in files(Path(__file__).parents[1] / "docs" / "tutorials" / "your-own-player.md"):
        (folder / file).write_text(content)
    name = "mine:Hunter(profit=0.5)"
    store = folder / "games.sqlite"
    shown = run("match", name, "greedy", "--map", "duel", "--games", 4, "--workers", 2, "--store", store).stdout
    assert name in shown  # in two worker processes, which have not registered it
    shown = run("--import", "mine", "match", "hunter", "greedy", "--map", "duel", "--games", 4, "--workers", 2).stdout
    assert "hunter" in shown
    assert "failed" not in shown
    with Store(store, write=False) as opened:
        assert all(row.error is None for row in opened.rows())


def test_a_crash_is_reported_once_with_its_place(folder: Path) -> None:
    (folder / "mine.py").write_text(CRASHING)
    store = folder / "games.sqlite"
    done = run("match", "mine:Crashing", "greedy", "--map", "duel", "--games", 4, "--store", store, code=1)
    place = "IndexError: list index out of range (at mine.py:6 in act, mine.py:9 in best)"
    assert done.stdout.count(place) == 1
    assert "(and 3 more games)" in done.stdout
    assert "score" not in done.stdout, "without a finished game there is no table"
    assert "no game was finished" in done.stderr
    assert "sandtable show" not in done.stderr, "a failed game has no record"
    with Store(store, write=False) as opened:
        assert [row.error for row in opened.rows()] == [place] * 4
    assert place in " ".join(run("show", store, "--game", 2, code=2).stderr.split())
    assert run("check-player", "mine:Crashing", code=1).stdout.count(place) == 1


def test_checks_that_were_not_possible_are_not_reported_as_passed(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "class Plain:\n    games = ('tubstap',)\n    def act(self, state, side=None): return state.moves()[0]\n"
    )
    lines = run("check-player", "mine:Plain", "--games", 1).stdout.splitlines()
    assert "not checked: analyses: it has no analyse(state, side)" in lines
    assert "not checked: keeps its time limit: it has no setting `seconds`" in lines
    assert not any(line.startswith("ok") and ("analyses" in line or "time limit" in line) for line in lines)
    assert any("plays whole games" in line for line in lines)
    clocked = run("check-player", "uct(seconds=0.001)", "--games", 1).stdout
    assert "not checked: the same seed gives the same game" in clocked


def test_a_networks_name_with_dashes_needs_no_quotes() -> None:
    texts = ("equilibrium(net=sandtable-conquest)", "equilibrium(net='sandtable-conquest')")
    assert len({str(PlayerSpec.parse(text)) for text in texts}) == 1
    with pytest.raises(st.PlayerError, match="no net is called 'my-2nd-net'"):
        PlayerSpec.parse("minimax(depth=2, evaluator = my-2nd-net )").player()
    inner = PlayerSpec.parse("mcts(root='coevolution(evaluator=my-net)')")
    assert dict(inner.settings)["root"] == "coevolution(evaluator=my-net)"
    for text in ("uct(c=1-1)", "uct(c=a-)", "uct(c=-1)", "uct(simulations=1e-3)"):
        with pytest.raises(st.PlayerError):
            PlayerSpec.parse(text)


def test_a_missing_runtime_is_reported_before_the_first_game(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from sandtable.nets import evaluators

    monkeypatch.setattr(evaluators, "find_spec", lambda _: None)
    st.clear_cache()  # another test may have loaded the network
    store = tmp_path / "games.sqlite"
    for player in ("pvmcts(net=kimura2020_short)", "minimax(evaluator=gcn_4)"):
        done = run("match", player, "random", "--map", "duel", "--games", 2, "--store", store, code=2)
        assert "networks need onnxruntime or torch: pip install 'sandtable[onnx]'" in done.stderr
        assert done.stderr.count("\n") == 1
        assert not store.exists()


def test_missing_ray_is_reported_with_its_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandtable.cli import installed

    monkeypatch.setattr(installed, "find_spec", lambda _: None)
    done = run("match", "random", "greedy", "--map", "duel", "--games", 2, "--ray", "local", code=2)
    assert done.stderr == "sandtable: --ray needs ray: pip install 'sandtable[ray]'\n"
