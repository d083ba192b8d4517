"""Checks whether a network can read a map, before a training begins and without torch."""

from sandtable import _core
from sandtable.nets.architectures import TRAINABLE
from sandtable.tubstap.scenario import Scenario


def check_map(map: Scenario, architecture: str) -> None:
    """Raise ValueError with the reason if the network cannot read the map."""
    _core.tubstap.encode_policy(TRAINABLE[architecture].encoder.core, [map.start()])
