"""What the settings of all papers share: ranges, and the part that a stage depends on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

from sandtable.errors import SandtableError


@dataclass(frozen=True)
class PaperSettings:
    """Settings are numbers, tuples of numbers, or words."""

    RANGES: ClassVar[dict[str, tuple[float, float]]] = {}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {}

    seed: int = 0

    def __post_init__(self) -> None:
        for name, words in self.WORDS.items():
            if getattr(self, name) not in words:
                raise SandtableError(f"{name} must be {' or '.join(words)}, not {getattr(self, name)!r:.40}")
        for name, (low, high) in ({"seed": (0, 2**32 - 1)} | self.RANGES).items():
            given = getattr(self, name)
            if not all(low <= value <= high for value in (given if isinstance(given, tuple) else (given,))):
                raise SandtableError(f"{name} must be within {low:g}..{high:g}, not {given}")

    def only(self, *names: str) -> dict[str, Any]:
        """Those that a stage depends on."""
        return {name: value for name, value in asdict(self).items() if name in names}


Chosen = TypeVar("Chosen", bound=PaperSettings)


def restored(usual: Chosen, stored: Mapping[str, Any]) -> Chosen:
    """The settings that a stored report names. Those that came later are the scale's usual ones; those that are gone
    are left out."""
    values = {name: value for name, value in stored.items() if hasattr(usual, name)}
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
