# SPDX-License-Identifier: Apache-2.0
"""The shell at a terminal."""

import json
import os
import signal
import time

from terminal import Terminal


def _shell(program, *arguments, **options):
    terminal = Terminal(program, "-q", *arguments, **options)
    terminal.prompt()
    return terminal


def _leave(terminal):
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_banner_and_numbered_prompt(program):
    terminal = Terminal(program)
    terminal.expect(r"tilelab \d+\.\d+\.\d+, Python 3\.\d+")
    terminal.expect(r"\ndevice: (simulator \(no GPU driver found\), target: mp_31|cuda, if it has a GPU); %device and %target select others")
    terminal.expect(r"tl\[1\]> $")
    assert terminal.run("40 + 2") == "42\n"
    assert terminal.text.endswith("tl[2]> ")
    _leave(terminal)


def test_banner_names_the_default_target(program):
    terminal = Terminal(program, environment={"TILELANG_DEFAULT_TARGET": "sm_80"})
    terminal.expect(r"\ndevice: (simulator \(no GPU driver found\), target: sm_80|cuda, if it has a GPU); %device")
    terminal.expect(r"tl\[1\]> $")
    _leave(terminal)


def test_enter_in_a_search_runs_the_whole_cell(program):
    terminal = _shell(program)
    terminal.run("needle = 5")
    terminal.paste("for i in range(2):\n    print('turn', needle + i)")
    terminal.type("\r")
    terminal.expect(r"turn 5\nturn 6\n")
    terminal.prompt()
    terminal.type("\x12needle + i\r")
    terminal.expect(r"turn 5\nturn 6\n")
    terminal.prompt()
    _leave(terminal)


def test_typed_block_ends_with_an_empty_line(program):
    terminal = _shell(program)
    terminal.type("def f(a):\r")
    terminal.expect(r"\n   \.\.\.     ?$")  # the indentation is offered
    terminal.type("return a + 1\r")
    terminal.expect(r"\n   \.\.\. $")
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("f(2)") == "3\n"
    _leave(terminal)


def test_pasted_block_runs_as_one_cell(program):
    terminal = _shell(program)
    terminal.paste("def f(a):\n\tb = a\n\n\treturn b * 2\nprint(f(21))")
    terminal.type("\r")
    assert terminal.prompt().endswith("\n42\n")
    terminal.expect("") and terminal.text.endswith("tl[2]> ")
    # A paste after a typed header drops the indentation that the prompt offered.
    terminal.type("def g():\r")
    terminal.expect(r"\.\.\.     ?$")
    terminal.paste("    x = 1\n    return x\n")
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("g()") == "1\n"
    _leave(terminal)


def test_error_keeps_the_session(program):
    terminal = _shell(program)
    terminal.run("kept = 5")
    assert terminal.run("1/0") == (
        "Traceback (most recent call last):\n  cell 2, line 1\n    1/0\n"
        "ZeroDivisionError: division by zero\n")
    assert terminal.run("kept") == "5\n"
    _leave(terminal)


def test_interrupt_ends_loop_sleep_input_and_line(program):
    terminal = _shell(program)
    for code in ("while True: pass", "import time; time.sleep(60)", "input('? ')"):
        terminal.type(code + "\r")
        terminal.expect(r"\n" if "input" not in code else r"\n\? ")
        time.sleep(0.3)
        start = time.monotonic()
        terminal.type("\x03")
        terminal.expect("KeyboardInterrupt")
        assert time.monotonic() - start < 1
        terminal.prompt()
    terminal.type("half a li")
    terminal.expect("half a li")
    terminal.type("\x03")
    terminal.prompt()
    assert terminal.run("'whole'") == "'whole'\n"
    terminal.type("def f():\r")
    terminal.expect(r"\.\.\.     ?$")
    terminal.type("\x03")
    terminal.prompt()
    _leave(terminal)


def test_end_of_file_gives_a_block_up_before_it_leaves(program):
    terminal = _shell(program)
    terminal.type("if True:\r")
    terminal.expect(r"\.\.\.     ?$")
    terminal.type("\x04")
    terminal.prompt()
    _leave(terminal)


def test_input_and_password(program):
    terminal = _shell(program)
    terminal.type("input('name? ')\r")
    terminal.expect(r"\nname\? ")
    terminal.type("Ada\r")
    assert terminal.prompt().endswith("'Ada'\n")
    terminal.type("import getpass; getpass.getpass('word: ')\r")
    terminal.expect(r"\nword: ")
    terminal.type("secret\r")
    assert terminal.prompt() == "\n'secret'\n"  # shown by the result only
    _leave(terminal)


