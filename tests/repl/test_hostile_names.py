# SPDX-License-Identifier: Apache-2.0
"""No name, path, argument or message makes a terminal act: control sequences in them are shown escaped."""

import os
import re
import subprocess

from terminal import Terminal

SEQUENCE = "\x1b]0;pwned\x07\x1b[2J"
# They ask, leave, start programs, or run code that is timed.
LEFT_OUT = {"bench", "dbg", "debug", "edit", "exit", "pip", "puzzle", "quit", "reset", "clear", "cls", "system", "sx", "sc", "matplotlib", "rerun", "load", "paste", "recall", "rep"}


def _harmless(raw, what):
    text = re.sub(rb"\x1b\[[0-9;]*m", b"", raw)
    for part in (b"\x1b]", b"\x1b[2J", b"\x07", b"\x9b", b"\x8d"):
        assert part not in text, (what, raw[max(0, raw.find(part) - 300):][:600])


def _shell(program, directory="."):
    """No `;` in the name: %ls and its like hand it to $SHELL, and what that says of a second command is its own (dash quotes nothing)."""
    terminal = Terminal(program, "-q", directory=directory)
    terminal.prompt()
    terminal.run(r"bad = 'a\x1b]0pwned\x07\x1b[2J\x9b2J'")
    return terminal


def _commands(program):
    done = subprocess.run([program], input="import _tilelab_host\nprint(*[row['name'] for row in _tilelab_host.commands()])\n",
                          text=True, capture_output=True)
    return [name for name in done.stdout.split() if name not in LEFT_OUT]


def test_arguments_of_all_commands(program):
    names = _commands(program)
    assert len(names) > 50, names
    terminal = _shell(program)
    for name in names:
        terminal.forget()
        terminal.type(f"get_ipython().run_line_magic('{name}', bad)\r")
        terminal.prompt()
        _harmless(terminal.raw, name)


def test_names_and_messages_of_objects(program):
    terminal = _shell(program)
    for cell in ("kind = type(bad, (), {'__doc__': bad, '__module__': bad}); q = kind()", "q", "kind", "[q]", "%whos", "%who", "q?", "q??", "kind?", "q.x", "kind(1)",
                 "raise type(bad, (Exception,), {})(bad)", "raise ValueError(bad)", "{}[bad]", "import os; os.stat(bad)", "open(bad)",
                 "compile('1 +', bad, 'exec')", "exec(compile('1/0', bad, 'exec'))", "%run $bad", "%load $bad", "%cd $bad", "%history -g $bad",
                 "%explain $bad", "%target $bad", "%device $bad", "%nothing $bad", "vars()[bad] = 3", "%whos"):
        terminal.forget()
        terminal.type(cell + "\r")
        terminal.prompt()
        _harmless(terminal.raw, cell)


def test_file_names_at_tab(program):
    os.mkdir("names")
    for name in ("aa" + SEQUENCE + "x", "aa\nprint('injected')", "ab", "aé", "a\x9bb"):
        open(os.path.join("names", name), "w").close()
    terminal = _shell(program, "names")
    for keys in ("open('a\t\t", "%run a\t\t", "!cat a\t\t", "%cd \t\t", "%load aa\t\t"):
        terminal.forget()
        terminal.type(keys)
        terminal.wait_for_silence()
        _harmless(terminal.raw.replace(b"\x07", b""), keys)  # readline rings where nothing matches
        assert b"injected" not in terminal.raw
        terminal.type("\x03")
        terminal.prompt()
    terminal.type("open('a\t")
    terminal.expect("aé")


def test_programs_of_the_command_line(program):
    ir = os.path.join("bad" + SEQUENCE + ".ir")
    with open(ir, "w") as file:
        file.write("func @" + SEQUENCE + "(A: " + SEQUENCE + ")\n")
    for arguments in (["compile", ir], ["check", ir], ["compile", ir + ":k"], ["compile", "no" + SEQUENCE], ["check", "no" + SEQUENCE], [SEQUENCE],
                      ["no" + SEQUENCE + ".py"], ["--" + SEQUENCE], ["explain", SEQUENCE], ["compile", "--target=" + SEQUENCE, ir],
                      ["kernel", "-f", SEQUENCE], ["install-kernel", "--name", SEQUENCE], ["check", "--" + SEQUENCE], ["completions", SEQUENCE]):
        done = subprocess.run([program, *arguments], capture_output=True, timeout=60)
        _harmless(done.stdout + done.stderr, arguments)
        assert done.returncode != 0
