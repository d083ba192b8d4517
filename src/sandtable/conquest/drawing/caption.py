"""The caption under a picture of a state."""

from sandtable.conquest.land import Land, State
from sandtable.conquest.types import SIDES
from sandtable.games import check_position


def as_state(position: State | Land) -> State:
    """The state itself; for a land, a state in which all territories are neutral and empty."""
    check_position("conquest", position, or_map=True)
    if isinstance(position, State):
        return position
    n = len(position.territories)
    return position.state([-1] * n, [0] * n)


def summary(state: State) -> str:
    """Turn, result, and the strength of both players, in one line."""
    owner, armies = state.owner, state.armies
    if all(o == -1 for o in owner):
        return f"{len(owner)} territories, {len(state.land.bonuses)} bonuses"
    parts = [f"turn {state.turn}"]
    if state.over:
        parts.append("tie" if state.winner is None else f"{SIDES[state.winner]} won")
    for player, side in enumerate(SIDES):
        lands = owner.count(player)
        strength = sum(a for o, a in zip(owner, armies, strict=True) if o == player)
        parts.append(f"{side}: {lands} territories, {strength} armies, income {state.income(player)}")
    return " | ".join(parts)