def test_help_of_an_object_breaks_between_words(program):
    for columns in (40, 80):
        terminal = _shell(program, columns=columns)
        terminal.run("import tilelang.language as T")
        shown = terminal.run("T.copy?").split("\n")
        assert all(len(line) <= columns or " " not in line.strip() for line in shown), shown
        assert "eviction_policy=None," in " ".join(shown).split()
        _leave(terminal)


def test_completion_extends_and_lists(program):
    terminal = _shell(program)
    terminal.run("import threading")
    terminal.type("threading.Thr\t")
    terminal.expect("threading.Thread")
    terminal.type("('x'\x03")
    terminal.prompt()
    terminal.type("%time\t")
    terminal.expect(r"%timeit +\[-n N\]")
    terminal.type("\x03")
    terminal.prompt()
    terminal.type("%device sim:th\t")
    terminal.expect("sim:thread")
    terminal.type("\r")
    assert terminal.prompt() == "\ndevice sim:thread\n"
    _leave(terminal)


def test_history_recalls_whole_blocks_in_the_next_session(program):
    terminal = _shell(program)
    terminal.paste("def f():\n  return '#7'")
    terminal.type("\r")
    terminal.prompt()
    terminal.run(" secret = 1")
    terminal.run("f()")
    _leave(terminal)
    terminal = _shell(program)
    terminal.type("\x1b[A\x1b[A")  # up twice: the secret was not kept
    terminal.expect(r"return '#7'")
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("f()") == "'#7'\n"
    _leave(terminal)


def test_text_of_other_threads_comes_above_the_prompt(program):
    terminal = _shell(program)
    terminal.run("import threading")
    terminal.run("threading.Timer(0.3, lambda: print('from a thread')).start()")
    terminal.type("6 * ")
    terminal.expect("from a thread")
    terminal.expect(r"6 \* ")  # the line is drawn again
    terminal.type("7\r")
    assert terminal.prompt().endswith("42\n")
    _leave(terminal)


def test_stop_and_continue(program):
    # Under a shell with job control: a stopped process needs a parent that controls it.
    terminal = Terminal("/bin/bash", "--norc", "-i", environment={"XDG_STATE_HOME": ""})
    terminal.expect(r"\$ $")
    terminal.type(f"{program} -q\r")
    terminal.prompt()
    terminal.type("6 *")
    terminal.expect(r"6 \*")
    terminal.type("\x1a")
    terminal.expect(r"Stopped")
    terminal.expect(r"\$ $")
    terminal.type("echo its prompt\r")
    terminal.expect(r"\nits prompt\n")
    terminal.type("fg\r")
    terminal.expect(r"tl\[1\]> 6 \*")
    terminal.type(" 7\r")
    assert terminal.prompt().endswith("42\n")
    terminal.type("\x04")
    terminal.expect(r"\$ $")
    terminal.type("exit\r")
    terminal.wait()


def test_signals_end_it_and_the_history_is_kept(program):
    for number in (signal.SIGTERM, signal.SIGHUP):
        terminal = _shell(program)
        terminal.run(f"marker_{int(number)} = 1")
        os.kill(terminal.pid, number)
        assert terminal.wait() == -number
        with open(os.environ["XDG_STATE_HOME"] + "/tilelab/history") as file:
            assert f"marker_{int(number)} = 1" in file.read()


def test_exit_status_and_quit(program):
    terminal = _shell(program)
    terminal.type("exit(7)\r")
    assert terminal.wait() == 7
    terminal = _shell(program)
    terminal.run("import sys")
    assert "SystemExit: 3" in terminal.run("sys.exit(3)")
    terminal.type("quit\r")
    assert terminal.wait() == 0


def test_commands_shell_and_help(program):
    terminal = _shell(program)
    assert terminal.run("!echo out; echo err >&2") == "out\nerr\n", terminal.text
    assert terminal.run("x = !echo one; echo two") == ""
    assert terminal.run("x") == "['one', 'two']\n"
    assert terminal.run(":target mp_22") == "target mp_22\n"
    assert "did you mean %target?" in terminal.run(":targe")
    assert "signature: len(obj, /)" in terminal.run("len?")
    assert terminal.run("import os; os.system('echo child')") == "child\n0\n"
    _leave(terminal)


def test_load_puts_a_file_into_the_prompt(program):
    with open("a.py", "w") as file:
        file.write("v = 9\nprint(v)\n")
    terminal = _shell(program)
    terminal.type("%load a.py\r")
    terminal.expect(r"v = 9\n   \.\.\. print\(v\)")
    terminal.type("\r")
    assert terminal.prompt().endswith("\n9\n")
    _leave(terminal)


def test_init_file_runs_first(program):
    os.makedirs(os.environ["XDG_CONFIG_HOME"] + "/tilelab")
    with open(os.environ["XDG_CONFIG_HOME"] + "/tilelab/init.py", "w") as file:
        file.write("from_init = 11\n")
    terminal = _shell(program)
    assert terminal.run("from_init") == "11\n"
    _leave(terminal)
    terminal = _shell(program, "-n")
    assert "NameError" in terminal.run("from_init")
    _leave(terminal)


