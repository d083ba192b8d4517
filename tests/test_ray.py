"""Ray: a real cluster on this machine. It takes seconds to start, so one serves all tests that need it."""

import functools
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sandtable as st
from sandtable import carried, scale
from sandtable.arena import tournament
from sandtable.arena.store import Store
from sandtable.carried import here
from sandtable.nets import checkpoints, evaluators
from sandtable.scale import on_ray
from support.processes import wait_until
from support.stored_games import games
from support.tasks import collected, die_once, square

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'sandtable[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # so that the workers find support.tasks
        patch.setattr(on_ray, "STARTS", 20)  # for an overloaded machine
        on_ray.connect(None, num_cpus=2, _node_ip_address="127.0.0.1")
        yield
        ray.shutdown()


def slow_square(number: int) -> int:
    time.sleep(0.01)
    return square(number)


def test_a_wrong_address_is_reported() -> None:
    for address, message in (
        ("127.0.0.1:1", "no Ray cluster at"),
        ("ray://127.0.0.1:1", "no Ray cluster at"),
        ("127.0.0.1:99999", "no Ray cluster at"),
        ("127.0.0.1:many", "address is HOST:PORT"),
    ):
        with pytest.raises(st.SandtableError, match=message):
            list(scale.run([functools.partial(square, 1)], "ray", address=address))


def test_a_start_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray gives up if its own processes do not start within some seconds, as happens on a busy machine."""
    tried: list[Any] = []

    def init(**options: Any) -> None:
        tried.append(options["address"])
        if len(tried) < 3:
            raise RuntimeError("the raylet is too slow\nand more")

    monkeypatch.setattr(ray, "init", init)
    on_ray.connect(None)
    assert tried == ["local"] * 3, "never a cluster that already runs here"
    monkeypatch.setattr(on_ray, "STARTS", 2)
    del tried[:]
    with pytest.raises(st.SandtableError, match=r"^Ray cannot be started here: the raylet is too slow$"):
        on_ray.connect("local")
    assert tried == ["local"] * 2


@pytest.mark.usefixtures("cluster")
def test_every_task_has_one_result() -> None:
    tasks = [functools.partial(slow_square, i) for i in range(60)]
    assert [one.value for one in collected(tasks, backend="ray")] == [i * i for i in range(60)]


@pytest.mark.usefixtures("cluster")
def test_a_killed_worker_loses_no_task(tmp_path: Path) -> None:
    done = collected([functools.partial(die_once, tmp_path, i) for i in range(30)], backend="ray")
    assert [one.value for one in done] == list(range(30))


@pytest.mark.usefixtures("cluster")
def test_a_tournament_on_ray_has_the_same_games(tmp_path: Path) -> None:
    plan = tournament.make("cup", ["random", "greedy", "uct(simulations=20)"], ["duel", "symmetric"], 8, seed=3)
    for name, address in (("here.sqlite", None), ("ray.sqlite", "local")):
        with Store(tmp_path / name) as store:
            tournament.run(plan, store, ray=address)
    assert games(tmp_path / "ray.sqlite") == games(tmp_path / "here.sqlite")


def content_after_removal(name: str) -> str:
    wait_until(lambda: not Path(name).exists(), "the file is gone")
    return here(name).read_text()


@pytest.mark.usefixtures("cluster")
def test_files_are_carried_to_the_workers(tmp_path: Path) -> None:
    """With their content when the tasks are handed out; the workers do not read their own disk."""
    path = tmp_path / "weights"

    def files() -> list[str]:
        path.write_text("carried")
        return [str(path)]

    def remove() -> None:
        wait_until(path.exists, "the task is handed out")
        path.unlink()

    elsewhere = threading.Thread(target=remove)
    elsewhere.start()
    tasks = [functools.partial(content_after_removal, str(path))]
    assert [one.value for one in scale.run(tasks, "ray", files=files)] == ["carried"]
    elsewhere.join()


def test_copies_of_carried_files_are_kept_while_they_are_sent(tmp_path: Path) -> None:
    """Files of one folder stay together; unchanged files are not read again; files that are not sent are removed."""
    read: list[str] = []

    def content(text: str) -> carried.Content:
        def give() -> bytes:
            read.append(text)
            return text.encode()

        return carried.Content(text, give)

    assert here("nets/a.json") == Path("nets/a.json")
    carried.keep({"nets/a.json": content("A"), "nets/a.onnx": content("B"), "other/a.json": content("C")})
    first = here("nets/a.json")
    assert first.with_suffix(".onnx") == here("nets/a.onnx") != here("other/a.json").with_suffix(".onnx")
    assert [here(name).read_text() for name in ("nets/a.json", "nets/a.onnx", "other/a.json")] == ["A", "B", "C"]
    carried.keep({"nets/a.json": content("A"), "nets/a.onnx": content("D")})
    assert (here("nets/a.onnx").read_text(), read) == ("D", ["A", "B", "C", "D"])
    carried.keep({})
    assert (here("nets/a.json"), first.exists()) == (Path("nets/a.json"), False)


@pytest.mark.usefixtures("cluster")
def test_a_tournament_needs_no_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that is named by a relative path reaches workers in other folders."""
    monkeypatch.chdir(tmp_path)
    checkpoints.copy(evaluators.locate("sandtable"), Path("nets/own.safetensors"))
    players = ["greedy", "pvmcts(net='nets/own.safetensors', simulations=2)"]
    plan = tournament.make("cup", players, ["duel"], 4, seed=3)
    with Store(tmp_path / "cup.sqlite") as store:
        tournament.run(plan, store, ray="local")
        assert [row.error for row in tournament.played(plan, store)] == [None] * 4
