"""Runs of papers and the tables that they store."""

import json
from pathlib import Path
from typing import Any


def stored_table(folder: Path, paper: str, name: str) -> Any:
    return json.loads((folder / f"results/{paper}/{name}.json").read_text())


def stored_tables(folder: Path, paper: str) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text()) for path in (folder / "results" / paper).glob("*.json")}
