"""The papers as programs: their settings and published tables as data, their stages as functions of a run folder."""

import importlib
from types import ModuleType

PAPERS = ("li2022", "kimura2020", "takahashi", "soares2025")


def paper(name: str) -> ModuleType:
    """The module of the paper with this name, one of PAPERS. SCALES has its settings by scale, STAGES its stages in
    order, NEEDS the packages that it requires beyond the engine's, and compose() writes its report from stored
    tables."""
    return importlib.import_module(f"sandtable.papers.{name}")
