"""The installed package's version; a module of its own, as reading it takes as long as importing a game's rules."""

from importlib.metadata import version

__version__ = version("sandtable")
