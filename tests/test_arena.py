"""Matches, tournaments, ratings and the store: no game is lost or counted twice, and the statistics are right."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sandtable as st
from sandtable.arena import tables, tasks, tournament
from sandtable.arena.grounds import grounds
from sandtable.arena.ratings import ratings
from sandtable.arena.statistics import Sprt, clustered, elo_of, expected, mean_interval, wilson
from sandtable.arena.store import Store
from sandtable.arena.tasks import Row
from support import commands
from support.commands import sandtable as run
from support.commands import sandtable_process

TOML = """
name = "test"
players = ["random", "greedy", "uct(simulations=20)"]
maps = ["duel", "symmetric"]
games = 8
seed = 3
"""


def tournament_file(tmp_path: Path, text: str = TOML) -> Path:
    path = tmp_path / "test.toml"
    path.write_text(text)
    return path


def exported(path: Path) -> list[str]:
    with Store(path, write=False) as store:
        return [f"{row.task} {row.winner} {row.error} {row.record}" for row in store.rows()]


def played(tmp_path: Path, name: str, **options: Any) -> list[str]:
    plan, _ = tournament.read(tournament_file(tmp_path))
    with Store(tmp_path / name) as store:
        tournament.run(plan, store, **options)
    return exported(tmp_path / name)


def test_any_number_of_workers_plays_the_same_games(tmp_path: Path) -> None:
    alone = played(tmp_path, "one.sqlite")
    assert len(alone) == 3 * 2 * 8
    assert played(tmp_path, "two.sqlite", workers=2) == alone
    assert played(tmp_path, "one.sqlite") == alone  # nothing is played again
    records = [st.Record.from_line(line[line.index("{") :]) for line in alone]
    assert all(record.verify() for record in records)


def test_tournaments_run_together_play_the_same_games_as_one_by_one(tmp_path: Path) -> None:
    plans = [tournament.make(name, ["random", "greedy"], [name], 4, seed=3) for name in ("duel", "ford")]
    told: list[int] = []
    with Store(tmp_path / "apart.sqlite") as apart, Store(tmp_path / "together.sqlite") as together:
        for plan in plans:
            tournament.run(plan, apart)
        tournament.run_all(plans, together, progress=lambda _, left: told.append(left))
        assert sorted(told, reverse=True) == [8, 7, 6, 5, 4, 3, 2, 1, 0]
        tournament.run_all(plans, together, progress=lambda _, left: told.append(left))
        assert len(told) == 9  # nothing is played again
    assert exported(tmp_path / "together.sqlite") == exported(tmp_path / "apart.sqlite")


def _stored(store: Path) -> int:
    """The number of games in a store; 0 if the program that should create it was killed before it did."""
    with contextlib.suppress(sqlite3.OperationalError), sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        return int(db.execute("SELECT count(*) FROM games").fetchone()[0])
    return 0


def test_a_killed_tournament_resumes_without_losing_games(tmp_path: Path) -> None:
    path = tournament_file(tmp_path, TOML.replace("games = 8", "games = 300"))
    command = [sys.executable, "-m", "sandtable", "tournament", str(path), "--workers", "2"]
    store_path, quiet = tmp_path / "test.sqlite", subprocess.DEVNULL
    chance = random.Random(1)
    sizes = [0]
    for number in range(10):
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
        # Every other kill comes at any moment, also while the program starts; the others wait for more games. A kill
        # comes after about 60 more games at most, so that on any machine games are left for ten kills.
        wanted = sizes[-1] + chance.randint(1, 60)
        latest = time.monotonic() + (chance.uniform(0, 1) if number % 2 else 60)
        while _stored(store_path) < wanted and time.monotonic() < latest and process.poll() is None:
            time.sleep(0.002)
        assert process.poll() is None, "it must still be running to be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        sizes.append(_stored(store_path))
    assert sizes == sorted(sizes)
    assert 0 < sizes[-1] < 1800, sizes
    assert commands.run(command).returncode == 0
    plan, _ = tournament.read(path)
    with Store(tmp_path / "whole.sqlite") as store:
        tournament.run(plan, store, workers=2)
    whole = exported(tmp_path / "whole.sqlite")
    assert len(whole) == 1800
    assert exported(store_path) == whole


BROKEN = """
class Sometimes:
    games = ("tubstap",)
    def start(self, scenario, side, seed):
        self.bad = seed % 2 == 0
    def act(self, state, side=None):
        if self.bad:
            raise KeyError("oops")
        return state.moves()[0]
