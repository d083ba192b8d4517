"""Bots: whole games through the protocol, and the ways in which a program can misbehave."""

import os
import re
import sys
import time
from pathlib import Path

import pytest

import sandtable as st
from sandtable.arena import tournament
from sandtable.arena.bot_check import check_bot
from sandtable.arena.record import FORFEIT, Record
from sandtable.arena.store import Store
from sandtable.arena.tasks import forfeit_of
from sandtable.errors import ForfeitError, PlayerError
from sandtable.players.bots import process
from sandtable.players.bots.bot import Bot
from support.commands import sandtable
from support.tiny_bots import GOOD, program, raw_program

OURS = f"{sys.executable} -m sandtable bot"
SHORT = 0.5  # seconds for a bot that will never answer
PATIENT = {"seconds": 1000, "start_seconds": 1000}  # for a bot that will, even on a busy machine


def spec(command: str, **settings: object) -> str:
    return str(st.PlayerSpec.of("bot", **{"command": command, **PATIENT, **settings}))


def forfeit_reason(command: str, map: str = "duel", **settings: object) -> str:
    """The reason of the forfeit in a game that the bot must lose. None of its processes may be left."""
    record = st.play(st.load(map), Bot(**{"command": command, **PATIENT, **settings}), "random", seed=1)
    assert record.winner == 1
    assert record.reason is not None
    assert record.reason.startswith(FORFEIT)
    record.verify()
    assert Record.from_line(record.to_line()).to_line() == record.to_line()
    assert running(command) == []
    return record.reason.removeprefix(FORFEIT)


def running(command: str) -> list[int]:
    """Processes that run the bot's file, the last word of its command."""
    word = command.split()[-1].encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize("map", ["duel", "owl_island"])
def test_a_player_served_as_a_bot_plays_the_same_game(map: str) -> None:
    through = st.play(st.load(map), spec(f"{OURS} random"), "random", seed=1)
    direct = st.play(st.load(map), "random", "random", seed=1)
    assert (through.moves, through.winner, through.reason) == (direct.moves, direct.winner, direct.reason)
    assert through.verify().hash() == direct.verify().hash()


@pytest.mark.parametrize("map", ["duel", "simple"])
def test_a_tiny_bot_plays_both_seats(tmp_path: Path, map: str) -> None:
    command = program(tmp_path)
    for seats in ((spec(command), "random"), ("random", spec(command))):
        record = st.play(st.load(map), *seats, seed=2)
        assert not (record.reason or "").startswith(FORFEIT)
        record.verify()
    assert running(command) == []


def test_a_bot_plays_a_game_written_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandtable.games import registry
    from support.goofspiel import Goofspiel

    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    st.register_game(st.PythonGame("goofspiel", Goofspiel, maps={"four": Goofspiel}))
    code = Path(program(tmp_path).split()[-1]).read_text().replace('"conquest"', '"goofspiel"')
    record = st.play(st.load("goofspiel:four"), spec(raw_program(tmp_path, code)), "random", seed=1)
    assert not (record.reason or "").startswith(FORFEIT)
    record.verify()


