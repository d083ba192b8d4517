"""Ctrl-C during the command's imports, which take a moment, ends the command without a traceback.

This module is imported first and acts on import, so it imports next to nothing itself.
"""

import os.path
import signal
import sys


def _end_quietly_on_ctrl_c() -> None:
    """Applies until answer_ctrl_c(), if this process is the command `sandtable`, not a program that imports the
    package."""
    # Not pathlib, whose import takes time.
    name = os.path.splitext(os.path.basename(sys.argv[0] if sys.argv else ""))[0]  # noqa: PTH119, PTH122
    is_command = sys.orig_argv[1:3] == ["-m", "sandtable"] or name == "sandtable"
    answers = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # false for a shell's background jobs
    if is_command and answers:
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        except ValueError:  # a thread other than the main one imports the package
            return


def answer_ctrl_c() -> None:
    """Restore Python's own behaviour: Ctrl-C raises KeyboardInterrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


_end_quietly_on_ctrl_c()
