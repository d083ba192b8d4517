"""Addresses of Ray clusters."""

import re

from sandtable.errors import SandtableError

_ADDRESS = re.compile(r"local|auto|(ray://)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


def check_address(address: str) -> None:
    """SandtableError unless it has the form of a cluster's address."""
    if not _ADDRESS.fullmatch(address):
        raise SandtableError(
            f"a Ray cluster's address is HOST:PORT, ray://HOST:PORT, auto or local, not {address!r:.60}"
        )
