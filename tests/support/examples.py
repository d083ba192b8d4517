"""How many examples of a property Hypothesis tries, on the ordinary build and on the one with the sanitizers.

Files that run on both must not do all the work twice. The ordinary build shows whether a property holds. The sanitizers
watch the core's memory, so there a sixth of the examples is enough, unless the core gets them unchecked.
"""

import os

from hypothesis import settings

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
PART = 6


def examples(count: int) -> settings:
    """`count` examples, and fewer under the sanitizers: for properties that are compared with an oracle, or whose input
    goes through a parser in Python first."""
    return _settings(count // PART if SANITIZED else count)


def examples_for_the_core(count: int) -> settings:
    """`count` examples under the sanitizers, and fewer without: for input that the core itself must refuse."""
    return _settings(count if SANITIZED else count // PART)


def _settings(count: int) -> settings:
    return settings(max_examples=max(count, 1), deadline=None)
