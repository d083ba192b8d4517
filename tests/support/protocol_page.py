"""docs/protocol.md: its tables of messages, generated from the declarations, and its transcripts, from games.

PYTHONPATH=tests python -m support.protocol_page            compare
PYTHONPATH=tests python -m support.protocol_page --write    write them
"""

import dataclasses
import inspect
import json
import re
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import sandtable as st
from sandtable.players import analysing
from sandtable.players.bots import messages
from sandtable.players.bots.bot import Bot
from sandtable.players.bots.process import BotProcess

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "protocol.md"
PLACE = re.compile(r"(<!-- generated: ([\w ]+), by `make settings-tables` -->\n\n)(.*?)(<!-- end -->\n)", re.DOTALL)
BOT = f"{sys.executable} -I -S {ROOT / 'examples' / 'bots' / 'attack_bot.py'}"

BOARD = """
SIZEX[5];SIZEY[3];TURNLIMIT[2];HPTHRESHOLD[0];UNITNUMRED[1];UNITNUMBLUE[1];
MAP[0,0,0,0,0];MAP[0,1,1,1,0];MAP[0,0,0,0,0];
UNIT[1,1,infantry,0,10,0];UNIT[3,1,infantry,1,10,0];
"""
LAND = {
    "format": "sandtable-conquest",
    "version": 1,
    "name": "strait",
    "territories": [{"name": "East", "x": 0, "y": 0}, {"name": "West", "x": 1, "y": 0}],
    "edges": [[0, 1]],
    "bonuses": [],
}
TABLES: tuple[type[Any], ...] = (analysing.Answer, analysing.RootInfo, analysing.MoveInfo)


def of_messages(kinds: typing.Mapping[str, type[Any]]) -> str:
    return "\n".join(f"**`{name}`**: {_about(kind)}\n\n{fields(kind)}" for name, kind in kinds.items())


def fields(kind: type[Any]) -> str:
    hints = typing.get_type_hints(kind, include_extras=True)
    if not dataclasses.fields(kind):
        return "It has no fields.\n"
    rows = [("field", "type", "meaning"), ("---",) * 3]
    for one in dataclasses.fields(kind):
        hint, about = typing.get_args(hints[one.name])
        words = _words(hint)
        optional = one.default is not dataclasses.MISSING or one.default_factory is not dataclasses.MISSING
        default = "" if not optional or one.default is dataclasses.MISSING else f" (default {json.dumps(one.default)})"
        rows.append((f"`{one.name}`", words, about + default))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _words(hint: Any) -> str:
    """A type in words; one that has a table of its own by its name."""
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is list and inner[0] in TABLES:
        return f"a list, each a {inner[0].__name__}"
    return str(hint.__name__) if hint in TABLES else messages.in_words(hint)


def _about(kind: type[Any]) -> str:
    return " ".join((inspect.getdoc(kind) or "").split())


def transcript(start: Any, seed: int) -> str:
    """A whole game of the Python example: what the referee sends (>) and what the bot does (<)."""
    lines: list[str] = []
    send, receive = BotProcess.send, BotProcess.receive

    def sent(self: BotProcess, line: bytes) -> None:
        lines.append(f"> {line.decode()}")
        send(self, line)

    def received(self: BotProcess, *arguments: Any) -> bytes:
        line = receive(self, *arguments)
        lines.append(f"< {line.decode()}")
        return line

    with mock.patch.object(BotProcess, "send", sent), mock.patch.object(BotProcess, "receive", received):
        st.play(start, Bot(command=BOT, seconds=600.0), "random", seed=seed)
    return "```\n" + "\n".join(lines) + "\n```\n"


def analysis() -> str:
    """Two queries and their answers; times vary, and are written as 0."""
    queries = [
        {"id": "first", "game": "tubstap", "map": "duel", "maxVisits": 200, "maxCandidates": 2},
        {"id": "second", "game": "tubstap", "map": "duel", "moves": [[0, 99, 1, -1]]},
    ]
    lines: list[str] = []

    def written(answer: dict[str, Any]) -> None:
        if "rootInfo" in answer:
            answer["rootInfo"]["seconds"] = 0.0
        lines.append(f"< {analysing.to_line(answer)}")

    engine = analysing.Engine("uct", written)
    for query in queries:
        lines.append(f"> {json.dumps(query)}")
        engine.ask(json.dumps(query).encode())
    engine.finish()
    return "```\n" + "\n".join(sorted(lines, key=lambda line: line[0] == "<")) + "\n```\n"


MADE: dict[str, Callable[[], str]] = {
    "messages of the referee": lambda: of_messages(messages.FROM_REFEREE),
    "messages of the bot": lambda: of_messages(messages.FROM_BOT),
    "a game of tubstap": lambda: transcript(st.tubstap.parse(BOARD), seed=1),
    "a game of conquest": lambda: transcript(st.conquest.parse(json.dumps(LAND)).state([0, 1], [9, 1]), seed=1),
    "queries": lambda: f"{fields(analysing.Query)}\n{_about(analysing.Terminate)}\n\n{fields(analysing.Terminate)}",
    "answers": lambda: "\n".join(f"**{kind.__name__}**: {_about(kind)}\n\n{fields(kind)}" for kind in TABLES),
    "an analysis": analysis,
}


def regenerated(text: str) -> str:
    """The page with its generated parts as the code has them now."""
    return PLACE.sub(lambda place: f"{place[1]}{MADE[place[2]]()}\n{place[4]}", text)


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    new = regenerated(text)
    if "--write" in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
        return 0
    return int(new != text)


if __name__ == "__main__":
    sys.exit(main())
