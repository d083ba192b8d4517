"""An edited store of the page's games: each damaged game gets a one-line error, and the others are served."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sandtable.errors import StoreError
from sandtable.web.keeping import GameStore
from support.page_server import HUMAN, live, serving

DEEP = "[" * 100_000
PLAYER = {"kind": "human", "title": "You"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str, str]:
    """A store with two games: its bytes, and the games' ids. In the second, one side's move waits for the other's."""
    path = tmp_path_factory.mktemp("page") / "games.sqlite"
    with serving(path) as client, live(client) as page:
        first = page.new("tubstap", "duel", HUMAN, HUMAN)
        page.ask("move", game_id=first["id"], ply=0, move=first["choices"]["moves"][-1][:4])
        second = page.new("conquest", "banana", HUMAN, HUMAN)
        assert page.ask("move", game_id=second["id"], ply=0, side=0, move=[]) == {"ply": 0}
    return path.read_bytes(), first["id"], second["id"]


@pytest.mark.parametrize(
    ("edit", "value"),
    [
        ("games SET game", b"tubstap"),
        ("games SET game", "chess"),
        ("games SET version", "[" * 1000),
        ("games SET map_id", b"\xff"),
        ("games SET map_name", b""),
        ("games SET map_name", "\x1b[31m"),
        ("games SET seed", "one"),
        ("games SET seed", "9" * 5000),
        ("games SET sides", DEEP),
        ("games SET sides", "[]"),
        ("games SET sides", "NaN"),
        ("games SET sides", '[{"kind":"human","title":"a","level":1e999},{"kind":"human","title":"b"}]'),
        ("games SET sides", json.dumps([PLAYER])),
        ("games SET sides", json.dumps([PLAYER | {"spec": "nobody"}, PLAYER | {"title": 5}])),
        ("games SET start", DEEP),
        ("games SET start", "null"),
        ("games SET begun", float("inf")),
        ("games SET over", 7),
        ("games SET winner", 2),
        ("games SET winner", float("inf")),
        ("games SET reason", b""),
        ("moves SET kept", DEEP),
        ("moves SET kept", "[0, 99, 99, -1]"),
        ("moves SET value", float("inf")),
        ("moves SET value", b"\xff"),
        ("pending SET side", "left"),
        ("pending SET side", 2),
        ("pending SET move", DEEP),
    ],
)
def test_a_damaged_game_gets_a_one_line_error(
    edit: str, value: Any, kept: tuple[bytes, str, str], tmp_path: Path
) -> None:
    content, first, second = kept
    of_second = edit.startswith("pending")
    damaged, whole = (second, first) if of_second else (first, second)
    path = tmp_path / "games.sqlite"
    path.write_bytes(content)
    key = "id" if edit.startswith("games") else "game"
    database = sqlite3.connect(path)
    assert database.execute(f"UPDATE {edit} = ? WHERE {key} = ?", (value, damaged)).rowcount == 1
    database.commit()
    database.close()
    with serving(path) as client, live(client) as page:
        listed = client.get("/api/kept")
        assert listed.status_code == 200
        assert whole in [game["id"] for game in listed.json()]
        for where in ("kept/{id}/record", "replays/{id}"):
            answer = client.get(f"/api/{where.format(id=damaged)}")
            assert answer.status_code in (400, 404), answer.text
        error = page.ask("join", game_id=damaged)
        assert isinstance(error, str)
        assert len(error) < 300
        assert "\n" not in error
        assert page.ask("join", game_id=whole)["state"]["id"] == whole


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS SELECT * FROM games",
        "CREATE TRIGGER gone AFTER INSERT ON moves BEGIN DELETE FROM games; END",
    ],
)
def test_a_store_that_runs_sql_of_its_own_is_refused(
    statement: str, kept: tuple[bytes, str, str], tmp_path: Path
) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(kept[0])
    database = sqlite3.connect(path)
    database.execute(statement)
    database.close()
    with pytest.raises(StoreError, match="views or triggers"):
        GameStore(path)
