"""Whether a network can read a map, which a recipe asks before a training begins: without torch."""

from sandtable import _core
from sandtable.nets.architectures import TRAINABLE
from sandtable.tubstap.scenario import Scenario


def check_map(map: Scenario, architecture: str) -> None:
    """ValueError says why the network cannot."""
    _core.tubstap.encode_policy(TRAINABLE[architecture].encoder.core, [map.start()])
