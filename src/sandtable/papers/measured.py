"""The measurements of a run, from which its report is written."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from sandtable.machine import commit, machine
from sandtable.papers.plots import Curves, Kept
from sandtable.papers.run import Run
from sandtable.papers.settings import Chosen, restored
from sandtable.papers.tables import Table, TableError

SCALES = ("smoke", "quick", "paper")  # ascending; results of a scale are never replaced by those of a smaller one


@dataclass(frozen=True)
class Measured:
    """Tables and the data of figures by their names, and their provenance (`about`). `kept`: pictures beside the report
    whose data are not stored."""

    tables: Mapping[str, Table]
    figures: Mapping[str, Curves]
    about: Mapping[str, Any]
    kept: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tables: Iterable[Table], figures: Iterable[Curves], about: Mapping[str, Any]) -> Measured:
        return cls({one.name: one for one in tables}, {one.name: one for one in figures}, about)

    def __contains__(self, table: str) -> bool:
        return table in self.tables

    def __getitem__(self, table: str) -> Table:
        if table not in self.tables:
            raise TableError(f"{table}.json: not among the stored tables")
        return self.tables[table]

    def picture(self, name: str) -> Curves | Kept | None:
        """The curves of that name, or the kept picture; None if there is neither."""
        return self.figures.get(name) or (Kept(name) if name in self.kept else None)

    def settings(self, scales: Mapping[str, Chosen]) -> Chosen:
        """The settings of the run."""
        return restored(scales[self.about["scale"]], self.about["settings"])

    @property
    def training_seeds(self) -> str:
        """The number of training seeds, in words for a sentence."""
        count = len(self.about["seeds"])
        return "one training seed" if count == 1 else f"{count} training seeds"


def provenance(run: Run, paper: str, settings: Any, usual: Any) -> dict[str, Any]:
    """The provenance of the figures. `usual` are the scale's own settings, some of which the run may have changed."""
    own, normal = dataclasses.asdict(settings), dataclasses.asdict(usual)
    stages = {
        name: {"seconds": round(cost.seconds, 1), "core_seconds": round(cost.core_seconds, 1), "commits": cost.commits}
        for name, cost in run.costs.items()
    }
    about = {
        "paper": paper,
        "scale": run.scale,
        "changed": {name: value for name, value in own.items() if value != normal[name]},
        "seeds": [settings.seed],
        "settings": own,
        "commit": commit(),
        "seconds": round(sum(cost.seconds for cost in run.costs.values()), 1),
        "stages": stages,
        "machine": machine(),
        "versions": {name: _version(name) for name in ("sandtable", "numpy", "torch", "onnxruntime")},
    }
    found: dict[str, Any] = json.loads(json.dumps(about))  # as it comes back from a file
    return found


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
