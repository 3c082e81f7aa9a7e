# SPDX-License-Identifier: Apache-2.0
"""How a session or a program ends."""

import posix
import sys

from .pristine import __builtins__  # a cell may change Python's


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


def at_exit_forget(shell):
    """The user's objects end while all of Python is there: where the session held them to the last, it would be gone
    already for what they do when they end. To be called before the user's code, whose own functions at exit come first."""
    import atexit

    def forget():
        import gc
        import types

        code = (types.ModuleType, types.FunctionType, type)  # what other objects may need to end
        shell.outputs.clear()
        shell.hidden.clear()
        for name, value in list(shell.ns.items()):
            if not name.startswith("__") and not issubclass(type(value), code):
                shell.ns[name] = None
        del value
        gc.collect()

    atexit.register(forget)


def end_child(error, traceback):
    """Ends a process that a cell has forked, where the cell ends in it: it is not a second session.
    `traceback`: the lines that report the error."""
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
