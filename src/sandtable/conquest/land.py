"""A map of Conquest with its rules. `start()` and `state()` give positions to play from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sandtable import _core
from sandtable.conquest.ruleset import Rules
from sandtable.conquest.types import Bonus
from sandtable.errors import MapError
from sandtable.games.native_states import complete
from sandtable.rng import checked_seed
from sandtable.texts import check_text

State = _core.conquest.State

MAX_TERRITORIES = _core.conquest.MAX_TERRITORIES
MAX_BONUSES = _core.conquest.MAX_BONUSES
MAX_INCOME = _core.conquest.MAX_INCOME


@dataclasses.dataclass(frozen=True)
class Land:
    """Territories by name, with the places where they are drawn (y downwards); undirected edges, each once; bonuses."""

    name: str
    territories: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    edges: tuple[tuple[int, int], ...]
    bonuses: tuple[Bonus, ...]
    rules: Rules
    comment: str = ""

    def __post_init__(self) -> None:
        check_land(self)
        _ = self._empty

    def start(self, seed: int = 0) -> State:
        """A random start: armies everywhere, a few territories to each player, the rest neutral."""
        try:
            return self._empty.begun(self, checked_seed(seed))
        except ValueError as error:
            raise MapError(f"{self.name}: {error}") from None

    def state(self, owner: Sequence[int], armies: Sequence[int], turn: int = 0) -> State:
        """A position: the owner (-1 neutral, 0, 1) and armies of every territory, and the turns resolved so far."""
        return self._empty.placed(self, list(owner), list(armies), turn)

    def neighbours(self, territory: int) -> list[int]:
        return sorted(b if a == territory else a for a, b in self.edges if territory in (a, b))

    def __getstate__(self) -> dict[str, Any]:
        """The fields, without the cached empty state, for pickling."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __repr__(self) -> str:
        size = f"{len(self.territories)} territories, {len(self.bonuses)} bonuses"
        return f"<Land {self.name}: {size}, rules {self.rules.name}>"

    def with_rules(self, rules: Rules) -> Land:
        return dataclasses.replace(self, rules=rules)

    @cached_property
    def _empty(self) -> State:
        try:
            return State(
                rules=self.rules.compiled(),
                territories=len(self.territories),
                edges=self.edges,
                bonuses=[(bonus.value, bonus.territories) for bonus in self.bonuses],
            )
        except ValueError as error:
            raise MapError(f"{self.name}: {error}") from None


def _content(state: State) -> tuple[Any, ...]:
    land = state.land
    return land.territories, land.edges, land.bonuses, land.rules.digest, state.owner, state.armies, state.turn


complete(State, _content)


def check_land(land: Land) -> None:
    """MapError unless the map is a connected graph of uniquely named territories with valid bonuses."""
    check_text("name", land.name, one_line=True)
    check_text("comment", land.comment)
    if not isinstance(land.rules, Rules):
        raise MapError(f"rules: must be Rules, not {land.rules!r:.40}")
    names, n = land.territories, len(land.territories)
    if not 2 <= n <= MAX_TERRITORIES:
        raise MapError(f"territories: a map has 2 to {MAX_TERRITORIES} of them, not {n}")
    if len(land.places) != n:
        raise MapError(f"territories: {n} names, but {len(land.places)} places")
    for kind, words in (("territories", names), ("bonuses", [bonus.name for bonus in land.bonuses])):
        for i, name in enumerate(words):
            check_text(f"{kind}[{i}].name", name, one_line=True)
            if name in words[:i]:
                raise MapError(f"{kind}[{i}]: the name {name!r} is taken by {kind}[{words.index(name)}]")
    seen = set()
    for i, (a, b) in enumerate(land.edges):
        for end in (a, b):
            if not 0 <= end < n:
                raise MapError(f"edges[{i}]: there is no territory {end}; they are 0..{n - 1}")
        if a == b:
            raise MapError(f"edges[{i}]: an edge from {names[a]!r} to itself")
        if (min(a, b), max(a, b)) in seen:
            raise MapError(f"edges[{i}]: {names[a]!r} to {names[b]!r} is given twice")
        seen.add((min(a, b), max(a, b)))
    for i, bonus in enumerate(land.bonuses):
        if not bonus.territories:
            raise MapError(f"bonuses[{i}]: {bonus.name!r} has no territories")
        if not 0 <= bonus.value <= MAX_INCOME:
            raise MapError(f"bonuses[{i}]: a value of {bonus.value} is not within 0..{MAX_INCOME}")
        for t in bonus.territories:
            if not 0 <= t < n:
                raise MapError(f"bonuses[{i}]: there is no territory {t}; they are 0..{n - 1}")
        if len(set(bonus.territories)) < len(bonus.territories):
            raise MapError(f"bonuses[{i}]: {bonus.name!r} names a territory twice")
    cut_off = sorted(set(range(n)) - connected(n, land.edges))
    if cut_off:
        raise MapError(f"edges: {names[0]!r} and {names[cut_off[0]]!r} are not connected; join all territories")


def connected(n: int, edges: Sequence[tuple[int, int]]) -> set[int]:
    """The territories that can be reached from the first."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    reached, stack = {0}, [0]
    while stack:
        for t in neighbours[stack.pop()]:
            if t not in reached:
                reached.add(t)
                stack.append(t)
    return reached
