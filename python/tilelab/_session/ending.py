# SPDX-License-Identifier: Apache-2.0
"""How a session or a program ends."""

import posix
import sys

from .own import __builtins__  # a cell may change Python's


class ExitSession(SystemExit):
    """exit() was called: the session ends, whatever a plain sys.exit() in a cell means."""


def exit_status(error):
    """The process status that a SystemExit asks for."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def end_child(error, traceback):
    """Ends a process that a cell has forked, where the cell ends in it: it is no second session.
    `traceback`: the lines that tell of the error."""
    status = 0 if error is None else 1
    try:
        if isinstance(error, SystemExit):
            status = exit_status(error)
        elif error is not None:
            print("\n".join(traceback), file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        posix._exit(status)
