# SPDX-License-Identifier: Apache-2.0
"""keystrokes.py TILELAB SECONDS [SEED [STEPS]]: random keys, control sequences, pastes, resizes and signals.

Whatever is typed, the shell lives and keeps its variables, and it ends on request. A shell
plays some rounds, each with a separate seed, and is asked for its variable after each; a round that
fails is made shorter, with those that the shell played before it, and printed.
"""

import fcntl
import os
import random
import signal
import struct
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "repl"))
from terminal import Terminal, end_all  # noqa: E402

ROUNDS = 12  # that a shell plays
TEXTS = ["1+1", "x = 5", "def f(a):", "    return a", "for i in range(3): print(i)", "'", '"""', "(", ")",
         "%target", "%%time", "len?", "!echo y", "import os", "os.pa", "th", "while True: pass", "é", "漢字",
         "\\", "#", "1/0", "input('? ')", "if x:", "else:", "@", ":", "print('a' * 3000)", "f'{x}'", "%his",
         "x = [1,", "2]", "raise SystemExit", "range(", "T.", "str(x).", "os.environ['"]
KEYS = ["\r", "\r", "\r", "\t", "\t", "\x7f", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b", "\x1b\r", "\x03",
        "\x03", "\x0c", "\x18", "\x18\x18", "\x12", "\x13", "\x16", "\x19", "\x1f", "\x1b[200~", "\x1b[201~",
        "\x1b[5~", "\x1b[6~", "\x1bp", "\x1bn", "\x1b[3~", "\x1b.", "\x1b<", "\x1b>", "\x1bf", "\x1bd", "\x1b1\x1b2", "\x18(", "\x18)",
        "\x18e", "\x1bx", "\x1b?", "\x1b*", "\x07", "\x00", "\x1bOA", "\x1b[1;5C", "\x1b~", "\x1b#",
        "\x1bdd", "\x1byy", "\x1bp", "\x1bP", "\x1bo", "\x1bO", "\x1bJ", "\x1bgg", "\x1bG", "\x1bcc", "\x1bdj", "\x1bdk", "\x1bS", "\x1b5",
        "\x1bu", "\x1bdw", "\r    pass\r    pass\r", "\xff", "\x1b[", "\x1b[99", "y", "n"]  # not q: it completes to quit


def steps_of(seed):
    """The seed's steps: (kind, value, pause after it)."""
    rng = random.Random(seed)
    steps = []
    for _ in range(rng.randrange(5, 80)):
        way = rng.random()
        pause = rng.choice((0, 0, 0, 0, 0.001, 0.02))
        if way < 0.35:
            steps.append(("type", rng.choice(TEXTS), pause))
        elif way < 0.8:
            steps.append(("type", "".join(rng.choice(KEYS) for _ in range(rng.choice((1, 1, 2, 4)))), pause))
        elif way < 0.85:
            steps.append(("type", "".join(chr(rng.randrange(32)) for _ in range(3)).translate(
                {4: None, 26: None, 28: None}), pause))  # not Ctrl-D, Ctrl-Z, Ctrl-backslash
        elif way < 0.9:
            text = "\r".join(rng.choice(TEXTS) for _ in range(rng.randrange(1, 30)))
            steps.append(("type", "\x1b[200~" + text + "\x1b[201~", pause))
        elif way < 0.95:
            steps.append(("resize", (rng.randrange(1, 60), rng.randrange(1, 200)), pause))
        else:
            steps.append(("signal", rng.choice((signal.SIGINT, signal.SIGWINCH, signal.SIGCONT)), pause))
    return steps


class Shell:
    """A shell whose start-up file sets a variable: no line that keys could recall and change."""

    def __init__(self, program, vi):
        self.directory = tempfile.TemporaryDirectory()
        path = self.directory.name
        with open(path + "/inputrc", "w") as file:
            file.write("set editing-mode vi\n" if vi else "")
        os.mkdir(path + "/tilelab")
        with open(path + "/tilelab/init.py", "w") as file:
            file.write("kept = 'kept'\n")
        environment = {"XDG_STATE_HOME": path, "XDG_CONFIG_HOME": path, "TMPDIR": path,
                       "INPUTRC": path + "/inputrc", "VISUAL": "true", "PAGER": "cat"}
        self.terminal = Terminal(program, "-q", environment=environment, directory=path)  # editors write files
        self.terminal.prompt()

    def play(self, steps):
        """The failure, or ""."""
        try:
            for kind, value, pause in steps:
                apply(self.terminal, kind, value)
                time.sleep(pause)
                while self.terminal._read(0):
                    pass
            keeps_its_variable(self.terminal)
            self.terminal.forget()
            return ""
        except (AssertionError, OSError) as error:
            pid, status = os.waitpid(self.terminal.pid, os.WNOHANG)
            return f"{type(error).__name__}: {error}"[-600:] + (f" (it ended: {status})" if pid else "")

    def end(self):
        """The failure, or ""."""
        os.kill(self.terminal.pid, signal.SIGTERM)
        try:
            status = self.terminal.wait(10)
            return "" if status == -signal.SIGTERM else f"it ended with {status}"
        except (AssertionError, OSError) as error:
            return str(error)

    def close(self):
        end_all()
        self.directory.cleanup()


def played(program, vi, rounds):
    """(what a new shell did wrong or "", in which of these rounds)."""
    at, shell = 0, Shell(program, vi)
    try:
        for at, steps in enumerate(rounds):
            if wrong := shell.play(steps):
                return wrong, at
        return shell.end(), at
    finally:
        shell.close()


def apply(terminal, kind, value):
    if kind == "type":
        os.write(terminal.fd, value.encode("utf-8", "surrogateescape"))
    elif kind == "resize":
        fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *value, 0, 0))
    else:
        os.kill(terminal.pid, value)


def keeps_its_variable(terminal):
    fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    for pause in (0.02, 0.05, 0.1, 0.2):
        # Leaves a search, a question, a paste that has no end, and vi's command mode.
        for keys in ("\x1b[201~", "\x03", "\x03"):
            terminal.type(keys)
            while terminal._read(pause):  # a key must not overtake the signal
                pass
        terminal.seen = len(terminal.text)
        try:
            terminal.type("print(kept * 2)\r")
            terminal.expect("keptkept", 40 * pause)
            return
        except AssertionError:
            if pause == 0.2:
                raise


def shorter(program, steps, vi):
    """A part of the steps that still fails; each try costs a second."""
    end = time.monotonic() + 60
    size = len(steps) // 2
    while size and time.monotonic() < end:
        for at in range(0, len(steps), size):
            rest = steps[:at] + steps[at + size:]
            if played(program, vi, [rest])[0]:
                steps = rest
                break
        else:
            size //= 2
    return steps


def main():
    program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("TILELAB_SEED") or time.time())
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 60
    end, shells, rounds, typed = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < end and typed < most:
        vi, count = random.Random(seed + rounds).random() < 0.2, ROUNDS if seconds > 60 else 4
        todo = [steps_of(seed + rounds + i) for i in range(count)]
        wrong, at = played(program, vi, todo)
        if wrong:
            print(f"FAILED with seed {seed + rounds}, {at + 1} rounds{' in vi mode' if vi else ''}: {wrong}")
            print(shorter(program, sum(todo[:at + 1], []), vi))
            return 1
        shells, rounds, typed = shells + 1, rounds + count, typed + sum(map(len, todo))
    print(f"{shells} shells, {rounds} rounds, {typed} steps, none ended, no variable lost; seeds from {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
