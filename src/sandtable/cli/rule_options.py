"""The options --rules and --set-rule."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from sandtable.cli import completion
from sandtable.errors import SandtableError
from sandtable.games import RuleChoice, games

RulesName = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="PRESET",
        autocompletion=completion.rules,
        help="Rules to play by, "
        + "; ".join(f"for {one.name}: {', '.join(one.presets)}" for one in games() if one.presets)
        + ". Default: the map's own.",
    ),
]
SetRule = Annotated[
    list[str] | None,
    typer.Option("--set-rule", metavar="NAME=VALUE", help="Change one rule, such as turn_limit=16; repeatable."),
]


def rule_choice(preset: str | None, changes: Sequence[str] | None) -> RuleChoice:
    """The rules that the two options choose."""
    found: dict[str, Any] = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals or not name.strip():
            raise SandtableError(f"--set-rule takes NAME=VALUE, such as turn_limit=16, not {change!r:.40}")
        if name.strip() in found:
            raise SandtableError(f"--set-rule: {name.strip()} is given twice")
        found[name.strip()] = _value(value.strip())
    return RuleChoice(preset, found)


def _value(word: str) -> Any:
    """The word as JSON (a number, true or false, a list of numbers); else the word itself."""
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word
