"""Errors whose message is meant for the person who gave the input: one line, what is wrong and what is right."""

import contextlib
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
_FRAMES = 3  # of a traceback that with_place() shows


class SandtableError(ValueError):
    """Bad input of any kind. The command line prints the message and exits with code 2."""


class RulesError(SandtableError):
    """A rule set that cannot be played."""


class MapError(SandtableError):
    """A map that cannot be read or played."""


class PlayerError(SandtableError):
    """A player that cannot be made, or that broke the rules of its interface."""


class NoAnalysisError(PlayerError, AttributeError):
    """A player that does not say what it thinks, as hasattr(player, "analyse") tells."""


class ForfeitError(PlayerError):
    """A player that lost its game by what it did: a bot that crashed, was late or played an illegal move."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


class SettingError(SandtableError):
    """A setting that is unknown, of the wrong type or out of its range."""


class RecordError(SandtableError):
    """A record that cannot be read, or whose game does not come out as it says."""


class StoreError(SandtableError):
    """A store that cannot be opened, read or written."""


class CheckpointError(SandtableError):
    """A net that cannot be found, read or used."""


class TournamentError(SandtableError):
    """A tournament that cannot be played as it is described."""


class RecipeError(SandtableError):
    """A recipe that cannot be read or followed."""


def one_line(error: BaseException) -> str:
    """An exception of somebody else's code, in one line that a terminal shows as it is."""
    try:
        text = " ".join(str(error).split())
    except BaseException as another:  # somebody else's code again
        if isinstance(another, KeyboardInterrupt):
            raise
        text = ""
    # Not type(error).__name__: the class of that class may be somebody else's code too.
    kind = str.__str__(type.__dict__["__name__"].__get__(type(error)))
    said = f"{kind:.100}: {text:.300}" if text else f"{kind:.100}"
    return "".join(character if character.isprintable() else "\ufffd" for character in said)


CONNECTING = (OSError, OverflowError, TypeError, UnicodeError)  # what connecting or listening raises for a bad address


def reason_of(error: Exception) -> str:
    """Why a file could not be opened or an address not be used, without the error's number."""
    if isinstance(error, TypeError | UnicodeError):
        return "there can be no such address"
    return (getattr(error, "strerror", None) or str(error)).partition(" (while attempting")[0]


def with_place(error: BaseException) -> str:
    """The same, and for an exception that is not meant for a user the innermost frames outside this package: a player's
    author wants to know which line raised it."""
    frames = [
        f"{_short(frame.f_code.co_filename)}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith((_PACKAGE, "<frozen"))
    ]
    if isinstance(error, SandtableError) or not frames:
        return one_line(error)
    place = ", ".join(frames[-_FRAMES:])
    return f"{one_line(error)} (at {''.join(c if c.isprintable() else chr(0xFFFD) for c in place):.500})"


@contextlib.contextmanager
def of_player(name: str) -> Iterator[None]:
    """Turn whatever a player's own code raises into a PlayerError that names the player. That includes SystemExit,
    which would end the program as if all were well. Our own errors and Ctrl-C pass."""
    try:
        yield
    except (SandtableError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PlayerError(f"{name}: {with_place(error)}") from None


def _short(file: str) -> str:
    """A file below the working folder as seen from there."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known spelling, to put behind "there is no <word>"; empty if none is near."""
    import difflib  # only needed where something is wrong

    spellings = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(spellings), n=1)
    return f" (did you mean {spellings[near[0]]!r}?)" if near else ""
