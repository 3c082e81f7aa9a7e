# SPDX-License-Identifier: Apache-2.0
"""Commands whose cell is not Python, or whose output is redirected: %%bash, %%html, %%writefile, %%capture."""

import io
import os
import sys

from .._session import display as shown
from .._session.processes import run, spawn
from .._session.view import CommandError, View, reject_if


def _file_of(text):
    """An open file with the text: unlike with a pipe, the session need not wait for the reader."""
    import tempfile

    try:
        file = os.fdopen(os.memfd_create("cell"), "w+b")
    except (AttributeError, OSError):
        file = tempfile.TemporaryFile()
    file.write(text.encode(errors="surrogateescape"))
    file.seek(0)
    return file


def _end_at_exit(process):
    """Ends a program in the background with the session, as IPython does."""
    import atexit
    import signal

    def end():
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)

    atexit.register(end)


def command_script(shell, call):
    """Runs a program with the cell as its standard input."""
    import shlex
    import subprocess
    import tempfile

    words = shlex.split(call.args[0]) if call.args else []
    reject_if(not words, "%%script needs a program: %%script perl")
    kept = {stream: tempfile.TemporaryFile() for stream, option in (("stdout", "--out"), ("stderr", "--err")) if call.has(option)}
    try:
        with _file_of(call.cell) as source:
            if call.has("--bg"):
                silent = {stream: subprocess.DEVNULL for stream in kept}
                return _end_at_exit(spawn(words, own_group=True, stdin=source, **silent))
            status = run(words, stdin=source, **kept)
    except OSError as error:
        raise CommandError(f"{words[0]}: {error.strerror}") from None
    for stream, file in kept.items():
        file.seek(0)
        shell.ns[call.options["--out" if stream == "stdout" else "--err"]] = file.read().decode(errors="replace")
        file.close()
    if status and not call.has("--no-raise-error"):
        raise CommandError(f"{words[0]} ended with status {status}")


def _runs_by(program):
    def command(shell, call):
        call.args = [" ".join([program, *call.args])]
        command_script(shell, call)

    return command


command_bash, command_sh = _runs_by("bash"), _runs_by("sh")


def command_html(shell, call):
    shown.display(shown.HTML(call.cell), metadata={"text/html": {"isolated": True}} if call.has("--isolated") else None)


def _shows_as(kind):
    return lambda shell, call: shown.display(kind(call.cell))


command_markdown, command_latex = _shows_as(shown.Markdown), _shows_as(shown.Latex)
command_svg, command_javascript = _shows_as(shown.SVG), _shows_as(shown.Javascript)


def command_writefile(shell, call):
    reject_if(len(call.args) != 1, "%%writefile takes one file")
    path = os.path.expanduser(call.args[0])
    done = "appended to" if call.has("-a") else "wrote over" if os.path.exists(path) else "wrote"
    try:
        with open(path, "a" if call.has("-a") else "w") as file:
            file.write(call.cell if call.cell.endswith("\n") else call.cell + "\n")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    return View(f"{done} {path}\n")


class Captured:
    """Output captured by %%capture: .stdout, .stderr, .outputs; .show() or a call shows it."""

    def __init__(self):
        self._out, self._err, self._displays = io.StringIO(), io.StringIO(), []

    @property
    def stdout(self):
        return self._out.getvalue()

    @property
    def stderr(self):
        return self._err.getvalue()

    @property
    def outputs(self):
        return [shown.Bundle(bundle, metadata) for bundle, metadata, _, _ in self._displays]

    def __str__(self):
        return self.stdout

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for output in self.outputs:
            shown.display(output)

    __call__ = show


class capturing:
    """Captures the streams and displays of a block."""

    def __init__(self, stdout=True, stderr=True, displays=True):
        self.wanted = stdout, stderr, displays

    def __enter__(self):
        self.captured = Captured()
        self.streams = sys.stdout, sys.stderr
        out, err, displays = self.wanted
        if out:
            sys.stdout = self.captured._out
        if err:
            sys.stderr = self.captured._err
        if displays:
            shown.take_displays(self.captured._displays)
        return self.captured

    def __exit__(self, *_):
        sys.stdout, sys.stderr = self.streams
        if self.wanted[2]:
            shown.give_back_displays()


def command_capture(shell, call):
    wanted = not call.has("--no-stdout"), not call.has("--no-stderr"), not call.has("--no-display")
    reject_if(len(call.args) > 1, "%%capture takes one name")
    with capturing(*wanted) as captured:
        shell.show_result(shell.run_body(call.cell, call.lines_above))
    if call.args:
        shell.ns[call.args[0]] = captured
