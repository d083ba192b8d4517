"""Conquest on the page: its board, its levels and its map generator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sandtable.conquest.drawing import svg
from sandtable.conquest.drawing.layout import ground
from sandtable.conquest.flow import needed
from sandtable.conquest.game import GAME
from sandtable.conquest.land import Land, State
from sandtable.players.levels import Level
from sandtable.players.spec import PlayerSpec

MAX_STEPS = 200  # marches of a turn that are animated


def _champion(rounds: int) -> str:
    return str(PlayerSpec.parse(GAME.champion).replace(rounds=rounds))


class ConquestPage:
    title = "Conquest"
    about = "Conquer the map's territories: both sides give their orders at the same time, and there are no dice."
    how = (
        "Each turn brings 5 armies, and more for every bonus of which you own all territories. Deploy them on your "
        "land; what is not deployed is lost.",
        "Then march from your land to neighbouring territories. Both sides' orders are sent together: all deploys come "
        "first, then the marches of both sides in alternation.",
        "Ten attackers kill six defenders, ten defenders kill seven attackers. Attackers take a territory when no "
        "defender is left; otherwise they return.",
        "A march may leave a territory empty, for anyone to take.",
        "Whoever has no territory left loses. After 100 turns it is a draw.",
    )
    sides = ("Red", "Blue")
    players = ("coevolution", "duct", "flow", "mcts", "random", "regret")
    has_board = True
    symbols: Path | None = None
    analysis_grows = False
    levels = (
        Level("recruit", "Recruit", "random", "Gives orders at random."),
        Level("private", "Private", "mcts(iterations=2)", "Tries a plan or two in random games before it decides."),
        Level("corporal", "Corporal", "mcts(iterations=8)", "Tries a few plans in random games before it decides."),
        Level(
            "sergeant",
            "Sergeant",
            "coevolution(generations=5)",
            "Lets plans of both sides compete, and plays the best.",
        ),
        Level("lieutenant", "Lieutenant", "flow", "Follows fixed rules that send armies where they count."),
        Level(
            "captain",
            "Captain",
            "equilibrium(rounds=1, candidates=4, fresh=4, progress=0.1)",
            "Weighs a handful of plans that a neural network proposes.",
        ),
        Level(
            "champion",
            "Champion",
            _champion(20),
            "Weighs many plans of a neural network: the strongest player that ships.",
        ),
    )
    level_maps = tuple(f"dev-conquest-{number:02}" for number in range(1, 61, 5))
    generators: Mapping[str, Mapping[str, tuple[int, int, int]]] = {
        "planar": {"territories": (20, 4, 60), "unions": (0, 0, 6)},
    }

    def ground(self, map: Land) -> dict[str, Any]:
        return ground(map)

    def board(self, state: State) -> dict[str, Any]:
        return {"owner": state.owner, "armies": state.armies, "income": [state.income(0), state.income(1)]}

    def thumbnail(self, map: Land) -> str:
        return svg(map, labels=False, tokens=False)  # the armies come with the start position

    def choices(self, state: State, side: int) -> dict[str, Any]:
        rules = state.land.rules
        least = [
            None if owner == side else needed(rules, armies)
            for owner, armies in zip(state.owner, state.armies, strict=True)
        ]
        return {"income": state.income(side), "needed": least}

    def steps(self, before: State, kept: Any) -> list[dict[str, Any]]:
        orders0, orders1, first, seed = kept
        deploys = [
            {"deploy": [side, *order]}
            for side, orders in enumerate((orders0, orders1))
            for order in orders
            if len(order) == 2
        ]
        if before.land.rules.order == "random":  # only the engine knows the order of the marches
            return deploys
        return deploys + list(_marches(before, (orders0, orders1), first, seed))

    def analyst(self, simulations: int) -> str:
        return _champion(max(1, simulations // 64))


def _marches(before: State, orders: tuple[Any, Any], first: int, seed: int) -> Iterator[dict[str, Any]]:
    """The marches in alternating order, each with its effect: the turn resolved up to this march is compared with the
    turn resolved up to the previous one."""
    deploys = [[order for order in own if len(order) == 2] for own in orders]
    marches = [[order for order in own if len(order) == 3] for own in orders]

    def after(counts: list[int]) -> State:
        state = before.copy()
        given = [deploys[side] + marches[side][: counts[side]] for side in (0, 1)]
        state.resolve(given[0], given[1], first=first, seed=seed)
        return state

    counts, side, last = [0, 0], first, after([0, 0])
    for _ in range(min(sum(map(len, marches)), MAX_STEPS)):
        if counts[side] == len(marches[side]):
            side = 1 - side
        source, target, armies = marches[side][counts[side]]
        counts[side] += 1
        now = after(counts)
        present = min(armies, last.armies[source]) if last.owner[source] == side else 0
        captured = now.owner[target] != last.owner[target]
        own = last.owner[target] == side
        left = now.armies[target] if captured else present - (last.armies[source] - now.armies[source])
        losses = [0, 0] if own else [present - left, last.armies[target] - (0 if captured else now.armies[target])]
        yield {"march": [side, source, target, present], "losses": losses, "captured": captured}
        side, last = 1 - side, now


PAGE = ConquestPage()
