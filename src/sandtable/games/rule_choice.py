"""Rules that a user chooses instead of a map's own: a preset by its name, and changes of single rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable.errors import RulesError, SandtableError
from sandtable.games.sources import MapSource, load
from sandtable.ruleset import RuleSet, find_rules


@dataclass(frozen=True)
class RuleChoice:
    """`changes`: new values of single rules by name; they change the preset or else the map's own rules. The word
    "none" stands for None, for which TOML and the command line have no value."""

    preset: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.preset is not None or bool(self.changes)

    def load(self, source: str | Path, load: Callable[[str | Path, Any], Any] = load) -> Any:
        """A map with these rules, from a file or a shipped map by its name. `load` reads it; the default reads maps of
        any game."""
        found = load(source, self.preset)
        if not self.changes:
            return found
        if not hasattr(found, "with_rules"):
            raise RulesError(f"{found.name}: its game has no rules to choose from")
        try:
            return found.with_rules(self._changed(found.rules))
        except SandtableError as error:
            raise RulesError(f"{found.name}: {error}") from None

    def of_generator(self, source: MapSource) -> RuleSet | None:
        """The rules for a generator's maps; None for the generator's default rules."""
        if not self:
            return None
        known = inspect.signature(source.game.generators[source.name]).parameters
        if "rules" not in known or not source.game.presets:
            raise RulesError(f"{source.name}: its maps have no rules to choose from")
        try:
            own = known["rules"].default if self.preset is None else self.preset
            return self._changed(find_rules(own, source.game.presets))
        except SandtableError as error:
            raise RulesError(f"{source.name}: {error}") from None

    def _changed(self, rules: RuleSet) -> RuleSet:
        changes = {name: None if value == "none" else value for name, value in self.changes.items()}
        return rules.replace(**changes) if changes else rules
