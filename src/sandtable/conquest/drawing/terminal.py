"""A state as text: one line per territory, then the bonuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandtable.conquest.drawing.caption import as_state, summary
from sandtable.conquest.land import Land, State
from sandtable.conquest.types import SIDES

if TYPE_CHECKING:
    from rich.text import Text

OWNERS = {-1: ("-", "dim"), 0: ("0", "bold white on #b03030"), 1: ("1", "bold white on #2f4fc0")}


def text(position: State | Land) -> Text:
    """Every territory with its owner, armies and neighbours; every bonus with each side's number of territories."""
    from rich.text import Text  # slow to import, and only needed here

    state = as_state(position)
    land, owner, armies = state.land, state.owner, state.armies
    width = max(len(name) for name in land.territories)
    picture = Text()
    for t, name in enumerate(land.territories):
        sign, style = OWNERS[owner[t]]
        picture.append(f"{t:>3} {name:<{width}} ")
        picture.append(f" {sign} {armies[t]:>3} ", style)
        picture.append("  " + " ".join(map(str, land.neighbours(t))) + "\n")
    for bonus in land.bonuses:
        held = [sum(owner[t] == player for t in bonus.territories) for player in (0, 1)]
        shares = ", ".join(f"{SIDES[p]} has {held[p]} of {len(bonus.territories)}" for p in (0, 1) if held[p])
        members = " ".join(map(str, bonus.territories))
        picture.append(f"  + {bonus.value} {bonus.name}: {members}" + (f" ({shares})" if shares else "") + "\n")
    picture.append(summary(state))
    return picture
