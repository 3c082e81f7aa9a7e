# SPDX-License-Identifier: Apache-2.0
"""keystrokes.py TILELAB SECONDS [SEED]: random keys, control sequences, pastes, resizes and signals.

Whatever is typed, the shell lives and keeps its variables, and it ends when it is told to. Each round
is a shell of its own with a seed of its own; a round that fails is made shorter and printed.
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

TEXTS = ["1+1", "x = 5", "def f(a):", "    return a", "for i in range(3): print(i)", "'", '"""', "(", ")",
         "%target", "%%time", "len?", "!echo y", "import os", "os.pa", "th", "while True: pass", "é", "漢字",
         "\\", "#", "1/0", "input('? ')", "if x:", "else:", "@", ":", "print('a' * 3000)", "f'{x}'", "%his",
         "x = [1,", "2]", "raise SystemExit", "range(", "T.", "str(x).", "os.environ['"]
KEYS = ["\r", "\r", "\r", "\t", "\t", "\x7f", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b", "\x1b\r", "\x03",
        "\x03", "\x0c", "\x18", "\x18\x18", "\x12", "\x13", "\x16", "\x19", "\x1f", "\x1b[200~", "\x1b[201~",
        "\x1b[5~", "\x1b[6~", "\x1bp", "\x1bn", "\x1b[3~", "\x1b.", "\x1b<", "\x1b>", "\x1bf", "\x1bd", "\x1b1\x1b2", "\x18(", "\x18)",
        "\x18e", "\x1bx", "\x1b?", "\x1b*", "\x07", "\x00", "\x1bOA", "\x1b[1;5C", "\x1b~", "\x1b#",
        "\xff", "\x1b[", "\x1b[99", "y", "n"]  # not q: it completes to quit


def steps_of(seed):
    """The seed's steps: (kind, value, pause after it)."""
    rng = random.Random(seed)
    steps = []
    for _ in range(rng.randrange(5, 80)):
        way = rng.random()
        pause = rng.choice((0, 0, 0, 0.001, 0.01, 0.05))
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
    return steps, rng.random() < 0.2


def play(program, steps, vi):
    """What went wrong, or ""."""
    with tempfile.TemporaryDirectory() as directory:
        with open(directory + "/inputrc", "w") as file:
            file.write("set editing-mode vi\n" if vi else "")
        os.mkdir(directory + "/tilelab")
        with open(directory + "/tilelab/init.py", "w") as file:
            file.write("kept = 'kept'\n")  # not in a line that keys could recall and change
        environment = {"XDG_STATE_HOME": directory, "XDG_CONFIG_HOME": directory, "TMPDIR": directory,
                       "INPUTRC": directory + "/inputrc", "VISUAL": "true", "PAGER": "cat"}
        terminal = Terminal(program, "-q", environment=environment)
        try:
            terminal.prompt()
            for kind, value, pause in steps:
                apply(terminal, kind, value)
                time.sleep(pause)
                while terminal._read(0):
                    pass
            return ending(terminal)
        except (AssertionError, OSError) as error:
            pid, status = os.waitpid(terminal.pid, os.WNOHANG)
            return f"{type(error).__name__}: {error}"[-600:] + (f" (it ended: {status})" if pid else "")
        finally:
            end_all()


def apply(terminal, kind, value):
    if kind == "type":
        os.write(terminal.fd, value.encode("utf-8", "surrogateescape"))
    elif kind == "resize":
        fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *value, 0, 0))
    else:
        os.kill(terminal.pid, value)


def ending(terminal):
    """The variable is there; SIGTERM ends it."""
    fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    for attempt in range(4):
        time.sleep(0.05)
        # Leaves a search, a question, a paste that has no end, and vi's command mode.
        for keys in ("\x1b[201~", "\x03", "\x03"):
            terminal.type(keys)
            time.sleep(0.05)
        while terminal._read(0.05):
            pass
        terminal.seen = len(terminal.text)
        try:
            terminal.type("print(kept * 2)\r")
            terminal.expect("keptkept", 4)
            break
        except AssertionError:
            if attempt == 3:
                raise
    os.kill(terminal.pid, signal.SIGTERM)
    status = terminal.wait(5)
    return "" if status == -signal.SIGTERM else f"it ended with {status}"


def shorter(program, steps, vi):
    """A part of the steps that still fails; each try costs a second."""
    end = time.monotonic() + 60
    size = len(steps) // 2
    while size and time.monotonic() < end:
        for at in range(0, len(steps), size):
            rest = steps[:at] + steps[at + size:]
            if play(program, rest, vi):
                steps = rest
                break
        else:
            size //= 2
    return steps


def main():
    program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("TILELAB_SEED") or time.time())
    end, rounds, typed = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        steps, vi = steps_of(seed + rounds)
        wrong = play(program, steps, vi)
        if wrong:
            print(f"FAILED with seed {seed + rounds}{' in vi mode' if vi else ''}: {wrong}")
            print(shorter(program, steps, vi))
            return 1
        rounds += 1
        typed += len(steps)
    print(f"{rounds} shells, {typed} steps, none ended, no variable lost; seeds from {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