"""


def test_a_failing_player_is_recorded_and_the_other_games_are_played(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    match = ("match", "broken:Sometimes", "random", "--map", "duel", "--games", 20, "--json")
    done = sandtable_process(*match, cwd=tmp_path, code=1)
    result = json.loads(done.stdout)
    assert result["games"] == 20
    assert 0 < len(result["failed"]) < 20
    assert result["failed"][0]["error"].startswith("KeyError: 'oops' (at broken.py:")
    assert result["pairs"][0]["games"] == 20 - len(result["failed"])


def test_tournament_ratings_games_and_match_commands(tmp_path: Path) -> None:
    tournament_file(tmp_path)
    out = run("tournament", "test.toml", "--csv", "pairs.csv", "--svg", "table.svg", cwd=tmp_path)
    assert "the first player to move scores" in out.stdout
    assert "48 of 48 games" in out.stderr
    assert (tmp_path / "pairs.csv").read_text().count("\n") == 7
    assert (tmp_path / "table.svg").read_text().startswith("<svg")
    rated = json.loads(run("ratings", "test.sqlite", "--json", cwd=tmp_path).stdout)
    assert [rating["player"] for rating in rated][-1] == "random"
    assert "greedy" in run("ratings", "test.sqlite", "--table", cwd=tmp_path).stdout
    files = ("--csv", "again.csv", "--svg", "again.svg")
    assert json.loads(run("ratings", "test.sqlite", "--json", *files, cwd=tmp_path).stdout) == rated
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "pairs.csv").read_bytes()
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "table.svg").read_bytes()
    both = json.loads(run("ratings", "test.sqlite", "--table", "--json", cwd=tmp_path).stdout)
    assert both["games"] == 48
    assert both["ratings"] == rated
    assert run("games", "test.sqlite", "--player", "random", cwd=tmp_path).stdout.count(" | ") >= 32
    run("games", "export", "test.sqlite", "--map", "duel", "--out", "games.jsonl", cwd=tmp_path)
    assert "24 games replayed" in run("show", "games.jsonl", "--verify", cwd=tmp_path).stdout
    match = ("match", "uct(simulations=50)", "random", "--map", "duel", "--games", 200, "--sprt", "0,100")
    assert "at least 100 Elo" in run(*match, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("games = 8", "games = 0"), "games must be within"),
        (("games = 8", "games = 7"), "games must be even"),
        (("games = 8", 'games = "8"'), "games must be a whole number, not '8'"),
        (("games = 8", ""), "games is missing"),
        (("games = 8", 'games = 8\nset_rules = ["turn_limit=9"]'), "set_rules must be a table such as [set_rules]"),
        (('"greedy"', '"random"'), "named twice"),
        (('"greedy"', '"gredy"'), "did you mean 'greedy'"),
        (('"greedy"', '"mcts"'), "mcts does not play tubstap"),
        (('"greedy", "uct(simulations=20)"', ""), "two players"),
        (('"duel"', '"dual"'), "did you mean 'duel'"),
        (('["duel", "symmetric"]', "[]"), "needs a map"),
        (('["duel", "symmetric"]', "[1]"), "list of strings"),
        (("seed = 3", "seeds = 3"), "did you mean 'seed'"),
        (("seed = 3", "seed ="), "not TOML"),
    ],
)
def test_a_bad_tournament_file_gets_a_one_line_error(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    tournament_file(tmp_path, TOML.replace(*change))
    done = run("tournament", "test.toml", cwd=tmp_path, code=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "test.sqlite").exists()


def test_unusable_stores_are_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tournament_file(tmp_path)
    plan, _ = tournament.read(path)

    def refused(name: str, message: str) -> None:
        before = (tmp_path / name).read_bytes()
        with pytest.raises(st.SandtableError, match=message):
            Store(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before

    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look at" * 30)
    refused("text.sqlite", "not a database")
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE things (name TEXT)")
    other.commit()
    other.close()
    refused("other.sqlite", "not a store of this program")
    with Store(tmp_path / "good.sqlite") as store:
        tournament.run(plan, store)
        with pytest.raises(st.SandtableError, match="another process is writing"):
            Store(tmp_path / "good.sqlite")
    whole = exported(tmp_path / "good.sqlite")
    newer = sqlite3.connect(tmp_path / "good.sqlite")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    refused("good.sqlite", "newer version")
    newer = sqlite3.connect(tmp_path / "good.sqlite")
    newer.execute("PRAGMA user_version = 1")
    newer.close()
    data = bytearray((tmp_path / "good.sqlite").read_bytes())
    data[5000:9000] = bytes(4000)
    (tmp_path / "bad.sqlite").write_bytes(data)
    with pytest.raises(st.SandtableError, match=r"bad\.sqlite: "):
        exported(tmp_path / "bad.sqlite")
    assert exported(tmp_path / "good.sqlite") == whole
    with pytest.raises(st.SandtableError, match="there is no store"):
        exported(tmp_path / "missing.sqlite")


def test_a_full_disk_loses_no_stored_game(tmp_path: Path) -> None:
    plan, _ = tournament.read(tournament_file(tmp_path))
    with Store(tmp_path / "full.sqlite") as store:
        store._database.execute("PRAGMA max_page_count = 12")
        with pytest.raises(st.SandtableError, match="full"):
            tournament.run(plan, store)
    kept = exported(tmp_path / "full.sqlite")
    with Store(tmp_path / "full.sqlite") as store:
        tournament.run(plan, store)
    finished = exported(tmp_path / "full.sqlite")
    assert set(kept) < set(finished)
    assert finished == played(tmp_path, "other.sqlite")


# Statistics.


def test_wilson_intervals_match_published_values() -> None:
    # Newcombe (1998), Statistics in Medicine 17, Table I, method 3.
    for score, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson(score, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0, 1)
    for n in (1, 6, 10, 50, 500):  # exact at the ends, without rounding errors
        assert wilson(0, n)[0] == 0
        assert wilson(n, n)[1] == 1


def test_clustered_intervals_cover_the_true_mean() -> None:
    """With correlated trials in groups the clustered interval covers the mean in 95% of samples, Wilson's far fewer."""
    rng = random.Random(4)
    covered = naive = 0
    for _ in range(400):
        sizes = [rng.randint(5, 60) for _ in range(80)]
        shares = [rng.choice((0.1, 0.9)) for _ in sizes]  # the mean is 0.5
        won = [sum(rng.random() < share for _ in range(size)) for size, share in zip(sizes, shares, strict=True)]
        low, high = clustered(won, sizes)
        covered += low <= 0.5 <= high
        low, high = wilson(sum(won), sum(sizes))
        naive += low <= 0.5 <= high
    assert 360 <= covered <= 396
    assert naive < 200
    assert clustered([3], [5]) == (0, 1)
    assert clustered([5, 5, 5], [5, 5, 5]) == (1, 1)


