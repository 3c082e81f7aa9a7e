# SPDX-License-Identifier: Apache-2.0
"""Runs a program like python3: `tilelab script.py`, -c, -m, -; also %run."""

import builtins
import os
import sys

import _tilelab_host as host

from .exits import exit_status
from .imports import search_first
from .source import read_bytes, register
from .view import CommandError


def _report(error):
    """The exit status for the exception that ended a program; prints it as python3 does."""
    if isinstance(error, SystemExit):
        return exit_status(error)
    if isinstance(error, KeyboardInterrupt):
        print("\nKeyboardInterrupt", file=sys.stderr)
        return 130
    if isinstance(error, BrokenPipeError):
        return 1
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__  # for %debug after -i
    hook = sys.excepthook
    hook(type(error), error, error.__traceback__)
    return 1


def _without_our_frames(error):
    """Removes the leading frames of this module from a traceback."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_globals.get("__name__", "").startswith(("tilelab._session", "runpy")):
        trace = trace.tb_next
    if trace:
        error.__traceback__ = trace
    return error


def _decoded(source):
    """The text of Python source in its declared encoding; SyntaxError or UnicodeDecodeError if it is not in that."""
    import io
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return io.TextIOWrapper(io.BytesIO(source), encoding).read()


def read_source(path):
    """The text of a Python file in its declared encoding."""
    return _decoded(read_bytes(path))


def execute_file(shell, path, ns):
    """Runs a file in a namespace; notebooks and scripts with commands as cells; a directory or zip with __main__ by runpy."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        sys.path.insert(0, path)
        ns.update(runpy.run_path(path, run_name="__main__"))
        return
    os.stat(path)  # a file that does not exist is reported as any other
    if path.endswith((".ipynb", ".ipy")):
        return _execute_cells(shell, path)
    source = read_bytes(path)
    try:
        code = compile(source, path, "exec", 0, True)
    except SyntaxError:
        if _is_of_cells(path):
            return _execute_cells(shell, path)
        raise
    ns["__file__"] = path
    builtins.eval(code, ns)


def _cells(path):
    from .notebooks import cells_of_script, texts_of_notebook

    if path.endswith(".ipynb"):
        return texts_of_notebook(path, text_too=False)
    return cells_of_script(read_source(path))


def _is_of_cells(path):
    """Whether the text is Python with commands."""
    from .._compiler.cell_syntax import python_of

    try:
        cells = [(cell, python_of(cell)) for cell in _cells(path)]
        for _, text in cells:
            compile(text, path, "exec", 0x400, True)
    except (SyntaxError, ValueError):
        return False
    return any(cell != text for cell, text in cells)


def _execute_cells(shell, path):
    shell.ns["__file__"] = path
    outer, cells = shell.cell_name, _cells(path)
    for number, cell in enumerate(cells, 1):
        shell.cell_name = register(f"{path}, cell {number}" if len(cells) > 1 else path, cell)
        try:
            shell.show_result(shell.run_body(cell))
        finally:
            shell.cell_name = outer


def run_as_part(shell, text, kind):
    """Runs text that is not a cell under its own name; returns its last value."""
    outer = shell.cell_name
    shell.cell_name = register(f"{kind} text", text)
    try:
        return shell.run_body(text)
    finally:
        shell.cell_name = outer


def _execute(shell, kind, text):
    if kind == "module":
        import runpy

        if text.partition(".")[0] != "tilelab":  # our own programs import nothing from the user's directory
            search_first(os.getcwd())
        shell.ns.update(runpy.run_module(text, run_name="__main__", alter_sys=True))
    elif kind == "file" and text != "-":
        search_first(os.path.dirname(os.path.realpath(text)))
        execute_file(shell, text, shell.ns)
    else:
        search_first("")
        source = sys.stdin.buffer.read() if kind == "file" else text
        try:
            known = _decoded(source) if kind == "file" else text
        except (SyntaxError, UnicodeDecodeError):
            known = source.decode(errors="replace")  # which compile() rejects
        name = register("<stdin>" if kind == "file" else "<command>", known)
        builtins.eval(compile(source, name, "exec", 0, True), shell.ns)


def run(shell, kind, text, argv):
    """Runs a program in __main__ and returns the process's exit status."""
    sys.argv = list(argv) or [""]
    status = 0
    try:
        _execute(shell, kind, text)
    except BaseException as error:
        if kind == "file" and isinstance(error, OSError) and error.filename == text:
            print(host.terminal_text(f"tilelab: cannot open {text}: {error.strerror}"), file=sys.stderr)
            return 2
        if isinstance(error, CommandError):
            print(host.terminal_text(f"tilelab: {error}"), file=sys.stderr)
            return 1
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
