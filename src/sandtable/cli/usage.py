"""Report wrong calls of a command in one line: Typer would print a box, in the wording of a validator."""

from __future__ import annotations

import typing
from typing import Any

import typer
from typer.models import ParameterInfo

# UsageError of Click, or of the copy of Click that newer versions of Typer contain.
UsageError: Any = typer.BadParameter.__base__

KINDS = {int: "a whole number", float: "a number"}


def usage_line(error: Any) -> str:
    """A line that says what is wrong with a command's arguments, and what would be right."""
    path = error.ctx.command_path if error.ctx else "sandtable"
    command = path.removeprefix("sandtable ")  # main() puts that name before every message
    name = _name_of(error.param) if getattr(error, "param", None) else ""
    message = error.format_message().rstrip(".")
    if name and type(error).__name__ == "MissingParameter":
        return f"{command} needs {name}; for example: {_example(error.ctx)}"
    if name:
        wanted = _allowed_values(error)
        if wanted:
            return f"{name} must be {wanted}"
        return f"{name}: {error.message.removeprefix('Value error, ').rstrip('.')}"
    if hasattr(error, "possibilities"):  # an unknown option
        near = f" (did you mean {error.possibilities[0]}?)" if error.possibilities else ""
        message = f"{command} has no option {error.option_name}{near}"
    if message.endswith("?"):  # an unknown command
        message = message.replace(". Did", " (did") + ")"
    return f"{message[:1].lower()}{message[1:]}; see: {path} --help"


def _name_of(parameter: Any) -> str:
    """The name that the help uses: an option's longest name, an argument's metavar."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _example(context: Any) -> str:
    """The example that ends each command's help."""
    return " ".join((context.command.help or "").partition("Example: ")[2].split()) or f"{context.command_path} --help"


def _allowed_values(error: Any) -> str:
    """The allowed values of a parameter that is a number; empty for other parameters."""
    hints = typing.get_type_hints(error.ctx.command.callback, include_extras=True)
    annotated = hints.get(error.param.name)
    kinds = [one for one in _types_in(annotated) if one in KINDS]
    if not kinds:
        return ""
    infos = (one for one in getattr(annotated, "__metadata__", ()) if isinstance(one, ParameterInfo))
    low, high = next(((one.min, one.max) for one in infos), (None, None))
    if low is not None and high is not None:
        return f"{KINDS[kinds[0]]} within {low}..{high}"
    return KINDS[kinds[0]] + (f", at least {low}" if low is not None else "")


def _types_in(annotation: Any) -> list[Any]:
    """A type and the types that it consists of: for `int | None` also int and None."""
    return [annotation, *(part for one in typing.get_args(annotation) for part in _types_in(one))]
