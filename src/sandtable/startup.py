"""Ctrl-C while the command is still being imported, which takes a moment: it ends, without a traceback.

This module is imported first, and acts when it is imported.
"""

import signal
import sys
import threading
from pathlib import Path


def _end_quietly_on_ctrl_c() -> None:
    """Until answer_ctrl_c(), if this process is the command `sandtable` and not a program that imports the package."""
    is_command = sys.orig_argv[1:3] == ["-m", "sandtable"] or Path(sys.argv[0] if sys.argv else "").stem == "sandtable"
    answers = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so for a shell's background jobs
    if is_command and answers and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def answer_ctrl_c() -> None:
    """Ctrl-C is a KeyboardInterrupt, as Python has it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


_end_quietly_on_ctrl_c()
