# SPDX-License-Identifier: Apache-2.0
"""Python files in the current directory that have names of modules: no subcommand runs them."""

import json
import os
import subprocess

from terminal import limits_memory

NAMES = """abc argparse array ast asyncio base64 bisect calendar collections contextlib copy csv ctypes dataclasses datetime decimal
difflib dis enum errno fnmatch fractions functools gc glob gzip hashlib heapq html importlib inspect io itertools json keyword linecache
locale logging math matplotlib multiprocessing numbers numpy operator os pathlib pickle pip platform queue random re readline resource
runpy select selectors shutil signal site socket stat string struct subprocess sysconfig tempfile textwrap threading token tokenize
torch traceback types typing unicodedata uuid warnings weakref zlib""".split()
KERNEL = """import tilelab as tilelang
import tilelab.language as T

@tilelang.jit
def copy(A):
    A: T.Tensor((32,), "float32")
    B = T.empty((32,), "float32")
    with T.Kernel(1, threads=32):
        T.copy(A, B)
    return B

if __name__ == "__main__":
    import numpy as np
    print(copy(np.ones(32, np.float32)).sum())
"""
# Every subcommand but `kernel`, which waits for a client; `tilelab puzzle` in all its forms.
COMMANDS = """--version
--help
explain race
doctor --json
completions bash
manual
install-kernel --prefix kernels
compile files/k.py:copy
check files/k.py
puzzle
puzzle 1
puzzle 1 --json
puzzle 1 --hint
puzzle 1 --check files/k.py
puzzle 1 --check files/k.ipynb
puzzle 1 --notebook new.ipynb
puzzle -o new
puzzle --grade files --json --engine processes""".split("\n")


def _plant(mark):
    for name in NAMES:
        with open(name + ".py", "w") as file:
            file.write(f"open({mark!r}, 'a').write(__name__ + '\\n')\n")


@limits_memory
def test_no_subcommand_runs_modules_of_the_directory(program):
    os.mkdir("files")
    with open("files/k.py", "w") as file:
        file.write(KERNEL)
    with open("files/k.ipynb", "w") as file:
        json.dump({"cells": [{"cell_type": "code", "source": "%%puzzle 1\nimport random\n" + KERNEL}]}, file)
    mark = os.path.abspath("SHADOWED")
    _plant(mark)
    for words in COMMANDS:
        done = subprocess.run([program, *words.split()], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        assert not os.path.exists(mark), (words, open(mark).read())
        assert "Traceback" not in done.stderr and done.returncode in (0, 1), (words, done)
        if "--grade" in words:
            assert json.loads(done.stdout)[0]["state"] != "crashed", done.stdout


def test_pip_is_not_the_file_beside(program):
    mark = os.path.abspath("SHADOWED")
    _plant(mark)
    done = subprocess.run([program, "-c", "get_ipython().run_line_magic('pip', '--version')"], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "PYTHONSAFEPATH": "1"})
    assert not os.path.exists(mark), open(mark).read()
    assert done.stdout.startswith("pip ") or "No module named pip" in done.stderr, done


def test_safe_path_keeps_the_directory_out(program):
    env = {**os.environ, "PYTHONSAFEPATH": "1"}
    for words in (["-c", "import sys; print(sys.path[0])"], ["-q"]):
        done = subprocess.run([program, *words], input="import sys; print(repr(sys.path[0]))\n", capture_output=True, text=True,
                              timeout=60, env=env)
        assert done.stdout.strip() not in ("", "''", os.getcwd()), done
