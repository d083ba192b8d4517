"""The command line as its users call it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import sandtable as st
from sandtable import rates
from sandtable.conquest import network_benchmarks as conquest_networks
from sandtable.tubstap import benchmarks
from sandtable.tubstap import network_benchmarks as tubstap_networks
from support import commands
from support.commands import sandtable as run
from support.commands import sandtable_process


def test_maps_list_and_show(tmp_path: Path) -> None:
    listed = sandtable_process("maps", "list").stdout
    assert all(name in listed for name in st.tubstap.maps.shipped() | st.conquest.maps.shipped())
    picture = tmp_path / "map.svg"
    shown = run("maps", "show", "crossroads", "--svg", picture).stdout
    assert "red to move" in shown
    ET.parse(picture)


def test_maps_generate_check_and_convert(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    run("maps", "generate", "symmetric", "--seed", 5, "--count", 3, "--out", folder)
    files = sorted(folder.iterdir())
    assert [path.name for path in files] == ["symmetric-5.tbsmap", "symmetric-6.tbsmap", "symmetric-7.tbsmap"]
    assert run("maps", "check", *files).stdout.count("ok: ") == 3
    run("maps", "convert", files[0], tmp_path / "map.json", "--rules", "li2022")
    run("maps", "convert", tmp_path / "map.json", tmp_path / "back.tbsmap")
    assert (tmp_path / "back.tbsmap").read_text() == files[0].read_text()
    run("maps", "convert", files[0], tmp_path / "map.svg")
    ET.parse(tmp_path / "map.svg")
    far = run("maps", "generate", "skirmish", "--seed", 3, "--distance", 7, "--hp-difference", 0).stdout
    assert far != run("maps", "generate", "skirmish", "--seed", 3).stdout
    one = run("maps", "generate", "mixed", "--size", 16).stdout
    assert st.tubstap.parse(one).width == 18


def test_maps_commands_for_conquest(tmp_path: Path) -> None:
    assert "Sardegna" in run("maps", "show", "italy", "--svg", tmp_path / "italy.svg").stdout
    ET.parse(tmp_path / "italy.svg")
    run("maps", "generate", "planar", "--territories", 30, "--bonuses", 6, "--seed", 2, "--out", tmp_path / "map.json")
    assert "30 territories, 6 bonuses" in run("maps", "check", tmp_path / "map.json").stdout
    run("maps", "convert", tmp_path / "map.json", tmp_path / "copy.json")
    assert (tmp_path / "copy.json").read_text() == (tmp_path / "map.json").read_text()


def test_maps_check_reports_a_bad_map_among_good_ones(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tbsmap"
    bad.write_text("SIZEX[3];")
    done = sandtable_process("maps", "check", "duel", bad, "pass", code=2)
    assert done.stdout.count("ok: ") == 2
    assert done.stderr.strip() == f"bad: {bad}: SIZEY is missing: add SIZEY[number];"


def test_characters_that_a_terminal_cannot_show_become_question_marks(tmp_path: Path) -> None:
    path = tmp_path / "map.tbsmap"
    path.write_text(st.tubstap.tbsmap.format(st.tubstap.maps.random(1)).replace("MAP[", "MAPCOM[日本語];MAP[", 1))
    done = commands.run(commands.command("maps", "show", path), env={"PYTHONIOENCODING": "ascii"})
    assert "???" in done.stdout


def test_perft_counts_and_divides() -> None:
    assert "depth 2: " in run("perft", "duel", 2).stdout
    assert run("perft", "duel", 1, "--divide").stdout.count("red ") == len(st.tubstap.load("duel").start().moves())


def test_bench_measures_every_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "SELF_PLAY", benchmarks.SELF_PLAY.replace(simulations=2, lanes=2))
    found = json.loads(run("bench", "--seconds", 0.02, "--json").stdout)["rates"]
    assert all(rate["per_second"] > 0 for rate in found)
    notes = [rate["note"] for rate in found if "should be" in rate["note"]]
    beside_onnxruntime = 2 * len(tubstap_networks.LIMITS) + 1 + 2  # alone and in searches, self-play; Conquest's maps
    assert sum("times as fast as onnxruntime" in note for note in notes) == beside_onnxruntime
    assert sum("of the time with padded states" in note for note in notes) == 1
    assert len(notes) == len(benchmarks.LIMITS) + 1 + beside_onnxruntime + 1


def test_network_benchmarks_run_without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "find_spec", lambda _: None)
    found = list(conquest_networks.networks(1))
    assert [one.where.partition(",")[0] for one in found] == list(conquest_networks.LIMITS)
    assert all(one.seconds.keys() == {"native"} and one.rate().note == "" for one in found)


def test_players_check_player_and_show(tmp_path: Path) -> None:
    listed = run("players").stdout
    assert all(name in listed for name in st.players())
    assert "BAD" not in run("check-player", "uct(simulations=5)", "--games", 1).stdout
    records = tmp_path / "games.jsonl"
    games = [
        st.play(st.tubstap.load("duel"), "random", "greedy", seed=1),
        st.play(st.conquest.load("simple"), "random", "flow"),
    ]
    records.write_text("".join(game.to_line() + "\n" for game in games), encoding="utf-8")
    assert "2 games replayed" in run("show", records, "--verify").stdout
    assert "random against greedy" in run("show", records, "--moves", "--svg", tmp_path / "end.svg").stdout
    ET.parse(tmp_path / "end.svg")
    assert "turn 0" in run("show", records, "--game", 2, "--step", 0).stdout
    assert "there is no game 3" in run("show", records, "--game", 3, code=2).stderr
    assert "--step must be within 0.." in run("show", records, "--step", 9999, code=2).stderr
    records.write_text(games[0].to_line().replace('"winner":', '"winner":null,"w":'), encoding="utf-8")
    assert "game 1" in run("show", records, "--verify", code=2).stderr


def test_check_player_reports_a_user_s_bad_player(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Bad:\n    games = ('tubstap',)\n    def act(self, state, side=None): return 1\n"
    )
    assert "BAD: " in sandtable_process("check-player", "mine:Bad", cwd=tmp_path, code=1).stdout


def test_demo_plays_and_saves_its_games(tmp_path: Path) -> None:
    games = tmp_path / "demo.jsonl"
    out = sandtable_process("demo", "--games", 2, "--out", games).stdout
    assert out.endswith("in the browser: sandtable play\n")
    assert "minimax(evaluator=gcn_4)" in out
    assert "sandtable bench" in out
    assert " .. " in out  # an interval
    assert "2 games replayed" in run("show", games, "--verify").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("maps", "show", "nowhere"),
        ("maps", "show", "duel", "--rules", "chess"),
        ("maps", "show", "duel", "--svg", "/nonexistent/folder/x.svg"),
        ("maps", "convert", "duel", "x.docx"),
        ("maps", "generate", "nothing"),
        ("maps", "generate", "symmetric", "--size", "2"),
        ("maps", "generate", "random", "--count", "2"),
        ("maps", "generate", "random", "--out", "x.tbsmap", "--format", "json"),
        ("maps", "show", "duel", "--svg", "."),
        ("maps", "show", "duel", "--svg", "x.png"),
        ("maps", "show", "z" * 300),
        ("maps", "convert", "duel", "x.tbsmap", "--encoding", "idna"),
        ("perft", "italy", "1"),
        ("maps", "generate", "skirmish", "--distance", "11"),
        ("maps", "generate", "random", "--hp-difference", "1"),
        ("maps", "generate", "planar", "--size", "9"),
        ("maps", "generate", "random", "--territories", "9"),
        ("maps", "convert", "italy", "italy.tbsmap"),
        ("maps", "show", "italy", "--rules", "li2022"),
        ("maps", "generate", "random", "--size", "99"),
        ("maps", "generate", "random", "--seed", "-1"),
        ("maps", "generate", "random", "--count", "0"),
        ("perft", "duel", "-1"),
        ("perft", "duel", "many"),
        ("perft", "/", "1"),
        ("demo", "--games", "1"),
        ("demo", "--games", "2", "--out", "/nonexistent/demo.jsonl"),
        ("nonsense",),
        ("show", "nowhere.jsonl"),
        ("check-player", "utc"),
        ("check-player", "uct(simulation=3)"),
    ],
)
def test_bad_arguments_get_an_error_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments, code=2).stderr.strip()
