"""The version of the installed package; in a module of its own, since reading it takes as long as a game's rules do."""

from importlib.metadata import version

__version__ = version("sandtable")
