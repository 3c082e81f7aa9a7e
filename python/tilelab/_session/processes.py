# SPDX-License-Identifier: Apache-2.0
"""Subprocesses of a session: !command, and those of commands."""

import os
import signal
import sys
import termios

import _tilelab_host as host

from .exits import flush_streams


def spawn(command, own_group=None, **options):
    """Starts a program, in its own process group where no terminal's signals reach it, so that an interrupt can end its children."""
    import subprocess

    flush_streams()
    # Users expect the syntax of their shell.
    shell = os.environ.get("SHELL") or "/bin/sh"
    own_group = host.captures() if own_group is None else own_group

    def can_die_of_an_interrupt():
        if own_group:
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    return subprocess.Popen(
        command, shell=isinstance(command, str), executable=shell if isinstance(command, str) else None,
        preexec_fn=can_die_of_an_interrupt, **options)


def _has_terminal():
    """Whether the terminal's signals reach both this process and its children."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _spawn_whole(command, **options):
    """(the child of spawn(), the signal mask to restore in the caller's try): the child may run before Popen returns, and an interrupt
    between the two would leave it running."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # an interrupt may leave this call with the signal blocked
        return spawn(command, **options), mask
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        raise


def run(command, **options):
    """Runs a program, on our descriptors by default; returns its status. Raises KeyboardInterrupt if an interrupt ended it."""
    taken = _taken_streams(options)
    at_terminal = _has_terminal()
    modes = termios.tcgetattr(0) if at_terminal else None  # before the child changes them
    process, mask = _spawn_whole(command, **options)
    try:
        if not at_terminal:
            return _wait(process, mask)
        if signal.SIGINT in signal.sigpending():  # it may have arrived before the child existed
            os.kill(process.pid, signal.SIGINT)  # send_signal would reap the status
        return _wait_at_terminal(process, mask, modes)
    finally:
        for stream, file in taken:
            file.seek(0)
            stream.write(file.read().decode(errors="replace"))
            file.close()


def _taken_streams(options):
    """Redirects a child's output to files if sys.stdout or sys.stderr is captured: [(stream, file)], also set in `options`."""
    import io

    taken = []
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.StringIO) and name not in options:
            import tempfile

            options[name] = tempfile.TemporaryFile()
            taken.append((stream, options[name]))
    return taken


def _wait(process, mask):
    """Waits for a child without a terminal. `mask`: the signal mask to restore."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return process.wait()
    except KeyboardInterrupt:
        interrupt(process)
        raise


def interrupt(process):
    """Ends a child of spawn() by SIGINT, and by SIGKILL what that has not ended after 2 s: its whole group, if it has its own."""
    import subprocess

    _signal(process, signal.SIGINT)
    try:
        process.wait(2)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        pass
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process, number):
    if not host.captures():
        return process.send_signal(number)
    try:
        os.killpg(process.pid, number)
    except OSError:  # all have ended
        pass


def _wait_at_terminal(process, mask, modes):
    """Waits for a child that receives and may handle the interrupt itself, such as an editor. `modes`: those of the terminal."""
    interrupted, ended = False, None
    while process.returncode is None:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            # WNOWAIT keeps the status: an interrupt between the system call and us would lose it.
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            process.wait()
        except KeyboardInterrupt:
            interrupted = True
        except ChildProcessError:
            break
    if ended is None:  # another waiter has reaped the child
        return process.wait()
    status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
    if status < 0 or status > 128:  # killed by a signal, it may not have restored the terminal
        termios.tcsetattr(0, termios.TCSADRAIN, modes)
    if interrupted and status in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    return status


class Lines(list):
    """Lines of output with the attributes of IPython's lists: .n is the whole text, .s one line, .p the paths."""

    @property
    def l(self):
        return self

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def p(self):
        import pathlib

        return [pathlib.Path(line) for line in self if os.path.exists(line)]

    list, nlstr, spstr, paths = l, n, s, p

    def grep(self, pattern, prune=False, field=None):
        """The lines that match a pattern or a function; with `field`, only that word of each line is matched."""
        import re

        fits = pattern if callable(pattern) else lambda text: re.search(pattern, text, re.IGNORECASE)

        def searched(line):
            words = line.split()
            return line if field is None else words[field] if -len(words) <= field < len(words) else ""

        return Lines(line for line in self if bool(fits(searched(line))) != prune)

    def fields(self, *numbers):
        """Those words of each line; without arguments, each line as a list of words."""
        rows = [line.split() for line in self if line.split()]
        if not numbers:
            return rows
        return Lines(" ".join(row[n] for n in numbers if -len(row) <= n < len(row)) for row in rows)


def shell_lines(command):
    """The output lines of a shell command; errors go to stderr."""
    import subprocess

    process, mask = _spawn_whole(command, stdout=subprocess.PIPE, text=True, errors="replace")
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        text, _ = process.communicate()
    except KeyboardInterrupt:
        interrupt(process)
        raise
    return Lines(text.splitlines())
