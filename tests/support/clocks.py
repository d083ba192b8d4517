"""What depends on the clock, on a machine that may be busy with something else."""

from collections.abc import Callable

ATTEMPTS = 200


def once_in_time(attempt: Callable[[], bool]) -> bool:
    """Whether one of many attempts succeeds: a machine that is busy takes the processor away in most of them."""
    return any(attempt() for _ in range(ATTEMPTS))
