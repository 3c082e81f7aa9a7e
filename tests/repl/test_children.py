# SPDX-License-Identifier: Apache-2.0
"""Programs that the shell starts at its terminal: what Ctrl-C does to them, and their remains."""

import os
import subprocess
import time

from terminal import Terminal


def _shell(program, **environment):
    terminal = Terminal(program, "-q", environment={"SHELL": "/bin/bash", **environment})
    terminal.prompt()
    return terminal


def _program(name, text):
    with open(name, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(name, 0o755)
    return os.path.abspath(name)


def test_ctrl_c_is_the_childs_where_it_has_a_use_for_it(program):
    _program("own", "trap 'echo own use' INT\necho it is up\nfor i in 1 2 3 4 5 6; do sleep 1; done\necho its end\n")
    terminal = _shell(program)
    terminal.type("!./own\r")
    terminal.expect("\nit is up\n")
    for _ in range(3):
        time.sleep(0.2)
        terminal.type("\x03")
        terminal.expect("own use\n")
    terminal.expect("its end\n")
    shown = terminal.prompt()
    assert "KeyboardInterrupt" not in shown, shown
    assert terminal.run("6 * 7") == "42\n"


def test_ctrl_c_in_an_editor_costs_nothing(program):
    editor = _program("editor", "trap 'echo escape' INT\necho it is up\nsleep 3\necho 6 '*' 7 > $1\n")
    terminal = _shell(program, EDITOR=editor)
    terminal.type("%edit\r")
    terminal.expect("\nit is up\n")
    terminal.type("\x03")
    terminal.expect("\n42\n")


def test_a_child_that_dies_of_ctrl_c_interrupts_the_cell(program):
    terminal = _shell(program)
    for command, last in (("!sleep 60\r", "sleep 60"), ("%%bash\rsleep 60\r\r", "sleep 60\n.*"),
                          ("%%script sleep 60\r1\r\r", "1\n.*")):
        for i in range(25):  # before the child is there, while it is made, and just after its end
            terminal.type(command)
            terminal.expect(last + "\n")
            time.sleep(0.002 + i * 0.004)
            terminal.type("\x03")
            terminal.expect("KeyboardInterrupt")
            terminal.prompt()


def test_a_child_that_begins_after_ctrl_c_gets_it(program):
    terminal = _shell(program)
    terminal.run("import os; due = [2]")
    terminal.run("os.register_at_fork(before=lambda: due and os.kill(0, due.pop()))")
    terminal.type("!sleep 60\r")
    terminal.expect("KeyboardInterrupt")
    terminal.prompt()
    assert terminal.run("!echo again") == "again\n"


def test_a_killed_child_leaves_no_raw_terminal(program):
    _program("raw", "stty raw -echo; kill -9 $$\n")
    terminal = _shell(program)
    terminal.run("!./raw")
    terminal.type("print('one\\ntwo')\r")
    terminal.prompt()
    assert b"one\r\ntwo\r\n" in terminal.raw, terminal.raw


def test_an_editor_that_fails_leaves_the_cell_as_it_was(program):
    for editor, said in (("false", "editor false: it ended with status 1; the cell is unchanged"),
                         ("/no/such", "editor /no/such: program not found; set EDITOR; the cell is unchanged")):
        terminal = _shell(program, EDITOR=editor, LC_ALL="C.UTF-8")
        terminal.type("6 * 7\x18\x05")
        terminal.expect(said.replace("/", "\\/") + "\n")
        terminal.type(" + 1\r")
        terminal.expect("\n43\n")
        terminal.prompt()


def test_v_in_vis_command_mode_opens_the_editor(program):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\n")
    editor = _program("editor", "sed -i s/7/8/ $1\n")
    terminal = _shell(program, EDITOR=editor, INPUTRC="inputrc")
    terminal.type("6 * 7\x1b")
    terminal.wait_for_silence()
    terminal.type("v")
    terminal.expect(r"6 \* 8")
    terminal.type("\r")
    terminal.expect("\n48\n")


def _only(*names):
    """A directory of programs, for PATH."""
    os.makedirs("only", exist_ok=True)
    for name in names:
        _program(f"only/{name}", f"exec /bin/{name} \"$@\"\n")
    return os.path.abspath("only")


def test_without_a_pager_long_text_is_shown(program):
    for pager in ("", "less", "/no/such --pager"):
        terminal = Terminal(program, "-q", rows=10, environment={"PAGER": pager, "PATH": _only("cat")})
        terminal.prompt()
        terminal.type("%help\r")
        shown = terminal.prompt()
        assert "%layout" in shown and "name?" in shown and ("not found" in shown) == bool(pager), shown


def test_a_dumb_terminal_has_no_pager(program):
    pager = _program("pager", "echo PAGED; cat\n")
    terminal = Terminal(program, "-q", rows=10, environment={"PAGER": pager, "TERM": "dumb"})
    terminal.prompt()
    assert "PAGED" not in terminal.run("%help")


def test_less_shows_colours_and_leaves_short_text_where_nothing_else_is_said(program):
    pager = _program("pager", "echo \"LESS is $LESS\"\n")
    for environment, said in (({}, "FRX"), ({"LESS": "-S"}, "-S")):
        terminal = Terminal(program, "-q", rows=10, environment={"PAGER": pager, **environment})
        terminal.prompt()
        assert f"LESS is {said}\n" in terminal.run("%help")


def test_programs_in_the_background_end_with_the_shell(program):
    text = ("import os\n%%bash --bg\necho $$ > pid; exec sleep 600\n\n"
            "while not os.path.exists('pid') or not open('pid').read(): pass\n\nprint(open('pid').read())\n")
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=60)
    pid = int(done.stdout)
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    raise AssertionError(f"{pid} is still there")
