"""The rules of Conquest as data, and the presets of soares2025."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from sandtable import _core
from sandtable.errors import RulesError
from sandtable.ruleset import RuleSet, check_number, find_rules


@dataclasses.dataclass(frozen=True, repr=False)
class Rules(RuleSet):
    """`attack_kills` and `defence_kills`: armies that one attacking or defending army kills, before rounding.

    `order`: "alternate", the players' marches in turn, or "random", all marches shuffled together. `stand_guard`:
    one army always stays behind. A random start puts 0 .. `start_armies` on every territory and gives `start_lands`
    to each player.
    """

    attack_kills: float = 0.6
    defence_kills: float = 0.7
    rounding: Literal["nearest", "down", "up"] = "nearest"
    base_income: int = 5
    stand_guard: bool = False
    order: Literal["alternate", "random"] = "alternate"
    turn_limit: int = 100
    start_armies: int = 4
    start_lands: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("attack_kills", "defence_kills"):
            check_number(name, getattr(self, name), whole=False)
        for name in ("base_income", "turn_limit", "start_armies", "start_lands"):
            check_number(name, getattr(self, name), whole=True)
        for name in ("rounding", "order"):
            if not isinstance(getattr(self, name), str):
                raise RulesError(f"rules: {name} must be a word, not {getattr(self, name)!r:.40}")
        if not isinstance(self.stand_guard, bool):
            raise RulesError(f"rules: stand_guard must be true or false, not {self.stand_guard!r:.40}")
        self.compiled()

    def compiled(self) -> _core.conquest.Rules:
        """The rules as the engine reads them."""
        fields = self.to_json()
        del fields["name"]
        try:
            return _core.conquest.Rules(**fields)
        except ValueError as error:
            raise RulesError(f"rules: {error}") from None


def rules(value: str | Rules | Mapping[str, Any]) -> Rules:
    """Rules from a preset's name or from the result of `to_json()`; Rules are returned unchanged."""
    return find_rules(value, PRESETS)


_presets = (
    Rules(name="soares2025"),  # what the authors' code does
    Rules(name="soares2025-text", order="random"),  # what the thesis says
)
PRESETS = {preset.name: preset for preset in _presets}