def test_the_interval_of_a_mean_is_1_96_standard_errors_wide_on_each_side() -> None:
    low, high = mean_interval([1.0, 2.0, 3.0])
    assert (low, high) == pytest.approx((2 - 1.96 / 3**0.5, 2 + 1.96 / 3**0.5), abs=1e-4)


def test_elo_and_sprt_match_published_values() -> None:
    assert expected(0) == 0.5
    assert expected(200) == pytest.approx(0.7597, abs=1e-4)
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert Sprt(alpha=0.05, beta=0.05).bounds == pytest.approx((-2.944, 2.944), abs=1e-3)  # Wald (1945)
    test = Sprt(0, 50)
    assert test.verdict(0, 0, 0) is None
    assert test.verdict(10, 8, 2) is None
    assert test.verdict(300, 150, 50) == "elo1"
    assert test.verdict(200, 200, 100) == "elo0"


def test_sprt_keeps_its_error_rates() -> None:
    chance = random.Random(5)
    test = Sprt(0, 100, 0.05, 0.05)
    for elo, wrong in ((0.0, "elo1"), (100.0, "elo0")):
        errors = 0
        for _ in range(300):
            wins = losses = 0
            while (verdict := test.verdict(wins, losses, 0)) is None:
                won = chance.random() < expected(elo)
                wins, losses = wins + won, losses + (not won)
            errors += verdict == wrong
        assert errors / 300 < 0.09