MISBEHAVIOUR = {
    "crash": ("raise SystemExit(3)", "ended with exit code 3"),
    "signal": ("os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    "rubbish": ('print("hello?", flush=True)', "not a line of JSON: 'hello?'"),
    "no object": ("print([1], flush=True)", "not an object: '[1]'"),
    "constant": ('print(\'{"type":"move","id":2,"move":NaN}\', flush=True)', "not a line of JSON"),
    "deep": ('print("[" * 200000, flush=True)', "nested too deep"),
    "half a line": (
        "sys.stdout.write('{\"type\":'); sys.stdout.flush(); os._exit(0)",
        "ended with exit code 0 in the middle of a line ('{\"type\":')",
    ),
    "no type": ("send(id=1)", "type: None is not one of move, moves"),
    "wrong type": ('send(type="mvoe", id=2)', "type: 'mvoe' is not one of move, moves (did you mean 'move'?)"),
    "no move": ('send(type="move", id=2)', "move: move is missing"),
    "unknown field": ('send(type="move", id=2, move=None, mvoe=1)', "move: unknown field 'mvoe'"),
    "text for a number": ('send(type="move", id="2", move=None)', 'move: id: must be a whole number, not "2"'),
    "malformed": ('send(type="move", id=2, move=[1, 2])', "move: must be [unit, x, y, target]"),
    "no number": ('send(type="move", id=2, move=[0, 1, 1, "x"])', "move[3]: must be a whole number, not 'x'"),
    "illegal": ('send(type="move", id=2, move=[0, 99, 99, -1])', "illegal move: unit 0 has acted in this turn"),
    "the other's unit": ('send(type="move", id=2, move=[3, 1, 1, -1])', "illegal move: "),
    "wrong id": ('send(type="move", id=7, move=legal())', "answered request 7 instead of 2: late, or twice"),
    "twice": (f"{GOOD}\n{GOOD.replace('legal()', 'None')}", "wrote a line that nobody asked for: |late, or twice"),
    "flood of lines": ('while True:\n    print("x" * 1000)', "not a line of JSON"),
    "flood without lines": (
        'while True:\n    sys.stdout.write("x" * 65536)',
        "wrote a line of more than 1,048,576 bytes",
    ),
    "closed output": ("os.close(1); time.sleep(600)", "closed its output, but still runs"),
    "greedy for moves": ('send(type="moves", count=10**9)', "moves: count: 1000000000 is not within 1..1000"),
}


@pytest.mark.parametrize(("misbehaviour", "reason"), MISBEHAVIOUR.values(), ids=MISBEHAVIOUR)
def test_a_bot_that_breaks_the_protocol_loses(
    tmp_path: Path, misbehaviour: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "EXIT_SECONDS", 0.5)
    lost = forfeit_reason(program(tmp_path, misbehaviour), seconds=600.0)
    assert any(one in lost for one in reason.split("|"))  # which one may depend on the bot's speed


HANGING = {
    "hangs": "time.sleep(600)",
    "is busy": "while True: pass",
    "floods its stderr": 'while True:\n    sys.stderr.write("x" * 65536)',
    "does not read": "while True: time.sleep(1)",
    "answers too late": f"time.sleep(600)\n{GOOD}",
    "ignores the end": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)",
}


@pytest.mark.parametrize("misbehaviour", HANGING.values(), ids=HANGING)
def test_a_bot_that_is_late_loses(tmp_path: Path, misbehaviour: str) -> None:
    assert "did not answer within 0.5 s" in forfeit_reason(
        program(tmp_path, misbehaviour), seconds=SHORT, start_seconds=600.0
    )


def test_a_bot_that_uses_up_its_time_bank_loses(tmp_path: Path) -> None:
    """The bank is for all moves of a game and grows with each; this clock advances a second whenever it is read."""
    ticks = iter(range(10**9))
    bot = Bot(command=program(tmp_path), seconds=100.0, bank=100.0, increment=0.5, start_seconds=1e5)
    bot.clock = lambda: float(next(ticks))
    record = st.play(st.load("duel"), bot, "random", seed=1)
    late = r"has used up its time, 100 s plus 0\.5 s for every move|did not answer within [0-9.]+ s"
    assert re.fullmatch(f"forfeit: ({late})", record.reason or "")
    assert len(record.moves) > 2


def test_a_long_line_is_read_whole_after_its_program_has_ended(tmp_path: Path) -> None:
    """It is longer than the pipe's buffer and than one read, and a child process keeps the pipe open."""
    long = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
{GOOD.replace("move=legal()", 'move=legal(), unknown="x" * 300000')}
os._exit(0)
"""
    assert "move: unknown field 'unknown'" in forfeit_reason(program(tmp_path, long))


def test_a_bot_s_child_processes_are_killed_with_it(tmp_path: Path) -> None:
    """Even those that leave the process group and keep the pipes open."""
    child = tmp_path / "child.py"
    child.write_text("import time\ntime.sleep(600)\n")
    fork = f"""
