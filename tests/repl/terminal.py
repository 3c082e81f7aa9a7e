# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal: starts the shell under a pseudo-terminal, types, and waits for text."""

import atexit
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from screen import Screen

_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x01|\x02")
_CELL = re.compile(r"tl\[\d+\]> |\(?(?:failed )?(?:reverse-)?i-search")
PROMPT = r"tl\[\d+\]> $"


_alive = []


SANITIZED = bool(os.environ.get("TILELAB_SANITIZED"))
SLOWDOWN = 5 if SANITIZED else 1  # of the program's own code
SOON = 10.0  # seconds, on any machine: less than the work that Ctrl-C ends; how many milliseconds is measured by bench/


def patience():
    """The slowdown relative to an idle machine and an ordinary build."""
    return SLOWDOWN * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def limits_memory(test):
    """Marks a test in which the program limits its address space: a sanitizer's shadow memory needs all of it."""
    test.limits_memory = True
    return test


def embeds_python(test):
    """Marks a test of how the program starts its Python: the command of a wheel runs inside one."""
    test.embeds_python = True
    return test


def is_script(program):
    """Whether the program is the command of a wheel."""
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def keep(terminal):
    """It ends with the last test."""
    _alive.remove(terminal)
    atexit.register(os.kill, terminal.pid, signal.SIGKILL)


def end_all():
    """Ends the shells that a failed test has left."""
    for terminal in _alive:
        try:
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # somebody has looked after it already
        os.close(terminal.fd)
    _alive.clear()


def _last(lines):
    return max((i for i, line in enumerate(lines) if line.strip()), default=0)


class Terminal:
    def __init__(self, program, *arguments, environment=None, columns=100, rows=40, watches=False, directory="."):
        program = os.path.abspath(program)
        self.raw = b""
        self._plain = (0, "")  # of how many bytes of `raw`, and their text
        self.watches = watches
        self.screen = Screen(rows, columns)
        self.seen = 0  # up to here `expect` has looked
        env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "INPUTRC": "/dev/null",
               "PS1": "$ ", "PAGER": "cat", **(environment or {})}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execve(program, [program, *arguments], env)
        _alive.append(self)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self):
        """Everything that was shown, without escape sequences."""
        if self._plain[0] != len(self.raw):
            text = _ESCAPES.sub(b"", self.raw).decode("utf-8", "replace").replace("\r", "")
            self._plain = (len(self.raw), text)
        return self._plain[1]

    def forget(self):
        """Ignores the output shown so far."""
        self.raw, self._plain, self.seen = b"", (0, ""), 0

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for_silence(self):
        """Waits until output stops."""
        while self._read(0.1):
            pass

    def interrupt(self):
        """Ctrl-C, and time for it: it is a signal, and a key typed at once may overtake it."""
        self.type("\x03")
        self.wait_for_silence()

    def paste(self, text):
        """As a terminal does that marks pastes."""
        self.type("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def _read(self, timeout):
        if not select.select([self.fd], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data
        if self.watches:
            self.screen.feed(data)
        return bool(data)

    def expect(self, pattern, timeout=10):
        """Waits until `pattern` is shown after what was expected before; gives the match."""
        end = time.monotonic() + timeout * patience()
        while True:
            match = re.compile(pattern).search(self.text, self.seen)
            if match:
                self.seen = match.end()
                return match
            if time.monotonic() > end or not self._read(max(0.0, end - time.monotonic())):
                raise AssertionError(
                    f"waited for {pattern!r}; shown since then:\n{self.text[self.seen:]}")

    def cell(self):
        """The cell that is being edited, without its prompts, with | where the cursor is."""
        lines = [line + " " for line in self.screen.lines()]
        first = max((i for i, line in enumerate(lines) if _CELL.match(line)), default=0)
        mark = _CELL.match(lines[first])
        if not mark or self.screen.row < first:
            return None
        out = []
        for i in range(first, max(self.screen.row, _last(lines)) + 1):
            line = lines[i].rstrip()
            if i == self.screen.row:
                before = "".join(character for character, _ in self.screen.cells[i][:self.screen.column])
                line = before + "|" + line[len(before):]
            out.append(line[mark.end():])
        return "\n".join(out)

    def shows(self, wanted, timeout=3, suggested=False):
        """Waits until the cell that is being edited is `wanted`; something may be suggested after it."""
        end = time.monotonic() + timeout * patience()
        while (cell := self.cell()) != wanted and not (
                suggested and cell and wanted.endswith("|") and cell.startswith(wanted)):
            if time.monotonic() > end or not self._read(max(0.0, end - time.monotonic())):
                raise AssertionError(f"waited for\n{wanted}\nbut this is shown:\n{self.cell()}")

    def prompt(self):
        """Waits for the primary prompt; gives what was shown before it."""
        start = self.seen
        match = self.expect(PROMPT)
        return self.text[start:match.start()]

    def run(self, line):
        """Types a line at the prompt; gives its output."""
        self.type(line + "\r")
        self.expect(re.escape(line) + r"[^\n]*\n")
        return self.prompt()

    def wait(self, timeout=15):
        """Reads to the end; gives the exit status (negative: the signal that ended it)."""
        end = time.monotonic() + timeout * patience()
        while time.monotonic() < end and self._read(0.5):
            pass
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                _alive.remove(self)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        raise AssertionError("the shell did not end")
