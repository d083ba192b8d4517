"""The levels of the page: graded, measured, limited by counts; and the player `tempered`, which some levels use."""

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest

import sandtable as st
from sandtable.arena.store import Store
from sandtable.errors import SandtableError
from sandtable.players import Candidate
from sandtable.players.levels import Level
from sandtable.players.spec import PlayerSpec
from sandtable.players.tempered import Tempered
from sandtable.players.trust import CodeRefusedError, check_code, nothing
from sandtable.settings import declared
from sandtable.web import levels
from sandtable.web.pages import page_of
from support.commands import sandtable


@pytest.mark.parametrize("game", ["tubstap", "conquest"])
def test_there_are_six_levels_or_more_up_to_the_champion(game: str) -> None:
    found = page_of(st.game(game)).levels
    assert len(found) >= 6
    assert len({one.name for one in found}) == len({one.spec for one in found}) == len(found)
    champion = PlayerSpec.parse(st.game(game).champion)
    assert dict(champion.settings).items() <= dict(PlayerSpec.parse(found[-1].spec).settings).items()
    for one in found:
        spec = PlayerSpec.parse(one.spec)
        assert game in spec.player().games  # type: ignore[attr-defined]
        assert not any("seconds" in key for key, _ in spec.settings), "a level has a count, never a clock"


@pytest.mark.parametrize("game", ["tubstap", "conquest"])
def test_shipped_measurements_are_of_the_current_levels(game: str) -> None:
    found = json.loads(levels.file_of(game).read_text())
    page = page_of(st.game(game))
    played = [(one["name"], PlayerSpec.parse(one["spec"]).digest) for one in found["levels"]]
    assert played == [(one.name, PlayerSpec.parse(one.spec).digest) for one in page.levels]
    assert found["maps"] == list(page.level_maps)
    middles = [one["elo"][0] for one in found["levels"]]
    assert all(100 <= after - before <= 300 for before, after in itertools.pairwise(middles))
    assert all(low <= middle <= high for middle, low, high in (one["elo"] for one in found["levels"]))


class _Small:
    """Two levels on one map."""

    levels = (Level("a", "A", "random", ""), Level("b", "B", "greedy", ""))
    level_maps = ("duel",)


def test_the_measurement_can_be_stopped_and_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "page_of", lambda _: _Small)
    game = st.game("tubstap")

    def measure(path: Path, stop_at: int | None = None) -> dict[str, object]:
        def progress(done: int, total: int) -> None:
            if stop_at is not None and done >= stop_at:
                raise KeyboardInterrupt

        with Store(path) as store:
            return levels.calibrate(game, 6, 1, store, 1, progress)

    with pytest.raises(KeyboardInterrupt):
        measure(tmp_path / "stopped.sqlite", stop_at=3)
    whole, continued = measure(tmp_path / "whole.sqlite"), measure(tmp_path / "stopped.sqlite")
    assert whole["games"] == continued["games"] == 6
    ratings = [[one["elo"] for one in found["levels"]] for found in (whole, continued)]  # type: ignore[attr-defined]
    assert ratings[0] == ratings[1]
    assert ratings[0][0][0] == 0 < ratings[0][1][0]


def test_the_command_shows_the_levels() -> None:
    shown = sandtable("levels", "tubstap").stdout
    assert all(one.name in shown for one in page_of(st.game("tubstap")).levels)


@pytest.mark.parametrize(
    ("temperature", "shares"), [(0.05, (1.0, 0.0, 0.0)), (1.0, (0.6, 0.3, 0.1)), (100.0, (0.34, 0.33, 0.33))]
)
def test_tempered_draws_moves_by_their_visits(temperature: float, shares: tuple[float, ...]) -> None:
    player = Tempered(player="uct(simulations=5)", temperature=temperature)
    candidates = [Candidate(move, visits, 0.0) for move, visits in (("a", 60), ("b", 30), ("c", 10), ("never", 0))]
    drawn = Counter(player._drawn(candidates).move for _ in range(2000))
    for move, share in zip("abc", shares, strict=True):
        assert drawn[move] / 2000 == pytest.approx(share, abs=0.04)
    assert drawn["never"] == 0


def test_tempered_can_be_used_like_any_other_player() -> None:
    player = st.player("tempered(player='equilibrium(rounds=1)', temperature=2.0)")
    assert player.games == ("conquest",)  # type: ignore[attr-defined]
    assert {one.name for one in declared(type(player))} == {"seed", "player", "temperature"}
    state = st.conquest.load("simple").start(1)
    analysis = player.analyse(state, 0)  # type: ignore[attr-defined]
    again = st.player("tempered(player='equilibrium(rounds=1)', temperature=2.0)")
    assert again.act(state, 0) == analysis.candidates[0].move
    with pytest.raises(SandtableError, match="cannot analyse positions"):
        st.player("tempered(player=random)")
    with pytest.raises(CodeRefusedError):
        check_code("tempered(player='mine:Player')", nothing)
