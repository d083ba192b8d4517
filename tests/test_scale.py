"""Many tasks on many workers: each has exactly one result, whatever happens to the workers."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest

import sandtable as st
from sandtable import scale
from sandtable.scale import batches
from sandtable.scale.batches import Queue
from sandtable.scale.main_script import ADVICE
from support.processes import MAX_SECONDS, is_running, wait_until
from support.tasks import collected, die_always, die_once, fail, make, square, start_driver, unpicklable, wait_for


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_has_one_result(workers: int) -> None:
    done = collected([functools.partial(square, i) for i in range(1000)], workers=workers)
    assert [one.value for one in done] == [i * i for i in range(1000)]
    assert list(scale.run([], workers=workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_of_tasks_are_returned_as_results(workers: int) -> None:
    done = collected([functools.partial(fail, i) for i in range(10)], workers=workers)
    assert [one.place for one in done if one.error] == [0, 3, 6, 9]
    assert (done[3].error or "").startswith("KeyError: 'no 3\\nat all' (at ")


def test_workers_that_die_lose_no_task(tmp_path: Path) -> None:
    done = collected([functools.partial(die_once, tmp_path, i) for i in range(40)], workers=2)
    assert [one.value for one in done] == list(range(40))


def test_workers_that_die_while_they_send_a_value_lose_no_task(tmp_path: Path) -> None:
    tasks = "[functools.partial(tasks.large_once, folder, i) for i in range(12)]"
    driver = start_driver(tmp_path, f"print([one.value for one in tasks.collected({tasks}, workers=2)])")
    try:
        printed = driver.communicate(timeout=MAX_SECONDS)
    finally:
        driver.kill()
    assert printed == (f"{list(range(12))}\n", "")


def test_a_value_that_cannot_be_sent_fails_its_task() -> None:
    done = collected([functools.partial(unpicklable, i) for i in range(12)], workers=2)
    assert [one.place for one in done if one.error] == [5]
    assert "pickle" in str(done[5].error)


def test_a_task_that_kills_every_worker_fails_alone() -> None:
    done = collected([functools.partial(die_always, i) for i in range(12)], workers=2)
    assert [one.place for one in done if one.error] == [5]
    assert "its worker died" in str(done[5].error)


def test_no_task_waits_behind_a_long_one_while_a_worker_is_free(tmp_path: Path) -> None:
    long = functools.partial(wait_for, tmp_path / "mark")
    last = functools.partial(make, tmp_path / "mark")
    done = scale.run([long, functools.partial(square, 1), last], workers=2)
    assert all(one.value for one in done)


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
    """After quick tasks batches are large; a batch of slow tasks must not hold back their results."""
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


def test_bad_backends_and_worker_counts_are_refused() -> None:
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
    ids=["shipped player", "own player, guarded", "own player, unguarded"],
)
def test_workers_do_not_run_the_script_again(tmp_path: Path, player: str, begin: str, last: str) -> None:
    own = OWN_PLAYER if player == "mine" else ""
    work = f"print(len(st.match({player!r}, 'random', 'duel', 4, workers=2).records))"
    script = tmp_path / "mine.py"
    script.write_text(f"import sandtable as st{own}\n{begin}{work}\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr).strip().splitlines()[-1] == last
    assert done.stderr.count("Traceback") == last.endswith(ADVICE)


def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    driver = start_driver(tmp_path, "list(scale.run([functools.partial(tasks.outlive, folder)] * 4, workers=2))")

    def workers() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]

    wait_until(lambda: len(workers()) == 2 or driver.poll() is not None, "two workers are at work")
    driver.kill()
    driver.communicate()
    assert len(workers()) == 2
    wait_until(lambda: not any(map(is_running, workers())), "the workers end with their driver")
