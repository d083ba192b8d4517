"""The machine, for whoever compares figures."""

import platform
from pathlib import Path


def machine() -> str:
    """The processor, system and Python's version."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}"
