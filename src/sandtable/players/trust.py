"""Checks of what a player may do, for programs that accept specs from others: a tournament's file, a recipe, a visitor.

A player may declare `runs_code = True` (it starts programs, or runs what its settings name) and `reads_files = True`
(its settings may name files). `module:Class` always runs code, because it imports the module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandtable.errors import PlayerError
from sandtable.players.registry import player_class
from sandtable.players.spec import PlayerSpec
from sandtable.settings import declared


class CodeRefusedError(PlayerError):
    """The player would run code that was not allowed."""


MayRun = Callable[[str], bool]  # whether the player of that name may run its code


def nothing(_: str) -> bool:
    return False


def runs_code(kind: type[Any]) -> bool:
    """Whether a class of players starts programs or runs code that its settings name."""
    return bool(getattr(kind, "runs_code", False))


def reads_files(kind: type[Any]) -> bool:
    """Whether the settings of a class of players may name files, as settings for networks do."""
    return bool(getattr(kind, "reads_files", False)) or any(one.names == "network" for one in declared(kind))


def check_code(text: str, may_run: MayRun) -> None:
    """CodeRefusedError if making the player would run code that may_run() does not allow. Players named in its settings
    are checked too. The module of a `module:Class` is not imported before it is allowed."""
    name = PlayerSpec.name_in(text)
    if name is not None and ":" in name:
        _check(name, may_run)
    spec = PlayerSpec.parse(text)
    kind = player_class(spec.name)
    if runs_code(kind) and ":" not in spec.name:
        _check(spec.name, may_run)
    given = dict(spec.settings)
    for setting in declared(kind):
        value = given.get(setting.name, setting.given)
        if setting.names == "player" and isinstance(value, str) and value not in setting.plain:
            check_code(value, may_run)


def _check(name: str, may_run: MayRun) -> None:
    if not may_run(name):
        raise CodeRefusedError(
            f"the player {name:.100} would run code; if you trust it, allow it: --allow-code {name:.100}"
        )
