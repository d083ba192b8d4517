"""What the settings of all papers share: the values that each may have, and the part that a stage depends on.

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
    """The bounds of a number, or of each of several."""

    low: float
    high: float

    def check(self, name: str, kind: Any, given: Any) -> None:
        """`kind` is float, int, or a tuple of whole numbers."""
        one = Setting(name, (kind if kind is float else int,), None, low=self.low, high=self.high)
        for value in given if isinstance(given, tuple) else (given,):
            one.checked(value)


class OneOf:
    """The words that a setting may be."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def check(self, name: str, _: Any, given: Any) -> None:
        Setting(name, (str,), None, words=self.words).checked(given)


Seed = Annotated[int, Within(0, 2**32 - 1)]
Count = Annotated[int, Within(1, 10**6)]
AnyCount = Annotated[int, Within(0, 10**6)]  # 0 leaves out what is counted
TwoOrMore = Annotated[int, Within(2, 10**6)]
Epochs = Annotated[int, Within(1, 10**5)]
Seconds = Annotated[float, Within(0.001, 1000)]  # a move
Rollouts = Annotated[int, Within(1, 10**9)]
Measurements = Annotated[int, Within(1, 100)]  # of memory and time, each in a fresh process
Rate = Annotated[float, Within(1e-9, 10)]  # of learning
Share = Annotated[float, Within(0.001, 0.9)]


@dataclass(frozen=True)
class PaperSettings:
    """Settings are numbers, tuples of numbers, or words."""

    # Settings that early runs did not have, with the values that those runs were made with.
    LATER: ClassVar[Mapping[str, Any]] = {}

    seed: Seed = 0

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            for allowed in getattr(hint, "__metadata__", ()):
                allowed.check(name, hint.__origin__, getattr(self, name))

    def only(self, *names: str) -> dict[str, Any]:
        """The settings of these names, on which a stage depends. A setting that was added later is left out while it
        has its first value, so that earlier runs can be continued."""
        found = {name: value for name, value in asdict(self).items() if name in names}
        return {name: value for name, value in found.items() if name not in self.LATER or value != self.LATER[name]}


Chosen = TypeVar("Chosen", bound=PaperSettings)


def restored(usual: Chosen, stored: Mapping[str, Any]) -> Chosen:
    """The settings that a stored report names. Those that came later are the scale's usual ones; those that are gone
    are left out."""
    known = {field.name for field in dataclasses.fields(usual)}
    values = {name: value for name, value in stored.items() if name in known}
    for name, value in values.items():
        old = getattr(usual, name)
        if isinstance(old, tuple):
            if not isinstance(value, list) or len(value) != len(old) or not all(map(_is_number, value)):
                raise SandtableError(f"stored setting {name} is not {len(old)} numbers: {value!r:.40}")
            values[name] = type(old)(*value)
        elif isinstance(value, str) != isinstance(old, str) or not (isinstance(value, str) or _is_number(value)):
            raise SandtableError(f"stored setting {name} is not like {old!r:.40}: {value!r:.40}")
    return dataclasses.replace(usual, **values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
