"""Whether a network can read a map, which a recipe asks before a training begins: without torch."""

from sandtable.conquest.land import Land


def check_map(map: Land, architecture: str) -> None:
    """Networks of Conquest read every map that has room for a random start."""
    map.start()
