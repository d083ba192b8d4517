"""Errors whose message is meant for the person who gave the input: one line, what is wrong and what is right."""


class SandtableError(ValueError):
    """Bad input of any kind. The command line prints the message and exits with code 2."""


class RulesError(SandtableError):
    """A rule set that cannot be played."""


class MapError(SandtableError):
    """A map that cannot be read or played."""
