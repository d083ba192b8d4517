"""Games between players, and their records."""

from sandtable.arena.early_end import EarlyEnd
from sandtable.arena.playing import play
from sandtable.arena.record import Record

__all__ = ["EarlyEnd", "Record", "play"]
