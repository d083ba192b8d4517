"""A small run of li2022 in groups of stages, for tests that interrupt it, and the comparison of its results."""

import hashlib
import itertools
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from sandtable.arena.store import Store
from support import commands

POINTS = ("", "dataset", "training", "matches", "report")  # a group is from one of these stages to the next
# Keys and files that depend on the clock or on how often a stage was started.
TIME_DEPENDENT_KEYS = {"seconds", "at", "begun", "commit", "machine", "sha256", "provenance", "core_seconds"}
TIME_DEPENDENT_FILES = {"report.md", "report.html", "thinking.json"}


def command(until: str) -> list[str]:
    return commands.command("reproduce", "li2022", "--scale", "smoke", "--workers", 2, "--until", until)


def run_stages(root: Path) -> dict[str, Path]:
    """For each stage, a folder with a run that stopped after this stage."""
    folders = {stage: root / f"run after {stage or 'nothing'}" for stage in POINTS}
    folders[""].mkdir()
    for before, stage in itertools.pairwise(POINTS):
        shutil.copytree(folders[before], folders[stage])
        done = commands.run(command(stage), folders[stage])
        assert done.returncode == 0, done.stderr
    return folders


def check_same(undisturbed: Path, folder: Path) -> None:
    """The folder must have all results of the undisturbed run."""
    for path in sorted(undisturbed.rglob("*")):
        if path.is_file():
            name = path.relative_to(undisturbed)
            assert results(folder / name) == results(path), str(name)


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in TIME_DEPENDENT_KEYS}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def without_times(found: Any) -> Any:
    """A table of a report without its columns of milliseconds and the text about them; anything else unchanged."""
    if not isinstance(found, dict) or not {"columns", "rows"} <= found.keys():
        return found
    kept = [place for place, column in enumerate(found["columns"]) if not column.endswith(", ms")]
    said = found["said"].partition("On this machine a decision takes")[0]
    return found | {"rows": [[row[place] for place in kept] for row in found["rows"]], "said": said}


def results(path: Path) -> Any:
    """The content of a run's file without times; of a log, the results by place."""
    if path.name in TIME_DEPENDENT_FILES or path.suffix == ".progress":
        return None
    if path.suffix == ".json":
        return without_times(timeless(json.loads(path.read_bytes())))
    if path.name == "records.jsonl" or path.parent.name == "readings":
        return path.read_text()
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found = [(line["place"], timeless(line["value"])) for line in lines if "value" in line]
        assert len({place for place, _ in found}) == len(found), f"{path}: a result twice"
        return lines[0], sorted(found, key=lambda one: one[0])
    if path.suffix == ".sqlite":
        # Read a copy: SQLite leaves files of its own beside a store, even if it is only read.
        with (
            tempfile.TemporaryDirectory() as folder,
            Store(Path(shutil.copy(path, folder)), write=False) as store,
        ):
            rows = list(store.rows())
        here = str(path.parent.resolve())  # records name the networks by their paths
        return [row._replace(seconds=(0.0, 0.0), record=row.record.replace(here, "")) for row in rows]
    if path.suffix in (".safetensors", ".onnx", ".npy"):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return None
