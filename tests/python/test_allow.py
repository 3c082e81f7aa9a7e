# SPDX-License-Identifier: Apache-2.0
"""Warnings that are disabled: on a line, in a kernel, by a pass configuration, in a session, by the environment."""

import itertools
import linecache
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import support
import tilelab as tilelang
from tilelab import _core
from tilelab._compiler import kernel_warnings

count = itertools.count()
KERNEL = """
import tilelab as tilelang
import tilelab.language as T
@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
{first}    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(0):{line}
            A[i] = 0.0
{before}        for i in T.Parallel(64):
            B[0] = A[i]{store}
"""


def shown(make):
    """The names of the warnings that it shows."""
    kernel_warnings._shown.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return sorted(str(w.message).strip().split("]")[0].partition("[")[2] for w in caught)


def names_of(**parts):
    parts = {"first": "", "line": "", "before": "", "store": "", **parts}
    text = KERNEL.format(**parts)
    file = f"<allow {next(count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names


def kernel(pass_configs=None, **parts):
    return lambda: tilelang.compile(names_of(**parts)["main"], pass_configs=pass_configs)


BOTH = ["extent-zero", "parallel-same-element"]


class Allow(unittest.TestCase):
    def test_nothing_is_disabled(self):
        self.assertEqual(shown(kernel()), BOTH)

    def test_a_line(self):
        self.assertEqual(shown(kernel(line="  # tilelab: allow(extent-zero)")), BOTH[1:])
        self.assertEqual(shown(kernel(line="  # empty  # tilelab: allow(unread-elements, extent-zero)")), BOTH[1:])
        self.assertEqual(shown(kernel(store="  # tilelab: allow(parallel-same-element)")), BOTH[:1])
        self.assertEqual(shown(kernel(line="  # tilelab: allow(unread-elements)")), BOTH)
        self.assertEqual(shown(kernel(before="        # tilelab: allow(extent-zero)\n")), BOTH)  # another line

    def test_alone_on_the_line_before(self):
        allowed = "        # tilelab: allow(parallel-same-element)\n"
        text = KERNEL.replace("            B[0]", allowed + "            B[0]")
        self.assertIn(allowed, text)
        with unittest.mock.patch.dict(globals(), KERNEL=text):
            self.assertEqual(shown(kernel()), BOTH[:1])

    def test_a_kernel(self):
        self.assertEqual(shown(kernel(first='    T.allow("extent-zero")\n')), BOTH[1:])
        self.assertEqual(shown(kernel(first='    T.allow("extent-zero", "parallel-same-element")\n')), [])
        two = '    T.allow("extent-zero")\n    T.allow("parallel-same-element")\n'
        self.assertEqual(shown(kernel(first=two)), [])

    def test_a_pass_configuration(self):
        self.assertEqual(shown(kernel({"tilelab.allow": "parallel-same-element"})), BOTH[:1])
        configs = {"tilelab.allow": ["extent-zero", "parallel-same-element"]}

        def factory():
            return names_of()["main"]

        self.assertEqual(shown(tilelang.jit(factory, pass_configs=configs)), [])
        both = kernel({"tilelab.allow": "parallel-same-element"}, first='    T.allow("extent-zero")\n')
        self.assertEqual(shown(both), [])

    def test_a_configuration_in_the_kernel(self):
        first = '    T.annotate_pass_configs({"tilelab.allow": "extent-zero"})\n'
        self.assertEqual(shown(kernel(first=first)), BOTH[1:])

    def test_everywhere(self):
        _core.allow_everywhere("extent-zero", True)
        try:
            self.assertEqual(_core.allowed_everywhere(), ["extent-zero"])
            self.assertEqual(shown(kernel()), BOTH[1:])
        finally:
            _core.allow_everywhere("extent-zero", False)
        self.assertEqual(shown(kernel()), BOTH)

    def test_the_environment(self):
        program = KERNEL.format(first="", line="", before="", store="") + "tilelang.compile(main)\n"
        for allowed, left in (("", 2), ("extent-zero", 1), ("extent-zero, parallel-same-element", 0)):
            with self.subTest(allowed), tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                file.write(program)
                file.flush()
                done = subprocess.run([sys.executable, file.name], env={**support.environment(), "TILELAB_ALLOW": allowed},
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stderr.count("warning[")), (0, left), done.stderr)

    def test_of_a_run(self):
        for first, names in (("", ["out-of-bounds"]), ('    T.allow("out-of-bounds")\n', [])):
            text = ("import tilelab.language as T\n@T.prim_func\ndef main(A: T.Tensor((64,), 'float32'), B: T.Tensor((64,), 'float32')):\n"
                    f"{first}    with T.Kernel(1, threads=64) as bx:\n        for i in T.Parallel(64):\n"
                    f"            B[i] = A[i + 64]\n# {next(count)}\n")
            file = f"<allow {next(count)}>"
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
            made = {}
            exec(compile(text, file, "exec"), made)
            run = tilelang.compile(made["main"])
            self.assertEqual(shown(lambda: run(np.ones(64, "float32"), np.ones(64, "float32"))), names)

    def test_old_names(self):
        self.assertEqual(_core.unknown_warning("grid-empty"), "only warnings can be disabled")
        self.assertIn("extent-zero", _core.unknown_warning("extent-zeros"))


if __name__ == "__main__":
    unittest.main()
