"""Errors whose message is meant for the user: one line that says what is wrong and what would be right."""

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
    """A player that cannot analyse positions; as an AttributeError, it makes hasattr(player, "analyse") false."""


class ForfeitError(PlayerError):
    """A player that forfeits its game: a bot that crashed, was late or played an illegal move."""

    def __init__(self, side: int, reason: str) -> None:
        super().__init__(reason)
        self.side = side


class SettingError(SandtableError):
    """A setting that is unknown, of the wrong type or out of its range."""


class RecordError(SandtableError):
    """A record that cannot be read, or whose game ends differently when it is replayed."""


class StoreError(SandtableError):
    """A store that cannot be opened, read or written."""


class CheckpointError(SandtableError):
    """A network that cannot be found, read or used."""


class TournamentError(SandtableError):
    """A tournament that cannot be played as described."""


class RecipeError(SandtableError):
    """A recipe that cannot be read or followed."""


def one_line(error: BaseException) -> str:
    """An exception from third-party code, as one line of printable characters."""
    try:
        text = " ".join(str(error).split())
    except BaseException as another:  # str() runs third-party code too
        if isinstance(another, KeyboardInterrupt):
            raise
        text = ""
    # Not type(error).__name__: a third-party metaclass may have redefined it.
    kind = str.__str__(type.__dict__["__name__"].__get__(type(error)))
    said = f"{kind:.100}: {text:.300}" if text else f"{kind:.100}"
    return "".join(character if character.isprintable() else "\ufffd" for character in said)


CONNECTING = (OSError, OverflowError, TypeError, UnicodeError)  # what connecting or listening raises for a bad address


def reason_of(error: Exception) -> str:
    """Why a file could not be opened or an address could not be used, without the error's number."""
    if isinstance(error, TypeError | UnicodeError):
        return "this is not a valid address"
    return (getattr(error, "strerror", None) or str(error)).partition(" (while attempting")[0]


def with_place(error: BaseException) -> str:
    """one_line(), followed by the innermost frames outside this package unless the error is one of ours: the author of
    a player wants to know which line raised it."""
    frames = [
        f"{_short_path(frame.f_code.co_filename)}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith((_PACKAGE, "<frozen"))
    ]
    if isinstance(error, SandtableError) or not frames:
        return one_line(error)
    place = ", ".join(frames[-_FRAMES:])
    return f"{one_line(error)} (at {''.join(c if c.isprintable() else chr(0xFFFD) for c in place):.500})"


@contextlib.contextmanager
def of_player(name: str) -> Iterator[None]:
    """Turn any exception of a player's own code into a PlayerError that names the player. That includes SystemExit,
    which would end the program as if all were well. Our own errors and Ctrl-C pass through."""
    try:
        yield
    except (SandtableError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PlayerError(f"{name}: {with_place(error)}") from None


def _short_path(file: str) -> str:
    """The file's path, relative to the working folder if the file is below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known spelling, to append to "there is no <word>"; empty if none is near."""
    import difflib  # only needed for error messages

    spellings = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(spellings), n=1)
    return f" (did you mean {spellings[near[0]]!r}?)" if near else ""
