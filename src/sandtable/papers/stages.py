"""Stages of a reproduction, declared: what each needs, and which settings its results depend on.

    @stage("training", needs=(make_dataset,), settings=("batch", "epochs"))
    def train(run, settings, dataset): ...

A stage is called with the run and the settings. The stages that it needs are made first, and their results are passed
to its function as further arguments. Its results depend on its own settings and, unless `inherits` is False, on those
of the needed stages. A run makes each stage once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sandtable.papers.run import Run
from sandtable.papers.settings import PaperSettings

T = TypeVar("T")
Needs = Iterable["Stage[Any]"] | Callable[[Any], Iterable["Stage[Any]"]]


@dataclass(frozen=True)
class Stage(Generic[T]):
    """`needs`: stages, or a function that returns them for given settings. `inherits`: whether the results depend on
    the settings of the needed stages too; a stage whose results depend on the digests of the networks it uses need not
    inherit. `when`: whether the settings ask for the stage; if not, its result is empty."""

    name: str
    work: Callable[..., T]
    needs: Needs = ()
    settings: tuple[str, ...] = ()
    inherits: bool = True
    when: Callable[[Any], object] = lambda settings: True

    def __call__(self, run: Run, settings: Any) -> T:
        if (self.name, settings) not in run.made:
            wanted = self.when(settings)
            needed = [one(run, settings) for one in self.needed(settings)] if wanted else []
            run.made[self.name, settings] = self.work(run, settings, *needed) if wanted else {}
        result: T = run.made[self.name, settings]
        return result

    def needed(self, settings: Any) -> list[Stage[Any]]:
        return list(self.needs(settings) if callable(self.needs) else self.needs)

    def setting_names(self, settings: Any) -> set[str]:
        """The names of all settings on which its results depend."""
        inherited = self.needed(settings) if self.inherits else []
        return {*self.settings, *(name for one in inherited for name in one.setting_names(settings))}

    def depends(self, settings: PaperSettings) -> dict[str, Any]:
        """The settings that its results depend on, with their values."""
        return settings.only(*self.setting_names(settings))

    def make(self, run: Run, settings: Any, work: Callable[[], T], **more: Any) -> T:
        """The result of work(), stored under the stage's name with everything that it depends on: the stage's settings,
        and `more`."""
        result: T = run.make(self.name, self.depends(settings) | more, work)
        return result


def stage(
    name: str,
    *,
    needs: Needs = (),
    settings: tuple[str, ...] = (),
    inherits: bool = True,
    when: Callable[[Any], object] = lambda settings: True,
) -> Callable[[Callable[..., T]], Stage[T]]:
    """Declare a function as a stage."""
    return lambda work: Stage(name, work, needs, settings, inherits, when)


def in_order(*stages: Stage[Any]) -> dict[str, Stage[Any]]:
    """Stages by name, each after the stages that it needs. Needs that depend on the settings are not included."""
    found: dict[str, Stage[Any]] = {}
    for one in stages:
        found |= in_order(*(() if callable(one.needs) else one.needs)) | {one.name: one}
    return found
