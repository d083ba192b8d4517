"""Shared by all commands: the groups in which they are listed, and the form of their help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

PLAY = "Play and watch"
COMPETE = "Compete"
LEARN = "Learn"
REPRODUCE = "Reproduce"
INSIDE = "Look inside"
GROUPS = (PLAY, COMPETE, LEARN, REPRODUCE, INSIDE)

F = TypeVar("F", bound=Callable[..., Any])


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] NAME [FILE]`: some versions of Typer put braces or more brackets around our names."""
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        names = ((one.metavar or str(one.name).upper(), one.required) for one in arguments)
        return ["[OPTIONS]", *(name if required else f"[{name}]" for name, required in names)]


class Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))


def _flags_without_type(parameters: list[Any]) -> list[Any]:
    """A flag takes no value, so its help should not name a type such as <bool>."""
    for one in parameters:
        if getattr(one, "is_flag", False) and one.metavar is None:
            one.metavar = ""
    return parameters


class App(typer.Typer):
    """A command, or a group of commands, whose help has the form of all others."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group} | options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        return super().command(name, **{"cls": _Command} | options)
