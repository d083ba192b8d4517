"""Many tasks on many workers: each exactly once, whatever happens to the workers."""

import functools
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable import scale
from sandtable.scale.batches import Queue


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    if number % 3 == 0:
        raise KeyError(f"no {number}\nat all")
    return number


def die_once(folder: Path, number: int) -> int:
    """Takes its worker with it the first time it is run."""
    mark = folder / str(number)
    if number % 7 == 3 and not mark.exists():
        mark.touch()
        os._exit(1)
    return number


def die_always(number: int) -> int:
    if number == 5:
        os._exit(1)
    return number


def collected(tasks: Sequence[scale.Task], **options: Any) -> list[scale.Done]:
    done = sorted(scale.run(tasks, **options))
    assert [one.place for one in done] == list(range(len(tasks)))
    return done


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


def test_a_task_that_kills_every_worker_fails_alone() -> None:
    done = collected([functools.partial(die_always, i) for i in range(12)], workers=2)
    assert [one.place for one in done if one.error] == [5]
    assert "its worker died" in str(done[5].error)


def test_batches_grow_with_the_speed_of_tasks_and_shrink_at_the_end() -> None:
    queue = Queue([functools.partial(square, i) for i in range(1000)])
    sizes = []
    while batch := queue.next_batch(2):
        sizes.append(len(batch))
        queue.took(batch, 0.001)
    assert sum(sizes) == 1000
    assert max(sizes) > 50
    assert sizes[-1] == 1


def test_bad_backends() -> None:
    with pytest.raises(st.SandtableError, match="no backend is called 'cloud'"):
        scale.run([], "cloud")
    with pytest.raises(st.SandtableError, match="workers"):
        scale.run([], workers=0)


# Ray: a real cluster on this machine, without a dashboard.

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'sandtable[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Any:
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # so that the workers find this module
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    yield
    ray.shutdown()
    del os.environ["PYTHONPATH"]


def slow_square(folder: Path, number: int) -> int:
    (folder / f"{number} {os.getpid()} {time.monotonic_ns()}").touch()
    time.sleep(0.01)
    return number * number


def test_no_cluster_at_the_address() -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:many"):
        with pytest.raises(st.SandtableError, match="no Ray cluster at"):
            list(scale.run([functools.partial(square, 1)], "ray", address=address))


@pytest.mark.usefixtures("cluster")
def test_ray_gives_the_same(tmp_path: Path) -> None:
    tasks = [functools.partial(slow_square, tmp_path, i) for i in range(60)]
    assert [one.value for one in collected(tasks, backend="ray")] == [i * i for i in range(60)]


@pytest.mark.usefixtures("cluster")
def test_a_ray_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    done = collected([functools.partial(die_once, tmp_path, i) for i in range(30)], backend="ray")
    assert [one.value for one in done] == list(range(30))


def outlive(mark: Path) -> None:
    """Says that it is there, and would go on for a long time."""
    (mark / str(os.getpid())).touch()
    time.sleep(60)


def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import functools, pathlib, test_scale\n"
        "from sandtable import scale\n"
        f"tasks = [functools.partial(test_scale.outlive, pathlib.Path({str(tmp_path)!r}))] * 4\n"
        "if __name__ == '__main__': list(scale.run(tasks, workers=2))\n"
    )
    script = tmp_path / "drive.py"
    script.write_text(code)
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    driver = subprocess.Popen([sys.executable, str(script)], env=here)
    workers: list[int] = []
    for _ in range(300):
        workers = [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]
        if len(workers) == 2:
            break
        time.sleep(0.1)
    assert len(workers) == 2
    driver.kill()
    driver.wait()
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() and "Z" not in _status(pid) for pid in workers):
            return
        time.sleep(0.1)
    raise AssertionError("the workers go on without anybody to work for")


def _status(pid: int) -> str:
    """The process's state letter; gone is as good as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
