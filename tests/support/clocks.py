"""Tests of time limits on a machine that may be busy."""

from collections.abc import Callable

ATTEMPTS = 200


def once_in_time(attempt: Callable[[], bool]) -> bool:
    """Whether one of many attempts succeeds: on a busy machine most are interrupted by other processes."""
    return any(attempt() for _ in range(ATTEMPTS))