def test_ratings_recover_known_strengths() -> None:
    chance = np.random.default_rng(7)
    truth = {"a": 150.0, "b": 50.0, "c": 0.0, "d": -200.0}
    inside = total = 0
    for _ in range(60):
        results = []
        for first in truth:
            for second in truth:
                if first < second:
                    p = expected(truth[first] - truth[second])
                    results += [(first, second, float(won)) for won in chance.random(60) < p]
        for rating in ratings(results):
            total += 1
            inside += rating.low <= truth[rating.player] <= rating.high
    assert 0.91 <= inside / total <= 0.985
    assert [rating.player for rating in ratings(results)] == list("abcd")


def test_ratings_of_few_games_are_finite() -> None:
    assert ratings([]) == []
    for rating in ratings([("a", "b", 1.0)] * 5):
        assert abs(rating.elo) < 1000
        assert rating.low < rating.elo < rating.high


def row(first: str, second: str, winner: int | None, number: int = 0) -> Row:
    return Row("id", first, second, "map", number, winner, winner, 1, None, "", (0.5, 0.25), (5, 1), (0, 1))


def test_a_name_of_both_a_map_and_a_generator_is_ambiguous() -> None:
    with pytest.raises(st.MapError, match=r"ambiguous: conquest:simple \(a map\) or tubstap:simple \(a generator\)"):
        grounds("simple")
    assert [place.position for place in grounds("conquest:simple")] == [st.conquest.load("simple")]
    (generator,) = grounds("tubstap:simple")
    assert generator.name == "simple"
    assert generator.start(3) == st.tubstap.maps.simple(3)
    with pytest.raises(st.SandtableError, match="mcts does not play tubstap, the game of simple"):
        tasks.check_players(["mcts", "flow"], [generator])
    with pytest.raises(st.MapError, match=r"no game is called 'conquesst' \(did you mean 'conquest'\?\)"):
        grounds("conquesst:simple")


def test_maps_that_share_a_name_are_told_apart(tmp_path: Path) -> None:
    for seed, folder in enumerate("ab"):
        (tmp_path / folder).mkdir()
        st.tubstap.save(st.tubstap.maps.symmetric(seed), tmp_path / folder / "map.json")
    files = [str(tmp_path / folder / "map.json") for folder in "ab"]
    both = tournament.make("cup", ["random", "greedy"], files, 2)
    assert len({task.id for task in both.tasks()}) == len(both.tasks()) == 4
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(both, store)
        assert len(list(tournament.played(both, store))) == 4
    with pytest.raises(st.SandtableError, match="is given twice"):
        tournament.make("cup", ["random", "greedy"], [files[0], files[0]], 2)


def test_a_map_and_a_generator_with_the_same_name_lose_no_game(tmp_path: Path) -> None:
    both = tournament.make("cup", ["random", "random(seed=1)"], ["conquest:simple", "tubstap:simple"], 4)
    assert len({task.id for task in both.tasks()}) == len(both.tasks()) == 8
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(both, store)
        rows = list(tournament.played(both, store))
    assert [row.error for row in rows] == [None] * 8
    games = {row.ground: json.loads(row.record)["game"] for row in rows}
    assert sorted(games.values()) == ["conquest", "tubstap"]


def test_starts_won_or_lost_from_both_seats_are_counted() -> None:
    winners = {"won": (0, 0), "lost": (1, 1), "decided": (0, 1), "half": (0, None), "tied": (None, None)}
    rows = [
        row("a", "b", winner, number)._replace(ground=name)
        for name, pair in winners.items()
        for number, winner in enumerate(pair)
    ]
    assert tables.Results(rows).starts["a"]["b"] == (1, 1, 3)
    same_map = [row("a", "b", winner, number) for number, winner in enumerate((0, 0, 1, 1, 0, 1, 0))]
    assert tables.Results(same_map).starts["a"]["b"] == (1, 1, 1)  # the seventh game has no partner from the same start
    assert tables.Results([*same_map, row("b", "a", 0), row("b", "a", 0, 1)]).starts["a"]["b"] == (1, 2, 1)


def test_tables_sum_up_results_and_efforts() -> None:
    rows = [row("a", "b", 0), row("a", "b", 1), row("a", "b", None), row("a", "b", 0)]
    table = tables.Results(rows).table
    assert table["a"]["b"] == (2, 1, 1)
    assert table["b"]["a"] == (1, 2, 1)
    assert table["a"]["b"].share == 0.625
    assert tables.Results(rows).efforts["b"] == (1.0, 4, 4)
    assert tables.Results(rows).first_seat.games == 4
