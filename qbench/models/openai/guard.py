"""`python guard.py COMMAND` runs a command until it ends, or until whoever started this closes its input or is gone.

A process that is killed ends no other, but the system closes its files. The command is told to end, and killed with all
that it started where it has not after a while; so this must lead a process group of its own. Where this is killed
itself, as Ray does to what its actors started, the system tells the command to end.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

_SECONDS_TO_END = 30
_TELL_AT_PARENTS_DEATH = 1
"""PR_SET_PDEATHSIG of Linux."""


def _end_when_given_up() -> None:
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGTERM)
    threading.Timer(_SECONDS_TO_END, os.killpg, (0, signal.SIGKILL)).start()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: None)  # not ignored, which the command would inherit
    system = ctypes.CDLL(None)
    process = subprocess.Popen(  # noqa: S603 - what it is for
        sys.argv[1:],
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: system.prctl(_TELL_AT_PARENTS_DEATH, signal.SIGTERM),  # noqa: PLW1509 - no thread runs yet
    )
    threading.Thread(target=_end_when_given_up, daemon=True).start()
    process.wait()
    os.killpg(0, signal.SIGKILL)
