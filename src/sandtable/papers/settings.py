"""What the settings of all papers have in common: a check of each setting's values, and the selection of the settings
that a stage depends on.

simulations: Annotated[int, Within(1, 10**6)] = 500
inputs: Annotated[str, OneOf(*INPUTS)] = "scaled"
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

from sandtable.errors import SandtableError
from sandtable.settings import Setting


@dataclass(frozen=True)
class Within:
    """Bounds for a number, or for each number of a tuple."""

    low: float
    high: float

    def check(self, name: str, kind: Any, given: Any) -> None:
        """`kind` is float, int, or the type of a tuple of whole numbers."""
        one = Setting(name, (kind if kind is float else int,), None, low=self.low, high=self.high)
        for value in given if isinstance(given, tuple) else (given,):
            one.checked(value)


class OneOf:
    """The words that are allowed as a setting's value."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def check(self, name: str, _: Any, given: Any) -> None:
        Setting(name, (str,), None, words=self.words).checked(given)


Seed = Annotated[int, Within(0, 2**32 - 1)]
Count = Annotated[int, Within(1, 10**6)]
AnyCount = Annotated[int, Within(0, 10**6)]  # 0: what is counted is left out of the run
TwoOrMore = Annotated[int, Within(2, 10**6)]
Epochs = Annotated[int, Within(1, 10**5)]
Seconds = Annotated[float, Within(0.001, 1000)]  # per move or turn
Rollouts = Annotated[int, Within(1, 10**9)]
Measurements = Annotated[int, Within(1, 100)]  # of memory and time, each in a fresh process
Rate = Annotated[float, Within(1e-9, 10)]  # learning rate
Share = Annotated[float, Within(0.001, 0.9)]


@dataclass(frozen=True)
class PaperSettings:
    """Settings are numbers, tuples of numbers, or words."""

    # Settings that were added after the first runs, with the values that those runs correspond to.
    LATER: ClassVar[Mapping[str, Any]] = {}

    seed: Seed = 0

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            for allowed in getattr(hint, "__metadata__", ()):
                allowed.check(name, hint.__origin__, getattr(self, name))

    def only(self, *names: str) -> dict[str, Any]:
        """The settings of these names, on which a stage depends. A setting in LATER is left out while it has its value
        there, so that earlier runs can be continued."""
        found = {name: value for name, value in asdict(self).items() if name in names}
        return {name: value for name, value in found.items() if name not in self.LATER or value != self.LATER[name]}


Chosen = TypeVar("Chosen", bound=PaperSettings)


def restored(usual: Chosen, stored: Mapping[str, Any]) -> Chosen:
    """The settings of a stored report. Settings that it does not have get the values of `usual`, the scale's settings;
    stored settings that no longer exist are ignored."""
    known = {field.name for field in dataclasses.fields(usual)}
    values = {name: value for name, value in stored.items() if name in known}
    for name, value in values.items():
        old = getattr(usual, name)
        if isinstance(old, tuple):
            if not isinstance(value, list) or len(value) != len(old) or not all(map(_is_number, value)):
                raise SandtableError(f"stored setting {name} is not {len(old)} numbers: {value!r:.40}")
            values[name] = type(old)(*value)
        elif isinstance(value, str) != isinstance(old, str) or not (isinstance(value, str) or _is_number(value)):
            raise SandtableError(f"stored setting {name} must have the type of {old!r:.40}, not {value!r:.40}")
    return dataclasses.replace(usual, **values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
