"""Wrong calls of commands: one line that a user understands, exit code 2, and no control codes for the terminal."""

import sqlite3
from pathlib import Path

import pytest

from support import commands
from support.commands import sandtable as run

MATCH = ("match", "random", "greedy", "--map", "duel", "--games", 2)
INTERNALS = ("Traceback", "Error:", "Errno", "codec", "invalid literal", "<class", "No module named")


def error_of(*words: object, cwd: Path) -> str:
    """The one-line error of a wrong call."""
    done = run(*words, cwd=cwd, code=2)
    assert done.stdout == ""
    assert done.stderr.startswith("sandtable: ")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400
    assert "\x1b" not in done.stderr
    for word in INTERNALS:
        assert word not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("match", "random", "greedy"), "match needs --map; for example: sandtable match "),
        (("match", "random"), "match needs B; for example: sandtable match "),
        (("match", "random", "greedy"), " --map ford "),
        (("show",), "show needs RECORD; for example: sandtable show games.jsonl"),
        ((*MATCH[:-1], "xyz"), "--games must be a whole number\n"),
        ((*MATCH, "--workers", 0), "--workers must be a whole number within 1.."),
        (("perft", "duel", "many"), "DEPTH must be a whole number within 0.."),
        (("bench", "--seconds", "0"), "--seconds must be a number, at least 0.01"),
        ((*MATCH, "--gamez", 2), "match has no option --gamez"),
        ((*MATCH, "more"), "(more); see: sandtable match --help"),
        ((*MATCH, "--csv"), "--csv"),
        (("maps", "shw"), "no such command 'shw' (did you mean 'show'?); see: sandtable maps --help"),
        (("dataset", "export", "a", "--out", "b", "--format", "csv"), "--format: 'csv' is not one of 'parquet'"),
    ],
    ids=lambda one: " ".join(map(str, one)) if isinstance(one, tuple) else "",
)
def test_missing_and_wrong_arguments_are_named(words: tuple[object, ...], message: str, tmp_path: Path) -> None:
    assert message in error_of(*words, cwd=tmp_path)


def test_a_group_alone_shows_its_help() -> None:
    assert "Usage: sandtable maps" in run("maps", code=2).stdout


@pytest.mark.parametrize(
    "address", ["", "\udcff", "os:system", "nobody", "10.0.0.1", "a b:1", "host:", ":6379", "host:123456", "x" * 5000]
)
@pytest.mark.parametrize("command", [MATCH, ("train", "tubstap-fast"), ("reproduce", "li2022")], ids=lambda one: one[0])
def test_bad_addresses_of_clusters_are_refused(command: tuple[object, ...], address: str, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    assert "a Ray cluster's address is HOST:PORT" in error_of(*command, "--ray", address, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_modules_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "needing.py").write_text("import not_installed_at_all\n")
    for words in (("players", "nowhere.near:Player"), ("match", "random", "nowhere.near:Player", "--map", "duel")):
        assert "there is no module 'nowhere' in this folder" in error_of(*words, cwd=tmp_path)
    assert "it needs the module 'not_installed_at_all'" in error_of("players", "needing:Player", cwd=tmp_path)


@pytest.mark.parametrize("command", ["tournament", "train"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "not TOML: byte 0 is not UTF-8 text"),
        (b"name = ", "not TOML: Invalid value"),
        (b"a = " + b"[" * 100_000, "not TOML: it is nested too deep"),
    ],
    ids=["bytes", "cut short", "deep"],
)
def test_files_that_are_not_toml_are_refused(command: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "file.toml").write_bytes(content)
    assert f"file.toml: {message}" in error_of(command, "file.toml", cwd=tmp_path)


def test_a_picture_with_a_wrong_ending_is_refused_before_the_map_is_printed(tmp_path: Path) -> None:
    assert "a picture's file name must end in .svg" in error_of(
        "maps", "show", "duel", "--svg", "duel.png", cwd=tmp_path
    )
    assert "there is no folder" in error_of("maps", "show", "duel", "--svg", "missing/duel.svg", cwd=tmp_path)


