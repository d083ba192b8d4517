"""Games of the original platform, replayed ply by ply.

    python tests/support/tubstap_conformance.py GAMES.jsonl[.gz]              compare every ply of the platform's log
    python tests/support/tubstap_conformance.py GAMES.jsonl.gz --compact OUT  the same, and write the tests' form

A log has one JSON object a game: `map_text`, `plies` (`turn`, `player`, `legal`, `chosen`, `damage`, `units`) and
`result`. The compact form keeps digests of the long lists: [chosen as an index into the legal moves, number of legal
moves, digest of them, dealt, taken, digest of the units after].
"""

import argparse
import gzip
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sandtable as st

UnitRow = list[int]


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()[:12]


def read_games(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def legal_rows(state: st.tubstap.State) -> list[list[int]]:
    return [[int(n) for n in row] for row in state.moves_array()]


def unit_rows(before: st.tubstap.State, after: st.tubstap.State) -> list[UnitRow]:
    """[id, x, y, hp, alive] of every unit; dead ones as the platform writes them."""
    living = {unit.id: unit for unit in after.units}
    rows = []
    for start in before.scenario.units:
        unit = living.get(start.id)
        rows.append([start.id, unit.x, unit.y, int(unit.hp), 1] if unit else [start.id, -1, -1, 0, 0])
    return rows


def result_row(state: st.tubstap.State) -> list[Any]:
    """[winner or -1, reason, turns begun]: the platform counts the turn in which a side is wiped out."""
    assert state.over
    turns = state.turn + (state.reason == "annihilation")
    return [-1 if state.winner is None else state.winner, str(state.reason).replace(" ", ""), turns]


def replay_log(game: dict[str, Any]) -> dict[str, Any]:
    """Assert that the engine agrees with every ply of a log; returns the game in the compact form."""
    state = st.tubstap.parse(game["map_text"]).start()
    plies = []
    for ply in game["plies"]:
        assert (state.turn, state.side) == (ply["turn"], ply["player"])
        legal = legal_rows(state)
        assert legal == ply["legal"]
        before, turn = state.copy(), state.turn
        unit, x, y, target = ply["chosen"]
        combat = state.play((unit, x, y, target))
        damage = [0, 0] if combat is None else [int(hp) for hp in combat]
        assert damage == ply["damage"]
        units = unit_rows(before, state)
        assert units == [row[:5] for row in ply["units"]]
        if state.turn == turn:  # the platform's log has the flags from before the change of turn
            acted = {unit.id: int(unit.acted) for unit in state.units}
            assert acted == {row[0]: row[5] for row in ply["units"] if row[4]}
        plies.append([legal.index(ply["chosen"]), len(legal), digest(legal), *damage, digest(units)])
    result = result_row(state)
    assert result == [game["result"]["winner"], game["result"]["reason"], game["result"]["turnCount"]]
    return {"map_text": game["map_text"], "plies": plies, "result": result}


def replay_compact(game: dict[str, Any]) -> None:
    """Assert that the engine agrees with a game in the compact form."""
    state = st.tubstap.parse(game["map_text"]).start()
    for index, count, legal_digest, dealt, taken, units_digest in game["plies"]:
        legal, moves = legal_rows(state), state.moves()
        assert (len(legal), digest(legal)) == (count, legal_digest)
        assert [[m.unit, m.x, m.y, -1 if m.target is None else m.target] for m in moves] == legal
        before = state.copy()
        assert (state.play(moves[index]) or (0, 0)) == (dealt, taken)
        assert digest(unit_rows(before, state)) == units_digest
    assert result_row(state) == game["result"]


def write_compact(games: Iterable[dict[str, Any]], path: Path) -> None:
    text = "".join(json.dumps(game, separators=(",", ":")) + "\n" for game in games)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay games of the original TUBSTAP platform.")
    parser.add_argument("games", type=Path)
    parser.add_argument("--compact", type=Path)
    arguments = parser.parse_args()
    compact = [replay_log(game) for game in read_games(arguments.games)]
    print(f"{len(compact)} games, {sum(len(game['plies']) for game in compact)} plies: all agree")
    if arguments.compact:
        write_compact(compact, arguments.compact)
    return 0


if __name__ == "__main__":
    sys.exit(main())
