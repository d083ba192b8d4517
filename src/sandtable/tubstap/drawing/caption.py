"""The caption under a picture of a state."""

from sandtable.games import check_position
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import SIDES


def as_state(position: State | Scenario) -> State:
    check_position("tubstap", position, or_map=True)
    return position.start() if isinstance(position, Scenario) else position


def hp_text(hp: float) -> str:
    """HP in the shortest form, with at most one decimal: 10, 7, 5.2. HP that would round to 0 are shown as 0.1."""
    rounded = max(round(hp, 1), 0.1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def summary(state: State) -> str:
    """Turn, who is to move or has won, and the strength of both sides, in one line."""
    if not state.over:
        status = f"{SIDES[state.side]} to move"
    else:
        status = ("draw" if state.winner is None else f"{SIDES[state.winner]} won") + f" ({state.reason})"
    parts = [f"turn {state.turn}", status]
    for side, colour in enumerate(SIDES):
        units = [unit for unit in state.units if unit.side == side]
        hp = hp_text(sum(unit.hp for unit in units)) if units else "0"
        parts.append(f"{colour} {len(units)} unit{'' if len(units) == 1 else 's'}, {hp} HP")
    return " | ".join(parts)
