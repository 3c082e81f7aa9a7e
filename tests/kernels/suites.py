# SPDX-License-Identifier: Apache-2.0
"""suites.py MU_CHECK: every kernel that tests/checks, tests/bugs and tests of the Python package make is valid MUSA C
as well (L1), whatever the suite asks of it. They are collected where kernels are made, and checked many in a file.
Of tests/python those named below, with TILELAB_LONG all but those that put a fake driver in the place of a GPU's."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import tilelab
import tilelab._session.imports
from tilelab import _core
from tilelab._kernel import kernel as kernels

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = ("test_api", "test_corpus", "test_making", "test_lints", "test_reducer_life")
TOGETHER = 64  # kernels in a file
ARCHS = {"mp_31": "310", "mp_22": "220"}
_HEAD = re.compile(r"^(\w+)\(", re.MULTILINE)

made = {}  # text of the flat function -> (who made it, target, C)


def collect(kernel, who):
    """Notes the C of a kernel for its target, if that is MUSA C."""
    if kernel.target not in ARCHS:
        return
    flat = kernel._at_level("flat")
    text, said = _core.render(flat, kernel.target, False)
    assert not any(d["error"] for d in said), f"{who}: {said[0]['text']}"
    made.setdefault((flat.text(), kernel.target), (who, text))


@contextlib.contextmanager
def collecting(who):
    plain = kernels.Kernel.__init__

    def init(self, *arguments, **named):
        plain(self, *arguments, **named)
        collect(self, who)

    kernels.Kernel.__init__ = init
    try:
        yield
    finally:
        kernels.Kernel.__init__ = plain


def files(suite):
    folder = os.path.join(TESTS, suite)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and name != "run.py":
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                yield f"{suite}/{name}", compile(file.read(), path, "exec")


def make_all():
    for who, code in files("checks"):
        with collecting(who):
            exec(code, {"__name__": "checked", "np": np, "check": lambda kernel, *values: None})
    for who, code in files("bugs"):
        space = {"__name__": "bug"}
        exec(code, space)
        # A C compiler, too, refuses what is never initialized.
        for bug in (False,) if "uninitialized" in who else (False, True):
            with collecting(who):
                tilelab.compile(space["make"](bug), target=space.get("TARGET"))
    folder = os.path.join(TESTS, "python")
    sys.path.insert(0, folder)
    every = sorted(name[:-3] for name in os.listdir(folder)
                   if name.startswith("test_") and name.endswith(".py") and not name.startswith("test_gpu"))
    for name in every if os.environ.get("TILELAB_LONG") else PYTHON:
        with collecting(f"python/{name}"), contextlib.redirect_stderr(io.StringIO()):
            unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromName(name))


def one_file(texts):
    """Kernels together: each under a separate name, the header once."""
    out = ['#include "tl_device.h"\n']
    for number, text in enumerate(texts):
        for name in set(_HEAD.findall(text)):
            text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
        out.append(text.replace('#include "tl_device.h"\n', ""))
    return "".join(out)


def check(mu_check, target, entries):
    """The problem of the C of these kernels, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.mu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(one_file([text for _, text in entries]))
        done = subprocess.run([mu_check, "--types", "--arch", ARCHS[target], path], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr + "\n".join(sorted({who for who, _ in entries}))


def main(mu_check):
    tilelab._session.imports.install()
    warnings.simplefilter("ignore")
    make_all()
    failed = 0
    for target in ARCHS:
        entries = [entry for (_, of), entry in made.items() if of == target]
        for begin in range(0, len(entries), TOGETHER):
            wrong = check(mu_check, target, entries[begin:begin + TOGETHER])
            failed += bool(wrong)
            if wrong:
                print(f"FAILED for {target}\n{wrong}")
    print(f"{len(made)} kernels of other suites as C; {failed} files failed")
    return 1 if failed or len(made) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
