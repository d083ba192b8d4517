"""The sources of a training's maps: generators with randomly drawn options, and maps given by name or file."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable.carried import here
from sandtable.errors import RecipeError, SandtableError, nearest
from sandtable.games import game, games
from sandtable.rng import Rng
from sandtable.settings import says, setting

EXTREMES = 500  # maps tried per source before a training; each takes a millisecond or two


@dataclass(frozen=True)
class Maps:
    """A source of maps: a generator, a named map, or a map file."""

    source: str = field(metadata=says("a generator (`sandtable maps`), the name of a map, or a map file"))
    share: float = setting(1.0, "relative weight among the active sources", low=0, high=10**6)
    from_game: int = setting(0, "first game that uses the source, for a curriculum", low=0, high=2**62)
    until_game: int = setting(2**62, "first game that no longer uses it", low=0, high=2**62)
    options: dict[str, Any] = field(
        default_factory=dict,
        metadata=says(
            "options of the generator; for each game, a value is drawn from `[low, high]` or from a list of words; the "
            "name of another option copies its value"
        ),
    )

    def __post_init__(self) -> None:
        if self.source.endswith(tuple(ending for one in games() for ending in one.formats)):
            # Workers may run in another working directory, so the path must be absolute.
            object.__setattr__(self, "source", str(Path(self.source).absolute()))

    def draw(self, of: str, rng: Rng) -> Any:
        """Draw a map of the game `of`."""
        options = {name: _draw_option(value, rng) for name, value in self.options.items()}
        return self._make(of, options, rng.below(2**32 - 1))

    def extremes(self, of: str) -> Iterator[Any]:
        """Maps with the extreme values of the drawn options, up to EXTREMES combinations of them. A bad option raises
        RecipeError here, before the training, and not after an hour of it."""
        self._check(of)
        ends = [_ends(value) for value in self.options.values()]
        for values in itertools.islice(itertools.product(*ends), EXTREMES):
            yield self._make(of, dict(zip(self.options, values, strict=True)), 0)

    def is_file(self, of: str) -> bool:
        """Whether the source is a map file, by its name's ending."""
        return self.source.endswith(tuple(game(of).formats))

    def digest(self, of: str) -> str:
        """The digest of a map file or a named map, sixteen hexadecimal digits."""
        return game(of).digest(game(of).start(game(of).load(self.source)))

    def _make(self, of: str, options: dict[str, Any], seed: int) -> Any:
        generators = game(of).generators
        if self.source not in generators:
            return game(of).load(str(here(self.source)))
        for name, value in options.items():
            options[name] = options.get(value, value) if isinstance(value, str) else value
        try:
            return generators[self.source](seed, **options)
        except SandtableError as error:
            raise RecipeError(f"maps.options of {self.source}: {error}") from None
        except TypeError as error:
            raise RecipeError(f"maps.options of {self.source}: {str(error).split(') ')[-1]:.100}") from None

    def _check(self, of: str) -> None:
        generators = game(of).generators
        sources = [*generators, *game(of).shipped()]
        if self.is_file(of):
            self._check_file(of)
        if self.source not in sources and not self.is_file(of):
            for other in games():
                if self.source in (*other.generators, *other.shipped()):
                    found = f"{self.source!r} belongs to {other.name}"
                    raise RecipeError(f"maps.source: {found}, but the network plays {of}")
            raise RecipeError(f"maps.source: no map is called {self.source!r:.40}{nearest(self.source, sources)}")
        if self.source not in generators:
            if self.options:
                raise RecipeError(f"maps.options: {self.source} has no options: it is a map, not a generator")
            return
        known = [name for name in inspect.signature(generators[self.source]).parameters if name != "seed"]
        for name in self.options:
            if name not in known:
                raise RecipeError(f"maps.options: {self.source} has no option {name!r:.40}{nearest(name, known)}")

    def _check_file(self, of: str) -> None:
        if not Path(self.source).is_file():
            raise RecipeError(f"maps.source: {self.source:.200}: there is no such file")
        try:
            game(of).load(self.source)
        except SandtableError as error:
            raise RecipeError(f"maps.source: {error}") from None


def _draw_option(value: Any, rng: Rng) -> Any:
    if isinstance(value, list) and len(value) == 2 and all(type(end) is int for end in value) and value[0] <= value[1]:
        return rng.between(*value)
    return rng.choice(value) if isinstance(value, list) and value else value


def _ends(value: Any) -> list[Any]:
    """The two ends of a range, or all entries of a list."""
    return value if isinstance(value, list) and value else [value]
