"""Games of Conquest that end when both players are sure of the result: soares2025's match rules."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sandtable as st
from sandtable.arena import EarlyEnd, Record, play
from sandtable.arena.grounds import Ground
from sandtable.arena.store import Store
from sandtable.arena.tournament import Tournament, make, run
from sandtable.cli import app
from sandtable.errors import RecordError, SandtableError
from sandtable.players.protocol import Analysis, Candidate


@dataclass
class Idle:
    """Does nothing, and reports a fixed value."""

    value: float = 0.0
    games = ("conquest",)

    def analyse(self, state: st.conquest.State, side: int | None = None) -> Analysis:
        return Analysis(self.value, [Candidate([], 1, self.value)], 1, 0.0)

    def act(self, state: st.conquest.State, side: int | None = None) -> list[st.conquest.Order]:
        return []


LAND = st.conquest.load("banana")


@pytest.mark.parametrize(
    ("first", "second", "winner", "reason", "turns"),
    [
        (0.99, -0.99, 0, "surrender", 0),
        (-1.0, 1.0, 1, "surrender", 0),
        (0.99, -0.5, None, None, 100),  # the other is not sure
        (1.0, 1.0, None, None, 100),
        (0.0, 0.01, None, "agreed tie", 50),
        (0.0, 0.1, None, None, 100),
    ],
)
def test_a_game_ends_early_only_when_both_players_are_sure(
    first: float, second: float, winner: int | None, reason: str | None, turns: int
) -> None:
    record = play(LAND, Idle(first), Idle(second), seed=1, early_end=EarlyEnd())
    assert (record.winner, record.reason, record.turns) == (winner, reason, turns)
    assert record.verify().turn == turns
    assert Record.from_line(record.to_line()).winner == winner


def test_a_player_without_a_search_never_surrenders() -> None:
    record = play(LAND, Idle(1.0), "random", seed=1, early_end=EarlyEnd())
    assert record.reason is None
    record.verify()


def test_reporting_values_changes_no_move() -> None:
    """Limits that are never reached change nothing."""
    never = EarlyEnd(tie_after=1000, sure=1.0)
    specs = ("mcts(iterations=5)", "coevolution(generations=2)")
    plain, aloud = (play(LAND, *specs, seed=4, early_end=rule) for rule in (None, never))
    assert aloud.moves[: len(plain.moves)] == plain.moves[: len(aloud.moves)]
    assert aloud.reason in (None, "surrender")  # a search that sees the end is certain of it


@pytest.mark.parametrize(
    "change",
    [{"winner": None}, {"reason": None}, {"reason": "agreed tie"}, {"turns": 1}, {"reason": "boredom"}],
)
def test_a_record_with_a_wrong_end_is_refused(change: dict[str, object]) -> None:
    record = play(LAND, Idle(1.0), Idle(-1.0), seed=1, early_end=EarlyEnd())
    with pytest.raises(RecordError, match="record: says winner"):
        dataclasses.replace(record, **change).verify()  # type: ignore[arg-type]


def test_a_surrender_in_a_game_that_was_over_is_refused() -> None:
    record = play(LAND, "random", "random", seed=1)
    assert record.winner is not None
    with pytest.raises(RecordError, match="reason surrender"):
        dataclasses.replace(record, reason="surrender").verify()


def test_the_early_end_is_part_of_a_tournament_s_key(tmp_path: Path) -> None:
    """By default a tournament has no early end, and its key is the one without it."""
    players = ("mcts(iterations=3)", "mcts(iterations=4)")
    plain, early = (
        Tournament("cup", players, (Ground("banana", LAND),), 2, early_end=rule) for rule in (None, EarlyEnd())
    )
    assert plain.key != early.key
    assert make("cup", players, ["banana"], 2).key == plain.key
    assert make("cup", players, ["banana"], 2, early_end=True).key == early.key
    with Store(tmp_path / "cup.sqlite") as store:
        run(early, store)
        records = [Record.from_line(row.record) for row in store.rows(early.key)]
    assert {record.reason for record in records} == {"surrender"}
    for record in records:
        record.verify()


def test_players_that_report_no_value_play_on() -> None:
    """Their games are not changed. A bad setting is refused."""
    played_on = play(st.tubstap.load("duel"), "greedy", "random", early_end=EarlyEnd())
    assert played_on.to_line() == play(st.tubstap.load("duel"), "greedy", "random").to_line()
    with pytest.raises(SandtableError, match="an early end needs"):
        EarlyEnd(sure=0.2)


def test_a_record_is_shown_with_its_end(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(play(LAND, Idle(1.0), Idle(-1.0), seed=1, early_end=EarlyEnd()).to_line() + "\n")
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert "ended after 0 turns: blue surrendered" in shown.output
    assert "all end as recorded" in CliRunner().invoke(app, ["show", str(path), "--verify"]).output
