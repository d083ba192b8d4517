"""TUBSTAP on the page: its board, its levels and its map generators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandtable.players.levels import Level
from sandtable.players.spec import PlayerSpec
from sandtable.tubstap import drawing
from sandtable.tubstap.game import GAME
from sandtable.tubstap.scenario import Scenario, State
from sandtable.tubstap.types import KINDS, Move

_SIZE = (4, 24)


def _champion(simulations: int) -> str:
    return str(PlayerSpec.parse(GAME.champion).replace(simulations=simulations))


class TubstapPage:
    title = "TUBSTAP"
    about = "A wargame on a grid: two armies, no reinforcements, and every unit acts once a turn."
    how = (
        "In your turn each of your units may move and then attack a neighbouring enemy, in any order. Attacked units "
        "that survive strike back.",
        "Cannons fire at targets two or three cells away, but not after moving, and nobody strikes back at them.",
        "The fewer HP a unit has, the weaker it hits. Forests, mountains and fortresses protect ground units.",
        "Fighters hunt aircraft, attackers bomb ground units, antiair shoots down aircraft and cuts down infantry. "
        "Click a unit to see what each of its attacks would do.",
        "Whoever loses all units loses. At the turn limit the side that is clearly ahead in HP wins; otherwise it is a "
        "draw.",
    )
    sides = ("Red", "Blue")
    players = ("greedy", "muct", "pmc", "random", "uct")
    symbols = Path(drawing.__file__).with_name("symbols.svg")
    has_board = True
    analysis_grows = True  # the champion keeps its tree between searches
    levels = (
        Level("recruit", "Recruit", "random", "Moves at random, and attacks when it happens to."),
        Level(
            "private",
            "Private",
            "uct(simulations=15)",
            "Plays 15 random games before a move, and takes the move that did best.",
        ),
        Level(
            "corporal",
            "Corporal",
            "uct(simulations=200)",
            "Plays 200 random games before a move, and takes the move that did best.",
        ),
        Level("sergeant", "Sergeant", "greedy", "Takes the best exchange on offer, and looks no further."),
        Level(
            "captain",
            "Captain",
            str(PlayerSpec.of("tempered", player=_champion(30), temperature=2.0)),
            "Searches a little with a neural network, and often misses the best move.",
        ),
        Level(
            "champion",
            "Champion",
            _champion(500),
            "Searches with a neural network: the strongest player that ships.",
        ),
    )
    level_maps = tuple(f"dev-tubstap-{number:02}" for number in range(1, 61, 5))
    generators: Mapping[str, Mapping[str, tuple[int, int, int]]] = {
        "battle": {"size": (8, *_SIZE), "red": (4, 1, 12), "blue": (4, 1, 12)},
        "mixed": {"size": (12, 6, 24), "units": (10, 1, 12)},
        "complex": {"size": (8, *_SIZE)},
        "simple": {"size": (8, *_SIZE)},
        "symmetric": {"size": (8, *_SIZE)},
        "random": {"size": (8, *_SIZE)},
        "skirmish": {"size": (6, *_SIZE), "distance": (1, 1, 6)},
        "technical": {},
    }

    def ground(self, map: Scenario) -> dict[str, Any]:
        limit = map.rules.turn_limit
        return {
            "width": map.width,
            "height": map.height,
            "terrain": map.terrain,
            "defence": map.rules.defence,  # of each kind of terrain, for ground units
            "range": dict(zip(KINDS, map.rules.range, strict=True)),  # smallest and greatest distance of an attack
            "turn_limit": map.turn_limit if limit == "map" else limit,
        }

    def board(self, state: State) -> dict[str, Any]:
        return {"units": [unit._asdict() for unit in state.units]}

    def thumbnail(self, map: Scenario) -> str:
        return drawing.svg(map, labels=False)

    def choices(self, state: State, side: int) -> dict[str, Any]:
        moves = []
        for move, written in zip(state.moves(), state.moves_array().tolist(), strict=True):
            combat = None if move.target is None else state.combat(move)
            moves.append([*written, *((None, None) if combat is None else combat)])
        return {"moves": moves, "threats": _threats(state)}

    def steps(self, before: State, kept: Any) -> list[dict[str, Any]]:
        if kept is None:
            return []
        unit, x, y, target = kept
        mover = next(one for one in before.units if one.id == unit)
        step: dict[str, Any] = {"unit": unit, "from": [mover.x, mover.y], "to": [x, y]}
        if target not in (None, -1):
            combat = before.combat(Move(unit, x, y, target))
            assert combat is not None  # the move was played
            step |= {"target": target, "dealt": combat.dealt, "taken": combat.taken}
        return [step]

    def analyst(self, simulations: int) -> str:
        return _champion(simulations)


def _threats(state: State) -> dict[int, list[list[int]]]:
    """The cells that each enemy unit could reach next turn if this side made no further move. The page derives which
    cells the unit could attack from there."""
    after, side = state.copy(), state.side
    after.end_turn()
    if after.over or after.side == side:
        return {}
    reach: dict[int, list[list[int]]] = {}
    for unit, x, y, target in after.moves_array().tolist():
        if target == -1:
            reach.setdefault(unit, []).append([x, y])
    return reach


PAGE = TubstapPage()
