"""The tables of settings in docs/players.md, generated from the declarations.

python tests/settings_tables.py            compare
python tests/settings_tables.py --write    make them anew
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import sandtable as st
from sandtable.players import player_class
from sandtable.players.seeding import Seeded
from sandtable.players.timing import Timed
from sandtable.settings import Setting, declared

PAGE = Path(__file__).parent.parent / "docs" / "players.md"
BEGIN, END = "<!-- settings: written by `make settings-tables` -->\n", "<!-- end of settings -->\n"


def table(settings: Iterable[Setting]) -> str:
    rows = [("setting", "default", "values", "meaning"), ("---",) * 4]
    for name, default, values, meaning in (setting.row for setting in settings):
        rows.append((f"`{name}`", f"`{default}`", values, meaning))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def tables() -> str:
    """The shared settings first, then those of each player that has others."""
    shared = {one.name for one in declared(Timed)}
    clock = [one for one in declared(Timed) if one not in declared(Seeded)]
    parts = [
        f"Every player has\n\n{table(declared(Seeded))}",
        f"and every player with a budget has\n\n{table(clock)}",
    ]
    for name in st.players():
        own = [one for one in declared(player_class(name)) if one.name not in shared]
        if own:
            parts.append(f"### {name}\n\n{table(own)}")
    return "\n" + "\n".join(parts) + "\n"


def pieces() -> tuple[str, str, str]:
    """The page before, within and after the tables."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    within, _, after = rest.partition(END)
    return before + BEGIN, within, END + after


def main() -> int:
    before, within, after = pieces()
    if "--write" in sys.argv:
        PAGE.write_text(before + tables() + after, encoding="utf-8")
        return 0
    return within != tables()


if __name__ == "__main__":
    sys.exit(main())
