"""Rules that are chosen on the command line and in a tournament's file."""

import json
from pathlib import Path

import pytest

import sandtable as st
from sandtable.arena.store import Store
from sandtable.arena.tournament import make, read
from sandtable.errors import SandtableError
from sandtable.games import RuleChoice
from support.commands import sandtable as run


def rules_played(store: Path) -> set[str]:
    """The rules of the games in a store, by their records."""
    with Store(store, write=False) as opened:
        starts = [st.Record.from_line(row.record).start for row in opened.rows()]
    return {st.game("conquest").map_of(start).rules.name for start in starts}


def test_a_match_is_played_under_the_chosen_rules(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    match = ("match", "random", "flow", "--map", "conquest:simple", "--games", 2, "--store", store)
    run(*match, "--rules", "soares2025-text")
    assert rules_played(store) == {"soares2025-text"}
    shown = run(*match, "--set-rule", "turn_limit=7", "--set-rule", "order=random").stdout
    assert "the first player to move" not in shown  # both move at once
    assert "the first player to move" not in run("ratings", store, "--table").stdout
    with Store(store, write=False) as opened:
        assert len(opened.tournaments()) == 2  # none of the first match's games counts for the second
    assert rules_played(store) == {"soares2025-text", "soares2025*"}


def test_rules_are_part_of_keys_and_task_ids() -> None:
    choices = [
        RuleChoice(),
        RuleChoice("kimura2020"),
        RuleChoice(None, {"turn_limit": 5}),
        RuleChoice("kimura2020", {"turn_limit": 5}),
    ]
    for map in ("duel", "symmetric"):
        made = [make("cup", ["random", "greedy"], [map], 2, rules=choice) for choice in choices]
        assert len({one.key for one in made}) == len(choices)
        assert len({one.tasks()[0].id for one in made}) == len(choices)
    named, spelt = (
        make("cup", ["random", "greedy"], ["symmetric"], 2, rules=choice)
        for choice in (RuleChoice("original", {"turn_limit": 16, "hp_threshold": "none"}), RuleChoice("kimura2020"))
    )
    assert named.key == spelt.key  # equal rules, however they are spelt
    assert (
        make("cup", ["random", "greedy"], ["symmetric"], 2, rules=choices[2]).grounds[0].start(1).rules.turn_limit == 5
    )


FILE = """
players = ["random", "flow"]
maps = ["conquest:simple", "planar"]
games = 2
rules = "soares2025-text"
[set_rules]
base_income = 7
"""


def test_a_tournaments_file_chooses_rules(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(FILE)
    tournament, _ = read(path)
    for ground in tournament.grounds:
        rules = ground.start(1).rules
        assert (rules.order, rules.base_income) == ("random", 7)
    run("tournament", path)
    assert rules_played(tmp_path / "cup.sqlite") == {"soares2025-text*"}
    path.write_text(FILE.replace("base_income", "base_incme"))
    assert "(did you mean 'base_income'?)" in run("tournament", path, code=2).stderr


def test_perft_and_maps_take_other_rules(tmp_path: Path) -> None:
    count = run("perft", "duel", 1, "--set-rule", "movement=[9, 7, 1, 5, 1, 1]").stdout.split()[-4]
    assert int(count) < int(run("perft", "duel", 1).stdout.split()[-4])
    assert (
        "rules original*"
        in run("maps", "show", "duel", "--set-rule", "turn_limit=none", "--set-rule", "quiet_limit=3").stdout
    )
    run("maps", "generate", "planar", "--set-rule", "base_income=9", "--out", tmp_path / "land.json")
    run("maps", "convert", "duel", tmp_path / "duel.json", "--set-rule", "turn_limit=9")
    assert json.loads((tmp_path / "duel.json").read_text())["rules"]["turn_limit"] == 9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set-rule", "turn_limit"), "--set-rule takes NAME=VALUE"),
        (("--set-rule", "turn_limt=3"), "no field 'turn_limt' (did you mean 'turn_limit'?)"),
        (("--set-rule", "self=1"), "no field 'self'; the fields are name, "),
        (("--set-rule", "turn_limit={}"), "turn_limit must be a whole number"),
        (("--set-rule", "turn_limit=soon"), "turn_limit must be a whole number"),
        (("--set-rule", "hp=1", "--set-rule", "hp=2"), "hp is given twice"),
        (("--rules", "soares2025"), "no rules are called 'soares2025'"),
        (("--rules", "kimura202"), "(did you mean 'kimura2020'?)"),
    ],
)
@pytest.mark.parametrize("map", ["duel", "symmetric"])
def test_bad_rules_get_a_one_line_error(words: tuple[str, ...], message: str, map: str) -> None:
    done = run("match", "random", "greedy", "--map", map, "--games", 2, *words, code=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_suite_keeps_its_rules() -> None:
    with pytest.raises(SandtableError, match="measured with their own rules"):
        make("cup", ["random", "greedy"], ["suite:dev:tubstap"], 2, rules=RuleChoice("original"))
