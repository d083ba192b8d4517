"""Checks whether a network can read a map, before a training begins and without torch."""

from sandtable.conquest.land import Land


def check_map(map: Land, architecture: str) -> None:
    """Raise MapError unless the map has room for a random start: networks of Conquest can read every such map."""
    map.start()
