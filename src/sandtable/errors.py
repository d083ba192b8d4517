"""Errors whose message is meant for the person who gave the input: one line, what is wrong and what is right."""

import difflib
from collections.abc import Iterable


class SandtableError(ValueError):
    """Bad input of any kind. The command line prints the message and exits with code 2."""


class RulesError(SandtableError):
    """A rule set that cannot be played."""


class MapError(SandtableError):
    """A map that cannot be read or played."""


class PlayerError(SandtableError):
    """A player that cannot be made, or that did what it must not."""


class RecordError(SandtableError):
    """A record that cannot be read, or whose game does not come out as it says."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known spelling, to put behind "there is no <word>"; empty if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
