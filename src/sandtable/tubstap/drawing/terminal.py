"""A state as text. Red's units are capitals, blue's small letters, so the text is readable without colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandtable.tubstap.drawing.caption import as_state, hp_text, summary
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import KIND_LETTERS, KINDS, Unit

if TYPE_CHECKING:
    from rich.text import Text

# Terrain 0..6: sign and background.
SIGNS = ("#", ".", "~", "%", "^", "=", "@")
BACKGROUNDS = ("grey23", "#6f8f3f", "#3f6f9f", "#2f6b33", "#7a6a4f", "#8f8a7f", "#5f5f6f")
SIDE_STYLES = ("bold white on #b03030", "bold white on #2f4fc0")
ACTED_STYLES = ("white on #7a4545", "white on #45508a")
CELL = 5

LEGEND = (
    "F fighter, A attacker, P panzer, U cannon, R antiair, I infantry: capitals are red's; ' has acted\n"
    ". plain, = road, % forest, ^ mountain, ~ sea, @ fortress, # no entry"
)


def text(position: State | Scenario) -> Text:
    """The board with coordinates and a line about the game. `str()` of it is plain text."""
    from rich.text import Text  # slow to import, and only needed here

    state = as_state(position)
    scenario = state.scenario
    units = {(unit.x, unit.y): unit for unit in state.units}
    picture = Text("   " + "".join(f"{x:^{CELL}}" for x in range(1, scenario.width - 1)) + "\n")
    for y in range(1, scenario.height - 1):
        picture.append(f"{y:>2} ")
        for x in range(1, scenario.width - 1):
            unit = units.get((x, y))
            terrain = scenario.terrain[y][x]
            if unit is None:
                picture.append(f"{SIGNS[terrain]:^{CELL}}", f"white on {BACKGROUNDS[terrain]}")
            else:
                picture.append(f"{_label(unit):^{CELL}}", (ACTED_STYLES if unit.acted else SIDE_STYLES)[unit.side])
        picture.append("\n")
    picture.append(summary(state))
    return picture


def _label(unit: Unit) -> str:
    letter = KIND_LETTERS[KINDS.index(unit.kind)]
    return (letter if unit.side == 0 else letter.lower()) + hp_text(unit.hp) + ("'" if unit.acted else "")