def test_color_only_when_wanted(program):
    terminal = _shell(program)
    terminal.run("1/0")
    assert b"\x1b[31m" not in terminal.raw and b"\x1b[1;31m" not in terminal.raw
    _leave(terminal)
    terminal = _shell(program, "--color=always")
    terminal.run("1/0")
    assert b"\x1b[1;31mZeroDivisionError" in terminal.raw
    _leave(terminal)


def _cells(terminal):
    for line in ("a = 6", "a * 7", "def f():\n    return a + 1"):
        terminal.paste(line)
        terminal.type("\r")
        terminal.prompt()


def test_save_and_load_of_scripts_and_notebooks(program):
    terminal = _shell(program)
    _cells(terminal)
    assert terminal.run("%save one 1-2") == "wrote one.py, 2 lines\n"
    assert open("one.py").read() == "a = 6\na * 7\n"
    assert terminal.run("%save -a one 3") == "wrote one.py, 2 lines\n"
    assert open("one.py").read() == "a = 6\na * 7\ndef f():\n    return a + 1\n"
    assert terminal.run("%save all.ipynb") == "wrote all.ipynb, 5 cells\n"
    with open("all.ipynb") as file:
        notebook = json.load(file)
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "tilelab")
    assert "".join(notebook["cells"][2]["source"]) == "def f():\n    return a + 1"
    assert notebook["cells"][1]["outputs"][0]["data"]["text/plain"] == ["42"]
    notebook["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "text"]})
    del notebook["cells"][4:]
    with open("all.ipynb", "w") as file:
        json.dump(notebook, file)
    terminal.type("%load all.ipynb\r")
    terminal.expect(r"# # Title\n   \.\.\. # text\n")
    terminal.wait_for_silence()
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("f()") == "7\n"
    assert "is not a notebook" in terminal.run("!echo no > bad.ipynb") + terminal.run("%load bad.ipynb")
    _leave(terminal)


def test_a_session_is_restored_from_the_history(program):
    terminal = _shell(program)
    _cells(terminal)
    terminal.run("1/0")
    terminal.run("b = f()")
    _leave(terminal)
    terminal = _shell(program)
    shown = terminal.run("%rerun ~1/")
    assert "42\n" in shown and "ZeroDivisionError" in shown and "5 cells ran again; failed: 4" in shown, shown
    assert terminal.run("(a, b)") == "(6, 7)\n"
    assert terminal.run("a = 0; b = 0") == ""
    assert terminal.run("%rerun ~1/1 ~1/5") .endswith("2 cells ran again\n")
    assert terminal.run("(a, b)") == "(6, 7)\n"
    assert "there is no cell 99" in terminal.run("%rerun 99")
    _leave(terminal)


def test_a_cell_that_takes_the_session_with_it(program):
    terminal = _shell(program)
    terminal.run("a = 41")
    terminal.run("import ctypes, os, sys")
    terminal.run("os.fork() or ctypes.string_at(0)")  # a child's fault is not ours
    terminal.type("ctypes.string_at(0)\r")
    said = "cell 4 has ended the session; in a new session %rerun ~1/1-3 runs the cells before it\n"
    terminal.expect(said)
    assert terminal.wait() == -signal.SIGSEGV and terminal.text.count("has ended") == 1, terminal.text
    terminal = _shell(program)
    assert terminal.run("%rerun ~1/1-3").endswith("3 cells ran again\n")
    assert terminal.run("a + 1") == "42\n"
    terminal.type("sys.setrecursionlimit(10**9); (f := lambda: [*map(lambda _: f(), [0])])()\r")  # no stack is left
    terminal.expect("cell 3 has ended the session")
    assert terminal.wait() == -signal.SIGSEGV


def test_long_text_goes_to_the_pager_and_short_text_does_not(program):
    with open("pager", "w") as file:
        file.write("#!/bin/sh\necho PAGED; cat\n")
    os.chmod("pager", 0o755)
    for rows, paged in ((10, True), (2000, False)):
        terminal = _shell(program, rows=rows, environment={"PAGER": os.path.abspath("pager")})
        for command in ("%help", "%passes", "%pwd --help", "%pwd"):
            assert ("PAGED" in terminal.run(command)) == (paged and command != "%pwd"), (rows, command)
        _leave(terminal)
    terminal = _shell(program, rows=8, environment={"PAGER": "cat"})
    assert terminal.run("%passes").endswith("predicates\n")  # the prompt is on a separate line
    _leave(terminal)
    terminal = _shell(program, "--no-pager", rows=10, environment={"PAGER": os.path.abspath("pager")})
    assert "PAGED" not in terminal.run("%help")
    _leave(terminal)
