# SPDX-License-Identifier: Apache-2.0
"""Reads of kernel sources: a file once, however many kernels it has and however often they are made."""

import ast
import linecache
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import support  # noqa: F401
import tilelab.language as T
from tilelab._compiler import source

TEXT = "import tilelab, tilelab.language as T\n" + "".join(f"""
@T.prim_func
def k{i}(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = {i}.0
""" for i in range(4)) + """
def factory(n):
    @tilelab.jit
    def made():
        @T.prim_func
        def main(A: T.Tensor((n,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(n):
                    A[i] = 1.0
        return main
    return made
"""


def register(file, text):
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)


def run(file, number="1.0"):
    text = TEXT.replace("1.0", number)
    register(file, text)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names


class Reading(unittest.TestCase):
    def test_a_file_is_parsed_once_and_not_compiled_again(self):
        with unittest.mock.patch.object(source.ast, "parse", wraps=ast.parse) as parse, \
                unittest.mock.patch.object(source, "_defines", wraps=source._defines) as defines:
            names = run("reading one")
            for n in (64, 128, 64):
                names["factory"](n)()
            self.assertEqual(parse.call_count, 1)
            defines.assert_not_called()

    def test_a_read_source_is_kept_when_the_file_changes(self):
        names = run("reading two")
        first = names["factory"](64)().script()
        register("reading two", "pass\n")
        self.assertEqual(names["factory"](64)().script(), first)

    def test_a_text_of_an_executed_string_is_compared_with_what_runs(self):
        names = run("<reading three>", "3.0")
        register("<reading three>", TEXT)
        with self.assertRaises(OSError):
            names["factory"](64)()


MACRO = """
import tilelab, tilelab.language as T
import numpy as np
function, value, names, callee, code = 1.0, 2.0, 3.0, 4.0, 5.0  # names of locals of those who read the macro

@T.macro
def put(A, i):
    A[i] = function + value + names + callee + code

def also(A, i):
    A[i] = function + value + names + callee + code

@T.prim_func
def main(A: T.Tensor((2,), "float32")):
    with T.Kernel(1, threads=1):
        put(A, 0)
        also(A, 1)

A = np.zeros(2, "float32")
tilelab.compile(main)(A)
print(A.tolist())
"""


class Macros(unittest.TestCase):
    def test_a_macro_of_a_script_sees_the_names_of_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "script.py")
            with open(file, "w") as out:
                out.write(MACRO)
            done = subprocess.run([sys.executable, file], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("[15.0, 15.0]\n", ""))

    def test_a_macro_sees_the_names_of_the_function_that_defines_it_only(self):
        size, dtype = 64, "float32"

        def define(dtype):
            @T.macro
            def fill(A: T.Tensor((size,), dtype), value):
                for i in T.Parallel(size):
                    A[i] = value
            return fill
        self.assertEqual(sorted(define("int32").locals), ["dtype", "size"])


if __name__ == "__main__":
    unittest.main()
