# SPDX-License-Identifier: Apache-2.0
"""%dbg at a terminal: it asks, and however it ends the session is whole."""

import os
import sys

from terminal import Terminal

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import commands  # noqa: E402


def _session(program):
    terminal = Terminal(program, "-q", columns=80)
    terminal.prompt()
    terminal.paste(commands.CELLS[0][0] + "\na = np.ones((64, 32), np.float32)\n")
    terminal.type("\r")
    terminal.prompt()
    return terminal


def _ask(terminal, line):
    start = terminal.seen
    terminal.type(line + "\r")
    terminal.expect(r"\n\(dbg\) ")
    return terminal.text[start:]


def test_dbg_steps_and_ends(program):
    terminal = _session(program)
    assert "0: line 7: T.copy(A[bx * 32, 0], x)" in _ask(terminal, "%dbg k(a)")
    assert "1: line 9:" in _ask(terminal, "s")
    assert "2: line 10:" in _ask(terminal, "")  # an empty line repeats the last one
    assert "array([32., 32.]" in _ask(terminal, "p r[:2]")
    assert "array([32., 32.]" in _ask(terminal, "r[:2]\x01p ")  # Ctrl-A: commands are edited like cells
    assert "1: line 9:" in _ask(terminal, "back")
    assert "unknown command x; help lists them" in _ask(terminal, "x")
    terminal.type("q\r")
    terminal.prompt()
    assert "(64, 32)" in terminal.run("a.shape")


def test_dbg_ended_by_an_interrupt_or_the_end_of_input_leaves_the_session_whole(program):
    terminal = _session(program)
    for leave in (terminal.interrupt, lambda: terminal.type("\x04")):
        _ask(terminal, "%dbg k(a)")
        leave()
        terminal.prompt()
        assert "42" in terminal.run("6 * 7")
    assert "32." in terminal.run("k(a)")