import subprocess
subprocess.Popen([sys.executable, {str(child)!r}])
subprocess.Popen([sys.executable, {str(child)!r}], start_new_session=True)
raise SystemExit(1)
"""
    assert "ended with exit code 1" in forfeit_reason(program(tmp_path, fork))
    deadline = time.monotonic() + 60  # a killed process disappears when the system has reaped it
    while running(f"x {child}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert running(f"x {child}") == []


def test_a_bot_that_closes_its_input_loses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "EXIT_SECONDS", 0.5)
    # It closes its input before it answers, so that the next message cannot be delivered.
    shut = 'move = legal()\nos.close(0)\nsend(type="move", id=message["id"], move=move)\ntime.sleep(600)'
    assert "closed its input, but still runs" in forfeit_reason(program(tmp_path, shut), seconds=600.0)


def test_the_reason_of_a_forfeit_quotes_the_bot_s_stderr(tmp_path: Path) -> None:
    said = forfeit_reason(program(tmp_path, 'print("\\x1b[31mno idea\\nat all", file=sys.stderr)\nraise SystemExit(3)'))
    assert said == "ended with exit code 3; stderr: �[31mno idea at all"
    long = forfeit_reason(program(tmp_path, 'print("x" * 10**6 + "the end", file=sys.stderr)\nprint("?", flush=True)'))
    assert long.startswith("not a line of JSON: '?'; stderr: ...xxx")
    assert long.endswith("the end")
    assert len(long) < 1000
    assert "stderr: thinking" in forfeit_reason(
        program(
            tmp_path, 'print("thinking", file=sys.stderr, flush=True)\nsend(type="move", id=2, move=[0, 99, 99, -1])'
        )
    )


def test_a_bot_s_stderr_is_stored_with_every_game(tmp_path: Path) -> None:
    talking = f'print("\\x1b[31mmove", asked, file=sys.stderr, flush=True)\n{GOOD}'
    code = Path(program(tmp_path, talking).split()[-1]).read_text() + 'print("x" * 10**5 + "bye", file=sys.stderr)\n'
    cup = tournament.make("cup", [spec(raw_program(tmp_path, code)), "random"], ["duel"], games=2)
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(cup, store)
        rows = list(store.rows())
        assert store.games_with_stderr(cup.key) == 2
    for row in rows:
        assert len(row.stderr[0].encode()) == process.STDERR_KEPT_BYTES
        assert row.stderr[0].endswith("bye\n")
        assert row.stderr[1] == ""
        assert "bye" not in row.record
    quiet = tournament.make("quiet", [spec(program(tmp_path)), "random"], ["duel"], games=2)
    with Store(None) as store:
        tournament.run(quiet, store)
        assert [row.stderr for row in store.rows()] == [("", "")] * 2
        assert store.games_with_stderr(quiet.key) == 0


def test_a_bot_s_stderr_can_be_shown(tmp_path: Path) -> None:
    talking = program(tmp_path, f'print("\\x1b[31mred\\nblue", file=sys.stderr, flush=True)\n{GOOD}')
    match = ("match", spec(talking), "random", "--map", "duel", "--games", 2)
    assert "bots wrote to their standard error in 2 of 2 games: --store FILE keeps it" in sandtable(*match).stderr
    done = sandtable(*match, "--store", "bots.sqlite", cwd=tmp_path)
    assert "in 2 of 2 games: sandtable show bots.sqlite --game N --stderr" in done.stderr
    found = sandtable("show", "bots.sqlite", "--game", 2, "--stderr", cwd=tmp_path).stdout
    assert found == f"{spec(talking)}:\n\ufffd[31mred\nblue\n"
    sandtable("match", "random", "greedy", "--map", "duel", "--games", 2, "--store", "quiet.sqlite", cwd=tmp_path)
    said = sandtable("show", "quiet.sqlite", "--stderr", cwd=tmp_path).stdout
    assert said == "no player wrote to its standard error\n"
    (tmp_path / "games.jsonl").write_text(st.play(st.load("duel"), "random", "random").to_line())
    assert "a file of records" in sandtable("show", "games.jsonl", "--stderr", cwd=tmp_path, code=2).stderr


def test_a_bot_s_memory_is_limited(tmp_path: Path) -> None:
    greedy = program(tmp_path, f"x = bytearray(4 * 2**30)\n{GOOD}")
    assert "MemoryError" in forfeit_reason(greedy, memory=1000)


def test_a_bad_handshake_loses(tmp_path: Path) -> None:
    hello = (
        'import sys\nsys.stdin.readline()\nprint(\'{"type":"hello","version":%d,"name":"x","games":%s}\', flush=True)\n'
    )
    assert "speaks version 9 of the protocol; this is version 1" in forfeit_reason(
        raw_program(tmp_path, hello % (9, "[]"))
    )
    assert "plays no game, not tubstap" in forfeit_reason(raw_program(tmp_path, hello % (1, "[]")))
    no_list = forfeit_reason(raw_program(tmp_path, hello % (1, "7")))
    assert "hello: games: must be a list, each a string, not 7" in no_list
    assert "ended with exit code 0" in forfeit_reason(raw_program(tmp_path, ""))
    assert "did not answer within 0.5 s" in forfeit_reason(
        raw_program(tmp_path, "import time\ntime.sleep(600)"), start_seconds=SHORT
    )


def test_settings_are_checked_before_the_program_is_started(tmp_path: Path) -> None:
    for command, message in (("", "it is empty"), ("no-such-program-x", "there is no program"), ("'", "No closing")):
        with pytest.raises(PlayerError, match=message):
            Bot(command=command)
    with pytest.raises(PlayerError, match="seconds must be more than 0"):
        st.player(f"bot(command={program(tmp_path)!r}, seconds=0)")


@pytest.mark.parametrize("command", ["false", "True", "none", "import", "cat"])
def test_a_command_that_looks_like_a_literal_round_trips_through_a_spec(command: str) -> None:
    made = st.PlayerSpec.of("bot", command=command)
    assert st.PlayerSpec.parse(str(made)) == made


def test_a_tournament_stores_forfeits_as_lost_games(tmp_path: Path) -> None:
    """They are stored with the reason and are not played again."""
    bad, good = program(tmp_path, "raise SystemExit(3)", "bad.py"), program(tmp_path, GOOD, "good.py")
    cup = tournament.make("cup", [spec(bad), spec(good), "random"], ["duel"], games=2)
    with Store(None) as store:
        tournament.run(cup, store)
        rows = list(store.rows())
        assert len(rows) == 6
        assert all(row.error is None for row in rows)
        lost = [row for row in rows if forfeit_of(row)]
        assert len(lost) == 4
        for row in lost:
            assert forfeit_of(row) == "forfeit: ended with exit code 3"
            assert row.winner == (1 if "bad.py" in row.first else 0)
        tournament.run(cup, store, progress=lambda rows, left: pytest.fail("played again") if rows else None)


def test_a_match_reports_its_forfeits(tmp_path: Path) -> None:
    bad = program(tmp_path, "raise SystemExit(3)")
    done = sandtable("match", spec(bad), "random", "--map", "duel", "--games", 2)
    assert done.stderr.count("forfeit: ended with exit code 3") == 2


def test_a_tournament_file_may_not_start_a_bot_without_permission(tmp_path: Path) -> None:
    toml = tmp_path / "cup.toml"
    toml.write_text(f'players = ["bot(command=\'touch {tmp_path}/ran\')", "random"]\nmaps = ["duel"]\ngames = 2\n')
    refused = sandtable("tournament", toml, code=2).stderr
    assert "would run code; if you trust it, allow it: --allow-code bot" in refused
    assert not (tmp_path / "ran").exists()
    sandtable("tournament", toml, "--allow-code", "bot")
    assert (tmp_path / "ran").exists()


def test_a_bot_without_start_moves_from_any_position(tmp_path: Path) -> None:
    bot = Bot(command=program(tmp_path))
    for name in ("duel", "ford"):
        state = st.load(name).start()
        state.play(bot.act(state))
    assert bot.stop(60.0)
    assert running(program(tmp_path)) == []


def test_an_interrupted_game_ends_its_bot(tmp_path: Path) -> None:
    class Interrupting:
        games = ("tubstap",)

        def act(self, state: object, side: int | None = None) -> None:
            raise KeyboardInterrupt

    command = program(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        st.play(st.load("duel"), Bot(command=command), Interrupting(), seed=1)
    assert running(command) == []


def test_game_names_with_control_characters_are_refused(tmp_path: Path) -> None:
    hello = 'print(\'{"type":"hello","version":1,"name":"a","games":["\\\\u001b[31m"]}\', flush=True); input()'
    assert "printable" in forfeit_reason(raw_program(tmp_path, f"input(); {hello}"))


def test_check_bot_reports_problems(tmp_path: Path) -> None:
    assert [problem for _, problem in check_bot(program(tmp_path), games=2)] == [None] * 12
    found = dict(check_bot(program(tmp_path, 'send(type="move", id=2, move=[0, 99, 99, -1])')))
    said = found["kimura-map01: plays whole games in both seats"]
    assert said is not None
    assert said.startswith("illegal move: ")
    assert "as side 0, seed 0, after" in said
    failed = sandtable("check-bot", raw_program(tmp_path, "print(1)"), code=1)
    assert failed.stdout == "BAD: starts and says hello: not an object: '1'\n"


def test_check_bot_notices_a_program_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandtable.arena import bot_check

    monkeypatch.setattr(bot_check, "EXIT_SECONDS", 0.2)
    code = Path(program(tmp_path).split()[-1]).read_text() + "time.sleep(600)\n"
    problem = dict(check_bot(raw_program(tmp_path, code), games=1))["ends when its input ends"]
    assert problem is not None
    assert "still ran 0.2 s after its input was closed" in problem


def test_show_names_a_forfeit(tmp_path: Path) -> None:
    record = st.play(st.load("duel"), Bot(command=program(tmp_path, "raise SystemExit(3)")), "random", seed=1)
    (tmp_path / "games.jsonl").write_text(record.to_line() + "\n")
    shown = sandtable("show", tmp_path / "games.jsonl").stdout
    assert "red lost by forfeit: ended with exit code 3" in shown
    sandtable("show", tmp_path / "games.jsonl", "--verify")


def test_a_forfeit_error_has_its_side() -> None:
    error = ForfeitError(1, "why")
    assert (error.side, str(error)) == (1, "why")
