"""The tables of settings and levels in the docs, generated from the declarations and measurements.

PYTHONPATH=tests python -m support.settings_tables            compare
PYTHONPATH=tests python -m support.settings_tables --write    write them
"""

import dataclasses
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sandtable as st
from sandtable.learn.map_sources import Maps
from sandtable.learn.recipe import Learning, Network, Recipe, Search, Strength, Turns
from sandtable.players import player_class
from sandtable.players.seeding import Seeded
from sandtable.players.timing import Timed
from sandtable.settings import Setting, declared, in_words
from sandtable.web.levels import measured
from sandtable.web.pages import page_of

PAGES = [Path(__file__).parents[2] / "docs" / f"{name}.md" for name in ("players", "training", "page")]
PLACE = re.compile(r"(<!-- settings: (\w+), by `make settings-tables` -->\n\n)(.*?)(<!-- end -->\n)", re.DOTALL)
TABLES = {
    "recipe": Recipe,
    "network": Network,
    "maps": Maps,
    "search": Search,
    "turns": Turns,
    "learning": Learning,
    "strength": Strength,
}


def table(settings: Iterable[Setting]) -> str:
    rows = [("setting", "default", "values", "meaning"), ("---",) * 4]
    rows += [(f"`{one.name}`", f"`{in_words(one.default)}`", one.range, one.sentence) for one in settings]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def of_players() -> str:
    """The shared settings first, then those of each player that has others."""
    shared = {one.row for one in declared(Timed)}
    clock = [one for one in declared(Timed) if one not in declared(Seeded)]
    parts = [
        f"Every player has\n\n{table(declared(Seeded))}",
        f"and every player with a budget has\n\n{table(clock)}",
    ]
    for name in st.players():
        own = [one for one in declared(player_class(name)) if one.row not in shared]
        if own:
            parts.append(f"### {name}\n\n{table(own)}")
    return "\n".join(parts)


def of_levels() -> str:
    """The levels of the page with what was measured of them."""
    rows = [("game", "level", "player", "Elo", "95% interval", "ms per decision"), ("---",) * 6]
    for game in (one for one in st.games() if "page" in one.parts):
        known = measured(game.name)
        for level in page_of(game).levels:
            found = known[level.name]
            middle, low, high = found["elo"]
            shown = f"{middle}", f"{low} .. {high}", f"{found['milliseconds']:g}"
            rows.append((page_of(game).title, level.name, f"`{level.spec}`", *shown))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def of_recipe(kind: type[Any]) -> str:
    rows = [("key", "default", "values", "meaning"), ("---",) * 4]
    for one in declared(kind):
        values = one.range if one.words or one.low is not None else ""
        rows.append((f"`{one.name}`", _in_toml(one.default), values, one.sentence))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _in_toml(default: Any) -> str:
    """A default as it is written in a recipe; empty for a required key and for a table."""
    if default is dataclasses.MISSING or dataclasses.is_dataclass(default):
        return ""
    if default == 2**62:
        return "`2**62`"
    return f"`{json.dumps(default) if isinstance(default, bool | str | dict) else repr(default).replace('()', '[]')}`"


def regenerated(text: str) -> str:
    """A page with its tables as the declarations have them."""

    def made(place: re.Match[str]) -> str:
        makers = {"players": of_players, "levels": of_levels}
        tables = makers[place[2]]() if place[2] in makers else of_recipe(TABLES[place[2]])
        return f"{place[1]}{tables}\n{place[4]}"

    return PLACE.sub(made, text)


def main() -> int:
    changed = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        changed += regenerated(text) != text
        if "--write" in sys.argv:
            page.write_text(regenerated(text), encoding="utf-8")
    return changed and "--write" not in sys.argv


if __name__ == "__main__":
    sys.exit(main())
