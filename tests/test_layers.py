"""The general layers know games only through the Game value. `make lint` checks the order of the layers."""

import re
from pathlib import Path

import sandtable

SOURCES = Path(sandtable.__file__).parent
GAMES = re.compile("|".join(game.name for game in sandtable.games()), re.IGNORECASE)

GENERAL = ("arena", "cli", "games", "learn", "players", "scale", "web")


def test_no_general_layer_names_a_game() -> None:
    files = [path for place in GENERAL for path in (SOURCES / place).rglob("*.py")]
    files += (SOURCES / "papers").glob("*.py")
    assert len(files) > 60
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not GAMES.search(line), f"{path}:{number}: {line}"
