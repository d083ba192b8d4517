"""Commands that are imported when they are run: the list of all commands needs only their summaries."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command, get_group

from sandtable.cli.app import App
from sandtable.startup import answer_ctrl_c


class Deferred(TyperCommand):
    """A command by its name, the group in which it is listed, and its summary, the first paragraph of its help. `load`
    returns the command's function or App."""

    def __init__(self, name: str, group: str, summary: str, load: Callable[[], Any]) -> None:
        super().__init__(name, rich_help_panel=group)
        self._load = load
        self.help = summary

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """The context of the command itself, which is imported here; a group calls this before it runs a command. Until
        then Ctrl-C ends the process at once, because an exception may get lost in an import."""
        command = self.loaded()
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            answer_ctrl_c()
        return command.make_context(*arguments, **options)

    def loaded(self) -> Any:
        found = self._load()
        if isinstance(found, typer.Typer):
            return get_group(found)
        alone = App(add_completion=False)
        alone.command(self.name)(found)
        return get_command(alone)
