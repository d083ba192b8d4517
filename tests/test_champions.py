"""The champions finish won games; papers and suites use the settings with which their stored results were made."""

from statistics import fmean
from typing import Any

import pytest

import sandtable as st
from sandtable.arena import suite_search
from sandtable.arena.suites import suite
from sandtable.nets.evaluators import locate
from sandtable.papers.kimura2020 import fast
from sandtable.papers.soares2025.matches import SANDTABLE


def won_against_random(start: Any, champion: str, seat: int, seed: int) -> st.Record:
    record = st.play(start, *((champion, "random") if seat == 0 else ("random", champion)), seed=seed)
    assert record.winner == seat
    return record


def test_the_champion_of_conquest_beats_random_quickly() -> None:
    """Random play loses to any player that attacks. With `progress=0` it takes 10.5 turns."""
    land = st.conquest.load("italy")
    games = [won_against_random(land, "sandtable(rounds=10)", seat, seed) for seed in range(4) for seat in (0, 1)]
    assert fmean(len(record.moves) for record in games) <= 7


def test_few_units_of_the_champion_of_tubstap_stay_put_in_a_won_game() -> None:
    """With `choice=visits` half of them do."""
    operations = stayed = 0
    for number in (20, 35, 55):
        state = suite("dev", "tubstap").entries[number].source.start()
        for move in won_against_random(state.copy(), "sandtable(simulations=50)", 0, seed=2 * number).moves:
            if state.side == 0:
                unit = next(one for one in state.units if one.id == move.unit)
                operations += 1
                stayed += move.target is None and (unit.x, unit.y) == (move.x, move.y)
            state.play(move)
    assert stayed < operations / 3


def settings_of(spec: str, game: str) -> Any:
    """The search settings of a player in a game; for `sandtable` those of the player that it stands for there."""
    made: Any = st.player(spec)
    return (made.playing(st.game(game)) if hasattr(made, "playing") else made).settings


def test_suites_and_papers_use_the_champion_s_settings_of_their_stored_results(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_of(suite_search.methods()["conquest"].player, "conquest").progress == 0
    net = repr(str(locate("sandtable-conquest")))
    assert settings_of(SANDTABLE.search.filled(net=net, seconds=1), "conquest").progress == 0
    monkeypatch.setattr(fast, "weights", lambda *_: locate("sandtable"))
    run: Any = None
    spec = fast.player(run, 5.0, "sandtable", simulations=10).spec
    assert settings_of(spec, "tubstap").choice == "visits"
    assert settings_of("sandtable", "tubstap").choice == "bound"
