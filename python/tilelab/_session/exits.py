# SPDX-License-Identifier: Apache-2.0
"""Ends of sessions and programs."""

import posix
import sys

from .pristine import __builtins__  # unaffected by user code


class ExitSession(SystemExit):
    """exit() was called: ends the session, unlike a plain sys.exit() in a cell."""


def exit_status(error):
    """The process status that a SystemExit requests."""
    if (code := error.code) is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -1 << 63 <= code < 1 << 63 else 0xFF  # python3 passes -1 for a number beyond a C long
    print(code, file=sys.stderr)
    return 1


_streams = {}  # of the session, by name


def keep_streams():
    """Remembers the session's streams, for flush_streams()."""
    _streams.update((name, getattr(sys, name)) for name in ("stdin", "stdout", "stderr"))


def flush_streams():
    """Flushes sys.stdout and sys.stderr, which user code may have closed or replaced, and restores a stream that it has deleted."""
    for name, stream in _streams.items():
        if not hasattr(sys, name):
            setattr(sys, name, stream)
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except Exception:
            pass


def at_exit_forget(shell):
    """Drops the user's objects while the interpreter is complete, for their finalizers. Call it before user code runs."""
    import atexit

    def forget():
        import gc
        import types

        code = (types.ModuleType, types.FunctionType, type)  # finalizers of other objects may need them
        shell.outputs.clear()
        shell.hidden.clear()
        for name, value in list(shell.ns.items()):
            if not name.startswith("__") and not issubclass(type(value), code):
                shell.ns[name] = None
        del value
        gc.collect()

    atexit.register(forget)


def end_child(error, traceback):
    """Ends a process that a cell has forked, where the cell ends in it. `traceback`: the lines that report the error."""
    status = 0 if error is None else 1
    try:
        if isinstance(error, SystemExit):
            status = exit_status(error)
        elif error is not None:
            print("\n".join(traceback), file=sys.stderr)
        flush_streams()
    finally:
        posix._exit(status)
