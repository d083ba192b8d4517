"""A description of the machine and of the code, so that figures can be compared."""

import functools
import os
import platform
import subprocess
from pathlib import Path


def machine() -> str:
    """The processor, the system and the version of Python."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}"


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def commit() -> str:
    """The commit of the running code, with a + for uncommitted changes in src or cpp; "unknown" outside its
    repository."""

    def git(*arguments: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["git", *map(str, arguments)], cwd=Path(__file__).parent, capture_output=True)

    try:
        root = Path(git("rev-parse", "--show-toplevel").stdout.decode().strip())
        if git("ls-files", "--error-unmatch", Path(__file__).name).returncode:
            return "unknown"
        changed = git("diff", "--quiet", "HEAD", "--", root / "src", root / "cpp").returncode
        return git("rev-parse", "--short=12", "HEAD").stdout.decode().strip() + ("+" if changed else "")
    except OSError:
        return "unknown"
