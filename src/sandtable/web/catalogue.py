"""The games, maps, generators, levels and players that can be chosen on the page, by names from fixed lists. A visitor
can never name a file, a program or code."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

from sandtable import json_fields
from sandtable.errors import MapError, SandtableError, nearest
from sandtable.games import Game, games
from sandtable.players.levels import Level
from sandtable.players.spec import PlayerSpec
from sandtable.texts import shown
from sandtable.web.levels import measured
from sandtable.web.pages import count_of, page_of

MAX_UPLOADED = 200  # maps that visitors have sent or generated; the oldest are forgotten
MAX_NAME = 60  # characters of a file's name that become the map's
MAX_COUNT = 20_000  # the largest count (simulations, rounds ...) that a visitor may give a player


class ListedMap(NamedTuple):
    """A map with the id that the page calls it by."""

    game: Game
    id: str
    map: Any

    def to_json(self) -> dict[str, Any]:
        summary = self.game.summary(self.map)
        return {"game": self.game.name, "id": self.id, "name": self.map.name, **summary._asdict()}


class Seat(NamedTuple):
    """Who plays a side: a person, or a player by its spec. `level` is the level's name if a level was chosen."""

    kind: str  # "human" or "player"
    title: str
    spec: str | None = None
    level: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "title": self.title, **({"level": self.level} if self.level else {})}


class Catalogue:
    """The games that were registered when the server started, and their maps."""

    def __init__(self) -> None:
        self.games = {one.name: one for one in games()}
        self._shipped = {
            name: {id: ListedMap(one, id, one.load(id)) for id in one.shipped()} for name, one in self.games.items()
        }
        self._added: OrderedDict[str, ListedMap] = OrderedDict()

    def game(self, name: Any) -> Game:
        if not isinstance(name, str) or name not in self.games:
            hint = nearest(name, self.games) if isinstance(name, str) else ""
            raise SandtableError(f"no game is called {name!r:.40}{hint}; there are {', '.join(self.games)}")
        return self.games[name]

    def map(self, game: Game, id: Any) -> ListedMap:
        if isinstance(id, str):
            if id in self._shipped[game.name]:
                return self._shipped[game.name][id]
            if id in self._added and self._added[id].game is game:
                return self._added[id]
        raise SandtableError(f"{game.name} has no map {id!r:.60}")

    def add_map(self, game: Game, map: Any) -> ListedMap:
        """Keep a visitor's map for a while. Its id is made from the digest of its content."""
        digest = hashlib.sha256(f"{game.name}\n{game.format(map)}".encode()).hexdigest()[:16]
        listed = ListedMap(game, f"map-{digest}", map)
        self._added[listed.id] = listed
        self._added.move_to_end(listed.id)
        while len(self._added) > MAX_UPLOADED:
            self._added.popitem(last=False)
        return listed

    def read_map(self, data: bytes, name: str) -> tuple[Game, Any]:
        """The map in a file's bytes, and the game that recognises them. `name` is the file's name, for a map that has
        none of its own. MapError if no game recognises the bytes."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise MapError("the file is not UTF-8 text: a map is a .tbsmap or .json file") from None
        is_json = text.lstrip().startswith("{")
        for game in self.games.values():
            for ending in game.formats:
                if (ending == ".json") == is_json and game.claims(Path(f"map{ending}"), data):
                    return game, game.parse(text, name=shown(" ".join(name.split()))[:MAX_NAME] or "map")
        raise MapError(f"not a map of {' or '.join(self.games)}")

    def generator(self, message: dict[str, Any]) -> tuple[Game, str, int, dict[str, int]]:
        """A request for a generated map, checked: the game, the generator, the seed and the options."""
        found = json_fields.fields("request", message, {"game": ..., "generator": ..., "options": {}, "seed": 0})
        game = self.game(found["game"])
        known = page_of(game).generators
        name = found["generator"]
        if not isinstance(name, str) or name not in known:
            raise SandtableError(f"{game.name} has no generator {name!r:.40}; it has {', '.join(known) or 'none'}")
        given = json_fields.fields("options", found["options"], dict.fromkeys(known[name]))
        options = {
            key: json_fields.whole(f"options: {key}", value, *known[name][key][1:])
            for key, value in given.items()
            if value is not None
        }
        return game, name, json_fields.whole("seed", found["seed"], 0, 2**32 - 1), options

    def seat(self, game: Game, given: Any) -> Seat:
        """Who plays a side, from a request: {"kind": "human"}, a level by its name, or one of the listed players with a
        count."""
        found = json_fields.fields("side", given, {"kind": ..., "level": None, "player": None, "count": None})
        if found["kind"] == "human":
            return Seat("human", "You")
        if found["kind"] != "player":
            raise SandtableError(f'side: kind must be "human" or "player", not {found["kind"]!r:.40}')
        if found["player"] is None:
            level = self.level(game, found["level"])
            return Seat("player", level.title, level.spec, level.name)
        if found["level"] is not None:
            raise SandtableError("side: give a level or a player, not both")
        spec = self.player(game, found["player"], found["count"])
        return Seat("player", spec, spec)

    def level(self, game: Game, name: Any) -> Level:
        levels = {level.name: level for level in page_of(game).levels}
        if not isinstance(name, str) or name not in levels:
            raise SandtableError(f"{game.name} has no level {name!r:.40}; the levels are {', '.join(levels)}")
        return levels[name]

    def player(self, game: Game, name: Any, count: Any) -> str:
        """The spec of a listed player with a count."""
        known = page_of(game).players
        if not isinstance(name, str) or name not in known:
            raise SandtableError(f"no player {name!r:.40} can be chosen here; there are {', '.join(known)}")
        counted = count_of(name)
        if count is None:
            return name
        if counted is None:
            raise SandtableError(f"{name} has no count")
        return str(PlayerSpec.of(name, **{counted: json_fields.whole("count", count, 1, MAX_COUNT)}))

    @functools.cached_property
    def listing(self) -> list[dict[str, Any]]:
        """The whole catalogue, as JSON for the page."""
        return [self._game_listing(one) for one in self.games.values()]

    def _game_listing(self, game: Game) -> dict[str, Any]:
        page = page_of(game)
        maps = list(self._shipped[game.name].values())
        rated = measured(game.name)
        return {
            "name": game.name,
            "title": page.title,
            "about": page.about,
            "how": list(page.how),
            "simultaneous": game.simultaneous,
            "sides": list(page.sides),
            "has_board": page.has_board,
            "maps": [one.to_json() for one in maps],
            "generators": [
                {
                    "name": name,
                    "options": [
                        {"name": key, "default": default, "low": low, "high": high}
                        for key, (default, low, high) in options.items()
                    ],
                }
                for name, options in page.generators.items()
            ],
            "levels": [
                {
                    "name": one.name,
                    "title": one.title,
                    "elo": rated[one.name]["elo"] if one.name in rated else None,
                    "about": one.about,
                }
                for one in page.levels
            ],
            "players": [
                {"name": name, "count": count_of(name), "high": MAX_COUNT if count_of(name) else None}
                for name in page.players
            ],
        }
