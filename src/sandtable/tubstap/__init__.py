"""TUBSTAP: a grid wargame in which a side moves all its units in a turn. docs/tubstap.md has the rules."""

from typing import TYPE_CHECKING

from sandtable._core.tubstap import VERSION
from sandtable.lazy import lazily
from sandtable.tubstap import jsonmap, maps, tbsmap
from sandtable.tubstap.counting import perft, perft_by_move, playouts
from sandtable.tubstap.game import GAME
from sandtable.tubstap.loading import load, parse, save
from sandtable.tubstap.ruleset import PRESETS, Rules, rules
from sandtable.tubstap.scenario import Scenario, State, remarks
from sandtable.tubstap.types import KINDS, SIDES, TERRAINS, Combat, Move, Playouts, Unit

if TYPE_CHECKING:
    from sandtable.tubstap import puzzles as puzzles
    from sandtable.tubstap.drawing import svg, text

__all__ = [
    "GAME",
    "KINDS",
    "PRESETS",
    "SIDES",
    "TERRAINS",
    "VERSION",
    "Combat",
    "Move",
    "Playouts",
    "Rules",
    "Scenario",
    "State",
    "Unit",
    "jsonmap",
    "load",
    "maps",
    "parse",
    "perft",
    "perft_by_move",
    "playouts",
    "puzzles",
    "remarks",
    "rules",
    "save",
    "svg",
    "tbsmap",
    "text",
]

# Few programs draw: the drawing functions are imported on first use.
__getattr__ = lazily(__name__, {"svg": "sandtable.tubstap.drawing", "text": "sandtable.tubstap.drawing"})
