# SPDX-License-Identifier: Apache-2.0
"""Cells from a pipe: no prompt, no banner, results shown, the end at the first error."""

import os
import shutil
import signal
import subprocess
import time

from terminal import SANITIZED


def _pipe(program, text, *arguments):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_cells_show_their_values(program):
    assert _pipe(program, "1 + 1\nx = 5\nprint(x)\n%target mp_22\n") == (0, "2\n5\ntarget mp_22\n", "")


def test_blocks_may_contain_empty_lines(program):
    text = "def f(a):\n    b = a\n\n    return b\n# done\n\nprint(f(4))\nif 0:\n  1\nelse:\n  print(2)\n"
    assert _pipe(program, text) == (0, "4\n2\n", "")
    assert _pipe(program, 's = """\nabc\n"""\nlen(s)\n') == (0, "5\n", "")
    assert _pipe(program, "%%timeit -q -n 1 -r 1\nx = 1\ny = 2\n\nprint('after')\n") == (
        0, "after\n", "")
    assert _pipe(program, "@staticmethod\ndef f():\n  pass\nprint(1)") == (0, "1\n", "")


def test_a_line_in_another_encoding_ends_it(program):
    done = subprocess.run([program], input=b"# -*- coding: latin-1 -*-\nprint(1)\nprint('\xe9')\n", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (
        1, b"1\n", b"tilelab: line 3 of the standard input is not UTF-8; run a program in another encoding as tilelab -\n")


def test_first_error_ends_it(program):
    status, out, error = _pipe(program, "print(1)\n1/0\nprint(2)\n")
    assert (status, out) == (1, "1\n")
    assert error == ("Traceback (most recent call last):\n  cell 2, line 1\n    1/0\n"
                     "ZeroDivisionError: division by zero\n")
    assert _pipe(program, "1/0\nprint(2)\n", "--keep-going")[:2] == (1, "2\n")


_LEFT = """import asyncio, os
async def f():
    try: await asyncio.sleep(20)
    finally: print("ended", os.getpid() > 0)

"""


def test_a_task_that_is_left_ends_with_the_session(program):
    assert _pipe(program, _LEFT + "left = asyncio.create_task(f())\n") == (0, "ended True\n", "")
    status, out, error = _pipe(program, _LEFT + "loop = asyncio.new_event_loop()\nleft = loop.create_task(f())\n"
                               "loop.run_until_complete(asyncio.sleep(0.01))\n")
    assert (status, out) == (0, "ended True\n")
    assert error.startswith("Task was destroyed but it is pending!\n"), error  # as Python says it


def test_objects_end_while_all_of_python_is_there(program):
    text = """import atexit, os
class Kept:
    def __del__(self): print("ended", os.getpid() > 0)

kept = Kept()
[Kept()];
_ = atexit.register(lambda: print("at exit", kept is not None))
"""
    assert _pipe(program, text) == (0, "ended True\nat exit True\nended True\n", "")
    with open("p.py", "w") as file:
        file.write(text)
    done = subprocess.run([program, "p.py"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended True\nat exit True\nended True\n", "")


def test_status_of_exit(program):
    assert _pipe(program, "exit(4)\nprint(1)\n") == (4, "", "")
    assert _pipe(program, "import sys; sys.exit(6)\n")[0] == 6


def test_input_reads_the_following_line(program):
    assert _pipe(program, "x = input()\nhello\nprint(x)\n") == (0, "hello\n", "")


def test_no_history_is_written(program):
    _pipe(program, "x = 1\n")
    assert not os.path.exists(os.environ["XDG_STATE_HOME"])


def test_order_of_python_and_child_output(program):
    status, out, _ = _pipe(program, "print('a')\n!echo b\nprint('c')\nimport os\n_ = os.system('echo d')\n")
    assert (status, out) == (0, "a\nb\nc\nd\n")


def test_interrupt_gives_130(program):
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    child.stdin.write("print('go', flush=True)\nwhile True: pass\nx = 1\n")
    child.stdin.flush()
    assert child.stdout.readline() == "go\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=20)
    assert child.returncode == 130 and "KeyboardInterrupt" in error


def test_a_container_without_proc(program):
    without = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc"]
    if SANITIZED:
        print("skipped: a sanitizer reads /proc itself")
        return
    if shutil.which("bwrap") is None or subprocess.run([*without, "true"], capture_output=True).returncode:
        print("skipped: no permission to unmount /proc (apt install bubblewrap; allow user namespaces)")
        return
    done = subprocess.run([*without, program], input="import tilelang.language as T\nT.float16.bits\n", capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "16\n", ""), done
