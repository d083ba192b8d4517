"""What the settings of all papers share: ranges, and the part that a stage depends on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

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
