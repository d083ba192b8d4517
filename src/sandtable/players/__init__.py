"""Players: anything that can name its next move."""

from sandtable.players.greedy import Greedy
from sandtable.players.protocol import Player
from sandtable.players.uniform import Random

__all__ = ["Greedy", "Player", "Random"]
