# SPDX-License-Identifier: Apache-2.0
"""Changes of Python by a user's cells and files do not affect the session's own code."""


import os
import subprocess


SHADOWED = ("traceback", "linecache", "tokenize", "re", "inspect", "warnings", "io", "json", "types",
            "textwrap", "keyword", "pprint", "runpy")


def _pipe(program, text, *arguments):
    done = subprocess.run([program, "--keep-going", *arguments], input=text, capture_output=True,
                          text=True, timeout=60)
    assert "a bug in tilelab" not in done.stderr, done.stderr
    return done.stdout, done.stderr


def test_replaced_builtins_break_no_later_cell(program):
    for name in ("len", "isinstance", "str", "compile", "eval", "print", "type", "range", "open",
                 "getattr", "__import__", "list", "Exception", "BaseException"):
        out, error = _pipe(program, f"kept = 6\nimport builtins\nbuiltins.{name} = 5\nkept * 7\n1/0\n"
                                    "%target\nkept\n")
        assert out.startswith("42\n") and out.endswith("\n6\n"), (name, out, error)
        assert "ZeroDivisionError: division by zero" in error, (name, error)


def test_files_named_like_the_standard_library(program):
    for name in SHADOWED:
        with open(name + ".py", "w") as file:
            file.write(f"print('the wrong {name}')\n")
    out, error = _pipe(program, "1/0\nlen?\n{'a': 1}\n%target\nx = 5 # ;\nx\nimport pprint\n")
    assert "ZeroDivisionError" in error and "signature: len(obj, /)" in out, (out, error)
    # The user's own import still gets the user's own file, as in Python.
    assert out.count("the wrong") == 1 and out.endswith("the wrong pprint\n"), out
    with open("s.py", "w") as file:
        file.write("1/0\n")
    done = subprocess.run([program, "s.py"], capture_output=True, text=True)
    assert done.stdout == "" and done.stderr.endswith("ZeroDivisionError: division by zero\n"), done


KERNEL = """
import numpy as np
import tilelang
import tilelang.language as T
@tilelang.jit
def add(n: int = 32):
    @T.prim_func
    def main(a: T.Tensor((n,), "float32"), b: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                b[i] = a[i] + 1
    return main
"""


def test_tilelab_thrown_out_of_sys_modules_comes_back(program):
    with open("k.py", "w") as file:
        file.write(KERNEL)
    throw_out = ("import sys\nfor name in list(sys.modules):\n"
                 "  if name.startswith(('tilelab', 'tilelang')): del sys.modules[name]\n")
    run = "a = np.ones(32, 'float32'); b = np.zeros(32, 'float32'); add()(a, b); print(b.sum())\n"
    text = ("%run k.py\n" + run + throw_out + "%target\n1/0\nlen?\n%kernels\n" + throw_out +
            "import tilelang\nprint('tilelab' in sys.modules)\n%run k.py\n" + run + "%ir add\n")
    out, error = _pipe(program, text)
    assert out.count("64.0") == 2 and "True" in out and "signature: len" in out, (out, error)
    assert error.count("Traceback") == 1 and "ZeroDivisionError" in error, error


def test_forked_children_end_with_the_cell_and_their_output_comes(program):
    text = ("import os, sys, multiprocessing, time\nkept = 1\n"
            "def child(what):\n"
            "  pid = os.fork()\n"
            "  if pid == 0:\n"
            "    print('from the child', flush=False)\n"
            "    if what == 'raise': raise ValueError('expected')\n"
            "    if what == 'exit': sys.exit(7)\n"
            "    return\n"
            "  print(what, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n\n"
            "child('return')\nchild('raise')\nchild('exit')\n"
            "p = multiprocessing.Process(target=print, args=('from a process',))\np.start(); p.join()\n"
            "p = multiprocessing.Process(target=time.sleep, args=(60,))\n"
            "p.start(); time.sleep(0.1); p.terminate(); p.join(); print(p.exitcode)\n"
            "kept\n")
    out, error = _pipe(program, text)
    assert out == ("from the child\nreturn 0\nfrom the child\nraise 1\nfrom the child\nexit 7\n"
                   "from a process\n-15\n1\n"), (out, error)
    assert error.count("ValueError: expected") == 1, error


def test_deleted_streams_come_back_with_the_next_cell(program):
    out, error = _pipe(program, "import sys\ndel sys.stdout\n1 + 1\ndel sys.stderr, sys.stdin\nprint(3)\n!echo four\nx = !echo five\nx\n"
                                "del sys.stdout; 1/0\nprint('six')\n")
    assert out == "2\n3\nfour\n['five']\nsix\n", (out, error)
    assert error.count("Traceback") == 1 and "ZeroDivisionError" in error, error


def test_files_of_the_state_are_the_users_alone(program):
    state = os.environ["XDG_STATE_HOME"] + "/tilelab"
    os.umask(0)
    os.makedirs(state, mode=0o755)  # not made by tilelab
    out, error = _pipe(program, "kept = 1\n%store kept\n%hint 1\n")
    assert not error, error
    for name in ("store", "store/kept.pickle", "puzzles.json"):
        assert os.stat(f"{state}/{name}").st_mode & 0o077 == 0, name
    assert sorted(os.listdir(f"{state}/store")) == ["kept.pickle"]


def test_completion_of_a_long_line_is_fast_and_interruptible(program):
    code = ("import time, threading\n"
            "from tilelab._session import complete, shell\n"
            "words = ['a' * 20000, 'x = [' + '1, ' * 6000 + 'threading.Thr', 'f(' * 9000, \"d['\" * 5000,\n"
            "         '\\n' * 20000 + 'thr', '\"' * 20001, 'import ' + 'a, ' * 6000, 'a.' * 9000, ' ' * 20000,\n"
            "         'from x import ' + 'a, ' * 6000, 'aa ' * 6000 + 'thre']\n"
            "worst = 0\n"
            "for text in words:\n"
            "  best = 1\n"
            "  for _ in range(3):\n"
            "    begun = time.process_time()\n"
            "    complete.complete(shell.shell, text, len(text))\n"
            "    best = min(best, time.process_time() - begun)\n"
            "  worst = max(worst, best)\n\n"
            "print('worst', worst)\n"
            "[m[0] for m in complete.complete(shell.shell, words[1], len(words[1]))['matches']]\n")
    out, error = _pipe(program, code)
    assert float(out.split()[1]) < 0.02 * 2, out  # 20 ms, on a machine that does other things too
    assert "'Thread'" in out, (out, error)
