"""The user's main script, which multiprocessing imports again in every worker.

That is right for a script that guards its work with `if __name__ == "__main__":`. A script without this guard would
start its work again in each worker, and multiprocessing would report errors of its own. Such a script is hidden from
the workers; if they need something from it, that is an error.
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

ADVICE = 'put the work of your script under `if __name__ == "__main__":`, because workers must import the script'


@contextlib.contextmanager
def hide_unguarded_script(work: Any) -> Iterator[None]:
    """Within this context, processes that are started to do `work` import the main script only if it is guarded.
    SandtableError if it is not guarded and the work needs it."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or _has_main_guard(file):  # without a file there is nothing to import
        yield
        return
    if b"__main__" in pickle.dumps(work):
        raise SandtableError(ADVICE)
    spec = main.__spec__
    main.__file__ = main.__spec__ = None  # multiprocessing finds the script by these
    try:
        yield
    finally:
        main.__file__, main.__spec__ = file, spec


@functools.cache
def _has_main_guard(file: str) -> bool:
    """An estimate: whether the script mentions `__name__`. A script that cannot be read counts as guarded."""
    try:
        return "__name__" in Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return True
