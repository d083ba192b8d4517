"""Conquest: territories, simultaneous turns, no dice: Warzone as soares2025 plays it. The rules: docs/conquest.md."""

from typing import TYPE_CHECKING

from sandtable._core.conquest import VERSION
from sandtable.conquest import mapfile, maps
from sandtable.conquest.counting import playouts
from sandtable.conquest.game import GAME
from sandtable.conquest.land import Land, State
from sandtable.conquest.loading import load, parse, save
from sandtable.conquest.ruleset import PRESETS, Rules, rules
from sandtable.conquest.types import Bonus, Deploy, March, Order, Playouts, Turn
from sandtable.lazy import lazily

if TYPE_CHECKING:
    from sandtable.conquest.drawing import svg, text

__all__ = [
    "GAME",
    "PRESETS",
    "VERSION",
    "Bonus",
    "Deploy",
    "Land",
    "March",
    "Order",
    "Playouts",
    "Rules",
    "State",
    "Turn",
    "load",
    "mapfile",
    "maps",
    "parse",
    "playouts",
    "rules",
    "save",
    "svg",
    "text",
]

# Few programs draw: the drawing functions are imported on first use.
__getattr__ = lazily(__name__, {"svg": "sandtable.conquest.drawing", "text": "sandtable.conquest.drawing"})
