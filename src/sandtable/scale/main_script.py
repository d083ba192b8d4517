"""The user's own script, which multiprocessing makes every worker import again.

That is right for a script whose work stands under `if __name__ == "__main__":`. One without it would begin its work
again in each worker, which multiprocessing answers with errors of its own. Workers do without such a script, unless it
holds what they need.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError

ADVICE = 'put what your script does under `if __name__ == "__main__":`, because its workers need to import it'


@contextlib.contextmanager
def spared(work: Any) -> Iterator[None]:
    """Processes that are started meanwhile to do this work import the script only if it is written for that.
    SandtableError if it is not and the work needs it."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or _looks_at_its_name(file):  # a session without a file is imported by nobody
        yield
        return
    if b"__main__" in pickle.dumps(work):
        raise SandtableError(ADVICE)
    spec = main.__spec__
    main.__file__ = main.__spec__ = None  # by which multiprocessing finds what to import
    try:
        yield
    finally:
        main.__file__, main.__spec__ = file, spec


@functools.cache
def _looks_at_its_name(file: str) -> bool:
    try:
        return "__name__" in Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return True
