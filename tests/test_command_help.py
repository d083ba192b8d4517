"""The help of the command: first steps, groups, examples, flags, completion, the version."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

import sandtable as st
from sandtable import cli
from sandtable.cli.app import GROUPS
from support.commands import python
from support.commands import sandtable as run


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands with the words that call them."""
    command = command.loaded() if hasattr(command, "loaded") else command
    yield words, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*words, name))


ALL = dict(commands(typer.main.get_command(cli.app)))


def test_without_arguments_the_first_steps_are_shown() -> None:
    shown = run().stdout
    steps = [line.split() for line in shown.splitlines() if line.startswith("  sandtable ")]
    assert 3 <= len(steps) <= 4
    for step in steps:
        assert (step[1],) in ALL
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"sandtable {st.__version__}\n"


def test_commands_are_listed_in_groups() -> None:
    shown = run("--help").stdout
    places = [shown.index(f"─ {group} ─") for group in GROUPS]
    assert places == sorted(places)
    assert "─ Commands ─" not in shown  # a command without a group would be there
    assert "--install-completion" in shown


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ma", ["maps", "match"]),
        ("match gre", ["greedy"]),
        ("match greedy du", ["duct"]),
        ("match greedy uct --map fo", ["ford"]),
        ("match greedy uct --rules so", ["soares2025", "soares2025-text"]),
        ("maps show i", ["islands", "italy"]),
        ("maps generate sy", ["symmetric"]),
        ("perft i", ["islands"]),
        ("train tub", ["tubstap-fast"]),
        ("recipes show con", ["conquest-fast"]),
        ("reproduce li", ["li2022"]),
        ("suite show d", ["dev"]),
        ("levels con", ["conquest"]),
        ("puzzles --theme ta", ["tag"]),
        ("puzzles --show finish-e", ["finish-eight"]),
    ],
)
def test_the_shell_completes_commands_and_names(typed: str, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SANDTABLE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"sandtable {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    assert run().stdout.split() == names


def test_completion_imports_no_slow_package() -> None:
    code = """
import os, sys
os.environ |= {"_SANDTABLE_COMPLETE": "complete_bash", "COMP_WORDS": "sandtable train tub", "COMP_CWORD": "2"}
from sandtable import cli
try:
    cli.main()
finally:
    print(*sys.modules)
"""
    done = python(code)
    names, loaded = done.stdout.splitlines()
    assert names == "tubstap-fast"
    assert set(loaded.split()).isdisjoint(("torch", "onnxruntime", "ray", "matplotlib", "pyarrow", "tensorboardX"))


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_has_an_example_and_flags_without_values(words: tuple[str, ...]) -> None:
    example = f"Example: sandtable {' '.join(words)}".rstrip()
    assert example in " ".join(ALL[words].help.split())
    assert "<bool>" not in run(*words, "--help").stdout


def test_the_list_of_commands_matches_their_help() -> None:
    for name, command in typer.main.get_command(cli.app).commands.items():  # type: ignore[attr-defined]
        first = ALL[(name,)].help.partition("\n\n")[0]
        assert " ".join(first.split()) == command.help


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_a_terminal(words: tuple[str, ...]) -> None:
    assert all(len(line) <= 80 for line in run(*words, "--help").stdout.splitlines())


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("match",), "[OPTIONS] A B"),
        (("perft",), "[OPTIONS] MAP DEPTH"),
        (("recipes", "copy"), "[OPTIONS] NAME [FILE]"),
        (("maps", "check"), "[OPTIONS] MAP..."),
        (("exploitability",), "[OPTIONS] [PLAYER...]"),
    ],
    ids=str,
)
def test_usage_lines_are_plain(words: tuple[str, ...], usage: str) -> None:
    lines = run(*words, "--help").stdout.splitlines()
    assert f"Usage: sandtable {' '.join(words)} {usage}" in map(str.strip, lines)
