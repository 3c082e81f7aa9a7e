# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while the shell simulates or compiles a kernel."""

import os
import sys
import time

from terminal import SOON, Terminal, patience

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import stopping  # noqa: E402

KERNELS = ("import numpy as np, tilelang, tilelang.language as T\n" + stopping.KERNELS + stopping.UNROLLED
           + 'x = np.zeros(32, "int32"); kept = 5; print("ready")')


def _shell(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.paste(KERNELS)
    terminal.type("\r")
    terminal.expect(r"\nready\n")
    terminal.prompt()
    return terminal


def _interrupt(terminal, line, begun=None):
    """Types the line, then Ctrl-C: when it has said `begun`, or when an endless kernel is well under way. Gives what was
    shown and the seconds until the prompt."""
    terminal.type(line + "\r")
    terminal.expect(f"\n{begun or ''}")
    if not begun:
        time.sleep(0.3 * patience())
    begun = time.monotonic()
    terminal.type("\x03")
    shown = terminal.prompt()
    return shown, time.monotonic() - begun


def _still_works(terminal):
    assert terminal.run("count(x); print(kept, x[31])") == "5 31\n"


def test_an_endless_kernel_at_each_level(program):
    terminal = _shell(program)
    for level in ("tile", "thread", "flat"):
        terminal.run(f"%device sim:{level}")
        shown, took = _interrupt(terminal, "endless(x)")
        assert "KeyboardInterrupt: kernel endless, after 1 of 3 blocks" in shown, shown
        assert took < SOON, took
        _still_works(terminal)
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_check_is_interrupted_too(program):
    terminal = _shell(program)
    shown, took = _interrupt(terminal, "%check endless(x)")
    assert "KeyboardInterrupt" in shown and took < SOON, (shown, took)
    _still_works(terminal)


def test_an_interrupt_that_the_cell_caught_does_not_end_the_next_kernel(program):
    terminal = _shell(program)
    # Not `while True: pass`: Python 3.11's tables of exceptions leave its jump out.
    for work in ("for _ in iter(int, 1): pass", "endless(x)"):
        terminal.paste(f"try:\n    {work}\nexcept KeyboardInterrupt:\n    count(x); print('caught', x[31])")
        terminal.type("\r")
        terminal.expect(r"x\[31\]\)\n")
        time.sleep(0.3)
        terminal.type("\x03")
        assert "caught 31\n" in terminal.prompt()
    _still_works(terminal)


def test_a_compile_time_loop(program):
    terminal = _shell(program)
    shown, took = _interrupt(terminal, "unrolled(x, Announced(10**6))", "begun\n")
    assert "KeyboardInterrupt: while compiling kernel unrolled" in shown, shown
    assert took < SOON, took
    _still_works(terminal)