@pytest.mark.parametrize("host", ["/", "\udcff", "x" * 5000, "0.0.0.999"])
@pytest.mark.parametrize(
    "command",
    [("play", "--no-open"), ("tubstap-net", "server", "--map", "duel"), ("tubstap-net", "client", "random")],
    ids=lambda one: " ".join(one[:2]),
)
def test_bad_hosts_get_a_one_line_error(command: tuple[str, ...], host: str, tmp_path: Path) -> None:
    store = ("--store", tmp_path / "games.sqlite") if command[0] == "play" else ()
    error_of(*command, "--host", host, "--port", 7777, *store, cwd=tmp_path)


def test_paths_send_no_control_codes_to_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[31mred"
    for words in (
        (*MATCH, "--store", name),
        (*MATCH, "--csv", f"{name}.csv"),
        ("games", "export", name, "--out", f"{name}.jsonl"),
        ("dataset", "export", name, "--out", f"{name}-data"),
        ("dataset", "records", f"{name}-data", "--out", f"{name}-again.jsonl"),
        ("maps", "convert", "duel", f"{name}.json"),
    ):
        done = run(*words, cwd=tmp_path)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\ufffd[31mred" in done.stdout + done.stderr
    for call in (("maps", "check", f"{name}.json"), ("recipes", "copy", "tubstap-fast", f"{name}-2.toml")):
        done = run(*call, cwd=tmp_path)
        assert "\x1b" not in done.stdout + done.stderr
    done = run("maps", "check", name, cwd=tmp_path, code=2)
    assert "\x1b" not in done.stdout + done.stderr


def test_paths_are_printed_on_one_line(tmp_path: Path) -> None:
    name = "two\nlines\tand"
    for words in (
        (*MATCH, "--store", name, "--csv", f"{name}.csv"),
        ("games", "export", name, "--out", f"{name}.jsonl"),
        ("dataset", "export", name, "--out", f"{name}-data"),
        ("dataset", "records", f"{name}-data", "--out", f"{name}-again.jsonl"),
        ("maps", "convert", "duel", f"{name}.json"),
        ("maps", "check", f"{name}.json"),
        ("recipes", "copy", "tubstap-fast", f"{name}-2.toml"),
    ):
        done = run(*words, cwd=tmp_path)
        assert "two\ufffdlines\ufffdand" in done.stdout + done.stderr
        assert name not in done.stdout + done.stderr


def test_a_data_set_of_unreadable_records_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    run("dataset", "export", "bad.jsonl", "--out", "data", cwd=tmp_path, code=2)
    assert not (tmp_path / "data").exists()
    done = run("dataset", "export", "bad.jsonl", "--out", "missing/data", cwd=tmp_path, code=2)
    assert "missing/data: there is no folder " in done.stderr
    assert not (tmp_path / "missing").exists()


def test_the_card_of_a_data_set_takes_any_path(tmp_path: Path) -> None:
    run(*MATCH, "--store", "cup.sqlite", cwd=tmp_path)
    run("dataset", "export", "cup.sqlite", "--out", "data-\udcff", cwd=tmp_path)
    assert "data-\ufffd" in (tmp_path / "data-\udcff" / "README.md").read_text(encoding="utf-8")


def test_the_number_of_a_system_s_error_is_not_shown(tmp_path: Path) -> None:
    words = commands.command(*MATCH, "--workers", 2)
    done = commands.run(["sh", "-c", 'ulimit -n 12; exec "$@"', "sh", *words], tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "sandtable: Too many open files"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_commands_work_with_closed_streams(closed: str, tmp_path: Path) -> None:
    words = commands.command(*MATCH, "--store", "cup.sqlite", "--csv", "cup.csv")
    done = commands.run(["sh", "-c", f'"$@" {closed}', "sh", *words], tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    for command in ("ratings", "games"):
        assert run(command, "cup.sqlite", cwd=tmp_path).stdout
    assert (tmp_path / "cup.csv").read_text().startswith("player,")


def test_the_demo_fits_a_terminal(tmp_path: Path) -> None:
    shown = run("demo", "--games", 2, cwd=tmp_path).stdout
    assert max(map(len, shown.splitlines())) <= 80


def test_a_store_of_other_tables_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "other.sqlite").execute("CREATE TABLE games (id)").connection.close()
    for command in (["ratings"], ["games"], ["show"]):
        assert "not a store of this program" in error_of(*command, "other.sqlite", cwd=tmp_path)
