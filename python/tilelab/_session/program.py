# SPDX-License-Identifier: Apache-2.0
"""Running a program as python3 would: `tilelab script.py`, -c, -m, -; also %run."""

import builtins
import os
import sys

from .ending import exit_status
from .source import register


def _report(error):
    """Exit status for the exception that ended a program; prints it where python3 would."""
    if isinstance(error, SystemExit):
        return exit_status(error)
    if isinstance(error, KeyboardInterrupt):
        print("\nKeyboardInterrupt", file=sys.stderr)
        return 130
    if isinstance(error, BrokenPipeError):
        return 1
    hook = sys.excepthook
    hook(type(error), error, error.__traceback__)
    return 1


def _without_our_frames(error):
    """Cuts the frames of this module off the front of a traceback."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_globals.get("__name__", "").startswith(("tilelab._session",
                                                                              "runpy")):
        trace = trace.tb_next
    if trace:
        error.__traceback__ = trace
    return error


def read_source(path):
    """The text of a Python file in its declared encoding."""
    import tokenize

    with tokenize.open(path) as file:
        return file.read()


def execute_file(path, ns):
    """Runs a file in a namespace. A directory or zip with __main__ runs through runpy."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        sys.path.insert(0, path)
        ns.update(runpy.run_path(path, run_name="__main__"))
        return
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", 0, True)
    ns["__file__"] = path
    builtins.eval(code, ns)


def _execute(shell, kind, text):
    if kind == "module":
        import runpy

        sys.path.insert(0, os.getcwd())
        shell.ns.update(runpy.run_module(text, run_name="__main__", alter_sys=True))
    elif kind == "file" and text != "-":
        sys.path.insert(0, os.path.dirname(os.path.realpath(text)))
        execute_file(text, shell.ns)
    else:
        sys.path.insert(0, "")
        name = "<stdin>" if kind == "file" else "<command>"
        source = sys.stdin.read() if kind == "file" else text
        name = register(name, source)
        builtins.eval(compile(source, name, "exec", 0, True), shell.ns)


def run(shell, kind, text, argv):
    """Runs a program in __main__ and gives the process's exit status."""
    sys.argv = list(argv) or [""]
    status = 0
    try:
        _execute(shell, kind, text)
    except BaseException as error:
        if kind == "file" and isinstance(error, OSError) and error.filename == text:
            print(f"tilelab: can't open {text}: {error.strerror}", file=sys.stderr)
            return 2
        status = _report(_without_our_frames(error))
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                print(f"tilelab: cannot write the output: {error.strerror}", file=sys.stderr)
            status = status or 1
    return status
