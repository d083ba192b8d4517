"""Runs: finished stages are skipped, interrupted ones continue, and results of different settings are not mixed."""

import functools
import hashlib
import json
import operator
from pathlib import Path
from typing import Any

import pytest

from sandtable.errors import SandtableError
from sandtable.papers.run import Run, RunError
from sandtable.papers.training import leave_note, train_all, weights

SETTINGS = {"seed": 1, "sizes": (2, 3)}


def squared(number: int, log: Path) -> int:
    """A task that logs each time that it runs."""
    with log.open("a") as file:
        file.write(f"{number}\n")
    return number * number


def fails() -> int:
    raise ValueError("the\nweather")


def tasks(log: Path, count: int = 20) -> list[functools.partial[int]]:
    return [functools.partial(squared, i, log) for i in range(count)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stage_is_computed_once(tmp_path: Path, workers: int) -> None:
    log = tmp_path / "log"
    for _ in range(2):
        with Run(tmp_path / "run", workers=workers) as run:
            assert run.collect("squares", SETTINGS, tasks(log)) == [i * i for i in range(20)]
            assert run.costs["squares"].core_seconds >= 0
    assert sorted(map(int, log.read_text().split())) == list(range(20))


@pytest.mark.parametrize("kept", [0, 5, 40, 300, 1000])
def test_a_log_that_was_cut_off_anywhere_is_continued(tmp_path: Path, kept: int) -> None:
    """Results that were cut off are computed again; those on whole lines are not."""
    log = tmp_path / "log"
    with Run(tmp_path / "run") as run:
        run.collect("squares", SETTINGS, tasks(log))
    path = tmp_path / "run" / "squares.jsonl"
    left = path.read_bytes()[:kept]
    path.write_bytes(left)
    whole = left[: left.rfind(b"\n") + 1].count(b'"value"')
    log.unlink()
    with Run(tmp_path / "run") as run:
        assert run.collect("squares", SETTINGS, tasks(log)) == [i * i for i in range(20)]
    assert len(log.read_text().split()) == 20 - whole


def test_a_task_that_fails_loses_no_other_result(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Run(tmp_path / "run") as run, pytest.raises(RunError, match="squares: task 3: ValueError: the weather"):
        run.collect("squares", SETTINGS, [*tasks(log, 3), fails])
    with Run(tmp_path / "run") as run:
        assert run.collect("squares", SETTINGS, tasks(log, 4)) == [0, 1, 4, 9]
    assert log.read_text().split() == ["0", "1", "2", "3"]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    with Run(tmp_path) as run:
        run.collect("squares", SETTINGS, tasks(tmp_path / "log", 3))
        run.make("one", SETTINGS, lambda: 1)
        with pytest.raises(RunError, match=r"squares.jsonl: made with seed = 1, not 2: take another --folder"):
            run.collect("squares", {**SETTINGS, "seed": 2}, tasks(tmp_path / "log", 3))
        with pytest.raises(RunError, match=r"one.json: made with sizes = \[2, 3\], not \[2, 4\]"):
            run.make("one", {**SETTINGS, "sizes": (2, 4)}, lambda: 1)
        with pytest.raises(RunError, match="not the log of 4 tasks of squares"):
            run.collect("squares", SETTINGS, tasks(tmp_path / "log", 4))


def test_a_renewed_stage_is_computed_again_when_its_settings_change(tmp_path: Path) -> None:
    with Run(tmp_path) as run:
        assert run.make("all", {"games": 1}, lambda: 1, renew=True) == 1
        assert run.make("all", {"games": 1}, lambda: 2, renew=True) == 1
        assert run.make("all", {"games": 2}, lambda: 2, renew=True) == 2
        assert run.make("all", {"games": 2}, lambda: 3) == 2


def test_damaged_files_are_named(tmp_path: Path) -> None:
    with Run(tmp_path) as run:
        run.collect("squares", SETTINGS, tasks(tmp_path / "log", 3))
        run.make("one", SETTINGS, lambda: 1)
    path = tmp_path / "squares.jsonl"
    good = path.read_bytes().splitlines(keepends=True)
    other = good[3].replace(b'"value":', b'"value":7')
    for bad in (
        b"{\n",
        b"[1]\n",
        b"\xff\xfe\n",
        b'{"place": 99, "value": 1}\n',
        b'{"place": "x", "value": 1}\n',
        other,
    ):
        path.write_bytes(b"".join([*good[:3], bad, *good[4:]]))
        with Run(tmp_path) as run, pytest.raises(RunError, match=r"squares\.jsonl, line 4.*delete that line") as caught:
            run.collect("squares", SETTINGS, tasks(tmp_path / "log", 3))
        assert "\n" not in str(caught.value)
    written = (tmp_path / "one.json").read_text()
    for text in ("{", written.replace('"value": 1', '"value": [1]'), written.replace('"value": 1', '"worth": 1')):
        (tmp_path / "one.json").write_text(text)
        with Run(tmp_path) as run, pytest.raises(RunError, match=r"one\.json: damaged"):
            run.make("one", SETTINGS, lambda: 1)


def test_endless_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandtable.papers.run.MAX_BYTES", 1 << 20)
    (tmp_path / "made.json").symlink_to("/dev/zero")
    (tmp_path / "squares.jsonl").symlink_to("/dev/zero")
    with Run(tmp_path) as run:
        with pytest.raises(SandtableError, match=r"made.json: larger than the 1,048,576 bytes"):
            run.make("made", {}, lambda: 1)
        with pytest.raises(SandtableError, match=r"squares.jsonl: larger than the 1,048,576 bytes"):
            run.collect("squares", {}, [lambda: 1])


def test_only_one_process_works_on_a_run(tmp_path: Path) -> None:
    with Run(tmp_path), pytest.raises(SandtableError, match="another process is at work on this run"):
        Run(tmp_path)
    with Run(tmp_path):
        pass


def test_costs_add_up_over_restarts(tmp_path: Path) -> None:
    lines = [
        {"stage": "squares", "tasks": 2, "settings": {"seed": 1}},
        {"begun": "x", "commit": "a", "machine": "m"},
        {"place": 0, "seconds": 2.0, "at": 2.5, "value": 0, "sha256": hashlib.sha256(b"0").hexdigest()[:16]},
        {"begun": "y", "commit": "b", "machine": "m"},
        {"place": 1, "seconds": 3.0, "at": 3.5, "value": 1, "sha256": hashlib.sha256(b"1").hexdigest()[:16]},
    ]
    (tmp_path / "squares.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Run(tmp_path) as run:
        assert run.collect("squares", {"seed": 1}, tasks(tmp_path / "log", 2)) == [0, 1]
        assert run.costs["squares"] == (6.0, 5.0, ("a", "b"))


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"epochs": 3}', '{"epochs": "many", "figure": 1}'])
def test_a_damaged_progress_note_stops_no_training(tmp_path: Path, note: str) -> None:
    with Run(tmp_path) as run:
        path = weights(run, "one")

        def train() -> str:
            leave_note(path, 1, "50%")
            path.with_suffix(".progress").write_text(note)
            path.with_suffix(".json").write_text("a card")
            return "done"

        assert train_all(run, {}, {"one": train}, max_epochs=2) == {"one": "done"}


def test_any_change_by_hand_is_refused_or_makes_no_difference(tmp_path: Path) -> None:
    """Each value in a run's files, one after the other, is replaced by impossible ones and removed."""

    def results() -> Any:
        with Run(tmp_path) as run:
            tasks = [functools.partial(operator.add, number, 1) for number in range(3)]
            found = run.collect("many", {"size": 1}, tasks), run.make("one", {"size": 1}, lambda: [1, 2])
            json.dumps({stage: tuple(cost) for stage, cost in run.costs.items()}, allow_nan=False)
            return found

    expected = results()
    for name in ("many.jsonl", "one.json"):
        text = (tmp_path / name).read_text()
        objects = [json.loads(line) for line in (text.splitlines() if name == "many.jsonl" else [text])]
        for place, one in enumerate(objects):
            for key in one:
                impossible: tuple[Any, ...] = (float("nan"), 1e400, 10**400, -1, True, "x", None, [], {}, ...)
                for value in impossible:
                    changed = {k: v if k != key else value for k, v in one.items() if k != key or value is not ...}
                    lines = [json.dumps(changed if n == place else other) for n, other in enumerate(objects)]
                    (tmp_path / name).write_text("\n".join(lines) + "\n")
                    try:
                        assert results() == expected, (name, place, key, value)
                    except RunError as error:
                        assert "\n" not in str(error)
        (tmp_path / name).write_text(text)
    assert results() == expected
