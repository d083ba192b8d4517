"""Check that the packages that a command needs are installed: an error before its first hour, not after it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from sandtable.errors import SandtableError
from sandtable.scale.addresses import check_address


def check_installed(what: str, packages: Sequence[str], extra: str = "learn") -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise SandtableError(f"{what} needs {', '.join(missing)}: pip install 'sandtable[{extra}]'")


def check_ray(address: str | None) -> None:
    """Check the value of the option --ray, and that Ray is installed if it is given."""
    if address is not None:
        check_address(address)
        check_installed("--ray", ("ray",), extra="ray")
