"""Ctrl-C ends long computations, and shows no traceback while the command is still being imported."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import sandtable as st
from sandtable import startup
from sandtable.players import player
from support import commands
from support.processes import MAX_SECONDS, wait_until
from support.tasks import start_driver


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_interrupts_a_deep_perft() -> None:
    state = st.tubstap.load("crossroads").start()
    timer = interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        st.tubstap.perft(state, 40)
    timer.join()


def test_ctrl_c_interrupts_a_long_generation_of_coevolution() -> None:
    state = st.conquest.load("italy").start(1)
    one = player("coevolution(population=200, generations=1, horizon=20)")

    def spent() -> float:
        begin = time.process_time()
        with contextlib.suppress(KeyboardInterrupt):
            one.act(state, 0)
        return time.process_time() - begin

    whole = spent()
    timer = interrupt_after(0.1)
    assert spent() < whole / 2
    timer.join()


def test_ctrl_c_during_imports_shows_no_traceback() -> None:
    for delay in (0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen(
            commands.command("perft", "crossroads", 30), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        # Until Python has mapped a library of site-packages it is still starting, and the signal is not ours to handle.
        while "site-packages" not in Path(f"/proc/{process.pid}/maps").read_text():
            time.sleep(0.001)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        assert process.returncode != 0
        assert "Traceback" not in errors, errors


def test_almost_nothing_is_imported_before_ctrl_c_is_handled() -> None:
    words = [sys.executable, "-I", "-S", "-X", "importtime", startup.__file__]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "signal" in imported
    assert imported.isdisjoint({"pathlib", "threading"})


def test_importing_sandtable_leaves_the_handler_of_ctrl_c_alone() -> None:
    code = "import signal; import sandtable; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


def test_ctrl_c_ends_a_program_whose_workers_send_values(tmp_path: Path) -> None:
    mark = tmp_path / "sent in part"
    tasks = f"[functools.partial(tasks.large, folder / {mark.name!r})] * 4"
    driver = start_driver(tmp_path, f"list(scale.run({tasks}, workers=2))")
    try:
        wait_until(mark.exists, "a worker sends its value")
        driver.send_signal(signal.SIGINT)
        assert driver.communicate(timeout=MAX_SECONDS)[1].rstrip().endswith("KeyboardInterrupt")
    finally:
        driver.kill()
