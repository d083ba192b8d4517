"""Many tasks on many workers: each exactly once, whatever happens to the workers."""

import functools
import itertools
import os
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable import scale
from sandtable.scale import batches, local
from sandtable.scale.batches import Queue
from sandtable.scale.main_script import ADVICE
from support.processes import is_running, wait_until
from support.tasks import collected, die_always, die_once, fail, square


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_once(workers: int) -> None:
    done = collected([functools.partial(square, i) for i in range(1000)], workers=workers)
    assert [one.value for one in done] == [i * i for i in range(1000)]
    assert list(scale.run([], workers=workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_are_results(workers: int) -> None:
    done = collected([functools.partial(fail, i) for i in range(10)], workers=workers)
    assert [one.place for one in done if one.error] == [0, 3, 6, 9]
    assert (done[3].error or "").startswith("KeyError: 'no 3\\nat all' (at ")


def test_workers_that_die_lose_nothing(tmp_path: Path) -> None:
    done = collected([functools.partial(die_once, tmp_path, i) for i in range(40)], workers=2)
    assert [one.value for one in done] == list(range(40))


@pytest.mark.parametrize("error", local.POOL_GONE)
def test_a_worker_that_dies_while_another_starts_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, error: int | None
) -> None:
    submits = itertools.count()

    class Closing(ProcessPoolExecutor):
        def submit(self, *call: Any, **options: Any) -> Future[Any]:
            if next(submits) == 3:
                raise OSError("handle is closed") if error is None else OSError(error, os.strerror(error))
            return super().submit(*call, **options)

    monkeypatch.setattr(local, "ProcessPoolExecutor", Closing)
    done = collected([functools.partial(square, i) for i in range(100)], workers=2)
    assert [one.value for one in done] == [i * i for i in range(100)]


def test_a_task_that_kills_every_worker_fails_alone() -> None:
    done = collected([functools.partial(die_always, i) for i in range(12)], workers=2)
    assert [one.place for one in done if one.error] == [5]
    assert "its worker died" in str(done[5].error)


def test_batches_grow_with_the_speed_of_tasks_and_shrink_at_the_end() -> None:
    queue = Queue([functools.partial(square, i) for i in range(1000)])
    sizes = []
    while batch := queue.next_batch(2):
        sizes.append(len(batch))
        queue.took(batch, 0.001, len(batch))
    assert sum(sizes) == 1000
    assert max(sizes) > 50
    assert sizes[-1] == 1


def test_a_batch_of_tasks_that_turn_out_slow_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick tasks first: a batch is large by then, and must not keep the results of slow ones from being seen."""
    monkeypatch.setattr(batches, "LONGEST_BATCH", 0.0)
    batch: batches.Batch = [(place, functools.partial(square, place)) for place in range(5)]
    done, seconds = batches.run_batch(batch)
    assert [one.value for one in done] == [0]
    queue = Queue([task for _, task in batch])
    queue._size = 5
    queue._next = 5
    queue.took(batch, seconds, len(done))
    rest = []
    while found := queue.next_batch(1):
        rest += [place for place, _ in found]
        queue.took(found, 1.0, len(found))
    assert rest == [1, 2, 3, 4]


def test_bad_backends() -> None:
    with pytest.raises(st.SandtableError, match="no backend is called 'cloud'"):
        scale.run([], "cloud")
    with pytest.raises(st.SandtableError, match="workers"):
        scale.run([], workers=0)


OWN_PLAYER = """
import random
from sandtable.players.registry import register
class Mine:
    games = ("tubstap",)
    def act(self, state, side):
        return random.choice([*state.moves(), None])
register("mine", Mine)
"""
GUARD = "if __name__ == '__main__': "


@pytest.mark.parametrize(
    ("player", "begin", "last"),
    [("greedy", "", "4"), ("mine", GUARD, "4"), ("mine", "", f"sandtable.errors.SandtableError: {ADVICE}")],
    ids=["nothing of its own", "guarded", "workers need it"],
)
def test_a_script_is_not_begun_again_by_its_workers(tmp_path: Path, player: str, begin: str, last: str) -> None:
    own = OWN_PLAYER if player == "mine" else ""
    work = f"print(len(st.match({player!r}, 'random', 'duel', 4, workers=2).records))"
    script = tmp_path / "mine.py"
    script.write_text(f"import sandtable as st{own}\n{begin}{work}\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr).strip().splitlines()[-1] == last
    assert done.stderr.count("Traceback") == last.endswith(ADVICE)


def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import functools, pathlib\n"
        "from sandtable import scale\n"
        "from support.tasks import outlive\n"
        f"tasks = [functools.partial(outlive, pathlib.Path({str(tmp_path)!r}))] * 4\n"
        "if __name__ == '__main__': list(scale.run(tasks, workers=2))\n"
    )
    script = tmp_path / "drive.py"
    script.write_text(code)
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    driver = subprocess.Popen([sys.executable, str(script)], env=here)

    def workers() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]

    wait_until(lambda: len(workers()) == 2 or driver.poll() is not None, "two workers are at work")
    driver.kill()
    driver.wait()
    assert len(workers()) == 2
    wait_until(lambda: not any(map(is_running, workers())), "the workers end with their driver")
