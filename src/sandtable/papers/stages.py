"""Stages of a reproduction, declared: what each needs, and which settings its results depend on.

    @stage("training", needs=(make_dataset,), settings=("batch", "epochs"))
    def train(run, settings, dataset): ...

A stage is called with the run and the settings; the stages it needs are made first, and their results follow as
arguments. It depends on its own settings and on theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sandtable.papers.run import Run
from sandtable.papers.settings import PaperSettings

T = TypeVar("T")


@dataclass(frozen=True)
class Stage(Generic[T]):
    name: str
    work: Callable[..., T]
    needs: tuple[Stage[Any], ...] = ()
    settings: tuple[str, ...] = ()

    def __call__(self, run: Run, settings: Any) -> T:
        return self.work(run, settings, *(one(run, settings) for one in self.needs))

    @property
    def setting_names(self) -> tuple[str, ...]:
        """Of all settings that its results depend on."""
        return (*(name for one in self.needs for name in one.setting_names), *self.settings)

    def depends(self, settings: PaperSettings) -> dict[str, Any]:
        """The settings that its results depend on, with their values."""
        return settings.only(*self.setting_names)


def stage(
    name: str, *, needs: tuple[Stage[Any], ...] = (), settings: tuple[str, ...] = ()
) -> Callable[[Callable[..., T]], Stage[T]]:
    """Declare a function as a stage."""
    return lambda work: Stage(name, work, needs, settings)


def by_name(*stages: Stage[Any]) -> dict[str, Stage[Any]]:
    return {one.name: one for one in stages}
