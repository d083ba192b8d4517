"""Ctrl-C while the command is still being imported, which takes a moment: it ends, without a traceback.

This module is imported first, and acts when it is imported: it imports next to nothing itself.
"""

import os.path
import signal
import sys


def _end_quietly_on_ctrl_c() -> None:
    """Until answer_ctrl_c(), if this process is the command `sandtable` and not a program that imports the package."""
    # Not by pathlib, whose import takes time.
    name = os.path.splitext(os.path.basename(sys.argv[0] if sys.argv else ""))[0]  # noqa: PTH119, PTH122
    is_command = sys.orig_argv[1:3] == ["-m", "sandtable"] or name == "sandtable"
    answers = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so for a shell's background jobs
    if is_command and answers:
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        except ValueError:  # another thread than the main one imports the package
            return


def answer_ctrl_c() -> None:
    """Ctrl-C is a KeyboardInterrupt, as Python has it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


_end_quietly_on_ctrl_c()
