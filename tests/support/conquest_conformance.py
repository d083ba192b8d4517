"""Turns that the authors' own Warzone code resolved, resolved again.

    python tests/support/conquest_conformance.py TURNS.jsonl[.gz]              compare every turn
    python tests/support/conquest_conformance.py TURNS.jsonl.gz --compact OUT  the same, and write the tests' form

A log has one JSON object a turn: `map`, `owner`, `armies`, `income`, `orders` of both players, `first`, and the
result: `owner_after`, `armies_after`, `income_after`, `winner`. The compact form has the same values as a list.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sandtable as st
from sandtable.conquest import Deploy, March, Order

KEYS = ("map", "owner", "armies", "income", "orders", "first", "owner_after", "armies_after", "income_after", "winner")


def read_turns(path: Path) -> Iterator[list[Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            turn = json.loads(line)
            yield turn if isinstance(turn, list) else [turn[key] for key in KEYS]


def read_orders(rows: list[list[Any]]) -> list[Order]:
    return [Deploy(*row[1:]) if row[0] == "deploy" else March(*row[1:]) for row in rows]


def replay(turn: list[Any]) -> None:
    name, owner, armies, income, orders, first, owner_after, armies_after, income_after, winner = turn
    state = st.conquest.load(name).state(owner=owner, armies=armies)
    assert [state.income(0), state.income(1)] == income
    state.resolve(read_orders(orders[0]), read_orders(orders[1]), first=first)
    assert (state.owner, state.armies) == (owner_after, armies_after)
    assert [state.income(0), state.income(1)] == income_after
    assert (state.winner, state.over, state.turn) == (winner, winner is not None, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay turns of the authors' Warzone code.")
    parser.add_argument("turns", type=Path)
    parser.add_argument("--compact", type=Path)
    arguments = parser.parse_args()
    turns = list(read_turns(arguments.turns))
    for turn in turns:
        replay(turn)
    print(f"{len(turns)} turns: all agree")
    if arguments.compact:
        text = "".join(json.dumps(turn, separators=(",", ":")) + "\n" for turn in turns)
        arguments.compact.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
