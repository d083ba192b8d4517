"""The platform's records of games, `.sgf`: the map file's text, then each turn's operations.

PLAYEDDATE[..];PLAYEDRULE[rule_set_version_0100];PLAYERRED[..]PLAYERBLUE[..];
TURNINFO[turn,team,n];  and n times  ACTION[unit,x,y,fromX,fromY,target,targetX,targetY,type,dealt,taken];
"""

from __future__ import annotations

from collections.abc import Iterator

from sandtable.arena.record import Record
from sandtable.arena.record_formats import RecordFormat
from sandtable.errors import MapError, RecordError, SandtableError
from sandtable.texts import shown
from sandtable.tubstap import tbsmap
from sandtable.tubstap.game import GAME
from sandtable.tubstap.platform.actions import Action
from sandtable.tubstap.ruleset import rules
from sandtable.tubstap.scenario import State

RULE_VERSION = "rule_set_version_0100"
RULES = ("original", "platform")  # rules of the platform; the second also allows attacks that do no damage
MAX_ACTIONS = 1_000_000
_NAMES = str.maketrans("[];\n\r", "(),  ")  # characters in a player's name that would end a statement


def write(record: Record) -> bytes:
    """A record as an .sgf file. RecordError if the platform could not have played it."""
    scenario = GAME.scenario_from(record.start) if isinstance(record.start, State) else None
    if scenario is None or scenario.rules not in [rules(name) for name in RULES]:
        known = " or ".join(RULES)
        raise RecordError(f"an .sgf can hold only games of tubstap under the rules {known}")
    try:
        text = tbsmap.format(scenario)
    except MapError as error:
        raise RecordError(f"the map at the start of an .sgf: {error}") from None
    red, blue = (shown(name).translate(_NAMES) for name in record.players)
    text += f"PLAYEDDATE[];PLAYEDRULE[{RULE_VERSION}];PLAYERRED[{red}]PLAYERBLUE[{blue}];\n"
    for turn, side, actions in _turns(record):
        text += f"TURNINFO[{turn},{side},{len(actions)}];\n"
        text += "".join(f"ACTION[{action}];\n" for action in actions)
    return text.encode()


def _turns(record: Record) -> Iterator[tuple[int, int, list[Action]]]:
    """The turn, side and operations of each player turn. An early end of the turn is an action of its own."""
    turn, actions = record.start.turn, list[Action]()
    for before, kept in zip(record.states(), record.moves, strict=False):
        while turn < before.turn:
            yield turn, turn % 2, actions
            turn, actions = turn + 1, []
        (move,) = GAME.moves_of(before, kept)
        actions.append(Action.of(before, move))
    if actions:
        yield turn, turn % 2, actions


def read(data: bytes, name: str) -> Record:
    """The game of an .sgf file, under `original` rules, or under `platform` rules if it does not fit those. RecordError
    names the statement."""
    try:
        text = tbsmap.decode(data)
        statements = list(tbsmap.statements(text))
        try:
            return _read(text, statements, name, "original")
        except RecordError:
            return _read(text, statements, name, "platform")
    except RecordError:
        raise
    except SandtableError as error:
        raise RecordError(str(error)) from None


def _read(text: str, statements: list[tuple[str, str]], name: str, preset: str) -> Record:
    state = tbsmap.parse(text, rules(preset), name).start()
    start, moves, players = state.copy(), list[list[int] | None](), {"PLAYERRED": "red", "PLAYERBLUE": "blue"}
    expected = 0  # actions that TURNINFO announced and that are still to come
    for key, value in statements:
        if key in players:
            players[key] = shown(value).replace("\n", " ") or players[key]
        elif key == "TURNINFO":
            if expected:
                raise RecordError(
                    f"TURNINFO[{_quoted(value)}]: {expected} ACTION statements of the previous turn are missing"
                )
            expected = _begin_turn(state, value, moves)
        elif key == "ACTION":
            if not expected:
                raise RecordError(f"ACTION[{_quoted(value)}]: more than its TURNINFO announced")
            expected -= 1
            moves.append(_play(state, value, len(moves)))
    if expected or not state.over:
        raise RecordError(f"the file ends in turn {state.turn}, before the game is over")
    return Record(
        start=start,
        players=(players["PLAYERRED"], players["PLAYERBLUE"]),
        seed=0,
        moves=tuple(map(GAME.as_moves, moves)),
        winner=state.winner,
        reason=state.reason,
        turns=state.turn,
    )


def _begin_turn(state: State, value: str, moves: list[list[int] | None]) -> int:
    """Check the turn's number and side, end the previous turn if some of its units have not acted, and return the
    number of actions."""
    parts = value.split(",")
    if len(parts) != 3 or not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise RecordError(f"TURNINFO[{_quoted(value)}]: must be [turn,team,operations]")
    turn, side, count = (int(part) for part in parts)
    if count > MAX_ACTIONS:
        raise RecordError(f"TURNINFO[{_quoted(value)}]: more than {MAX_ACTIONS:,} operations")
    if turn == state.turn + 1 and not state.over:
        state.end_turn()
        moves.append(None)
    if state.over and count:
        raise RecordError(f"TURNINFO[{_quoted(value)}]: the game is over after turn {state.turn - 1}")
    if count and (turn, side) != (state.turn, state.side):
        raise RecordError(f"TURNINFO[{_quoted(value)}]: it is turn {state.turn}, of team {state.side}")
    return count


def _play(state: State, value: str, number: int) -> list[int] | None:
    where = f"ACTION {number + 1} [{_quoted(value)}]"
    try:
        action = Action.parse(value)
        played = Action.of(state, action.move)
        if action.move is None:
            state.end_turn()
        else:
            state.play(action.move)
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None
    if action.move is not None and action != played:
        name = next(name for name in Action._fields if getattr(action, name) != getattr(played, name))
        raise RecordError(f"{where}: {name} is {getattr(action, name)} where the game has {getattr(played, name)}")
    return GAME.write_move(state, state.side, action.move)


def _quoted(value: str) -> str:
    return f"{' '.join(shown(value).split()):.60}"


FORMATS = (RecordFormat("sgf", write, read),)
