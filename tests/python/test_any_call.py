# SPDX-License-Identifier: Apache-2.0
"""Any call of any function of `T` ends in a result or a diagnostic: random arguments, dtypes, shapes, scopes and places.
What compiles runs at every level, and a kernel that %check calls clean computes the same there.

TILELAB_SEED=n repeats a run; TILELAB_LONG tries 50,000 calls. `test_any_call.py SEED` prints one program and what becomes of it.
"""
import collections
import contextlib
import io
import linecache
import os
import random
import re
import signal
import sys
import time
import unittest
import warnings

import numpy as np
import support
from case import Bits
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler.builtin import Builtin
from tilelab._compiler.language_pages import rows

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80", "cpu")
DTYPES = ("float32", "float16", "bfloat16", "int32", "int8", "uint8", "int64", "uint32", "uint64", "bool", "float8_e4m3fn", "float64",
          "int16", "uint16", "float4_e2m1fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
SHAPES = ((16,), (32,), (64,), (128,), (16, 16), (32, 32), (64, 64), (128, 32), (1,), (7,), (3, 5), (4, 8, 16), (2, 2, 2, 2), (1, 1),
          (33, 17))
SIGNATURES = ("Kernel", "dynamic", "symbolic", "const", "empty", "Tensor", "Buffer", "StridedTensor", "ptr")  # outside of kernels
NAMES = [name for name, row in Builtin.table.items() if row.status == "works" and name not in SIGNATURES]

BUFFERS = ["A", "B", "s1", "s2", "f1", "f2", "l1", "s1", "f1", "f2", "s1[0:8]", "f1[0:4]", "A[0:16]", "s1[0:2, 0:4]", "A[bx * 16]", "s2[i]",
           "A[t:t + 4]", "l1[0:4]"]
ELEMENTS = ["A[0]", "f1[0]", "s1[i]", "s1[0]", "v", "w", "i", "t", "l1[0]", "v + 1", "1", "2", "0.5", "3", "A[i]", "f2[i]", "bx", "B[0]",
            "f1[i]", "-v", "A[i] * 2", "A[t]", "t", "l1[1] + i"]
COUNTS = ["0", "1", "4", "8", "16", "v", "w", "-1", "2**31", "128"]
ANYTHING = [
    BUFFERS, BUFFERS, ELEMENTS, ELEMENTS, ["v", "w", "bar", "bars", "t", "bx", "i", "bx * 2", "t + 1"],
    ["0", "1", "2", "-1", "3", "16", "32", "64", "128", "7"],
    ["2**31", "2**40", "-2**40", "0.5", "-0.0", "1e30", "float('inf')", "10**30", "2**63", "255"],
    ["'float16'", "'int8'", "T.float16", "T.int32", "'sum'", "'max'", "'xor'", "''", "'x y'", "'global'", "'shared'"],
    ["None", "True", "False", "()", "[]", "(16, 16)", "(1,)", "[0, 1]", "{}", "(0,)", "(-1, 2)"],
    ["s1[0, 0]", "A[i, 0]", "s1[t]", "A[A[0]]", "s1[0:4]", "A[0:2, 0:3]", "f1[0:1]", "l1[0:2]"],
    ["lambda i: i", "lambda i, j: (j, i)", "lambda *a: a", "max", "len", "T.float32(1)", "T.infinity('float16')", "T.cast(i, 'float16')",
     "T.address_of(s1[0])", "T.address_of(A[0])"],
    ["abs(v)", "max(A[0], v)", "min(l1[0], l1[1], t)", "sum(l1)", "len(A)", "list(A.shape)", "tuple(l1)", "T.float8_e5m2(v)", "T.int4(i)",
     "T.bfloat16x4(v)", "T.float32x2(A[0])", "T.uint64(v)", "T.float8_e8m0fnu(0.5)"],
    ["v > 0", "i > 3", "t < 7", "~v", "v // 3", "not v", "i / 2", "v % 0"],
]
OPERANDS = {"src", "dst", "buffer", "out", "A", "B", "C", "memory", "ptr", "reducer", "fragment"}


UNEXPECTED = re.compile("internal error|cannot run")  # of the simulator: the compiler has accepted the kernel


class Hang(BaseException):
    pass


class Program:
    """A kernel with one random call, from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name, self.target = self.pick(NAMES), self.pick(TARGETS)
        usual_dtype, usual_shape, alike = self.pick(DTYPES), self.pick(SHAPES), self.random.random() < 0.6
        self.dtype = lambda: usual_dtype if alike and self.random.random() < 0.85 else self.pick(DTYPES)
        self.shape = lambda: usual_shape if alike and self.random.random() < 0.8 else self.pick(SHAPES)
        self.tensors = [(self.shape(), self.dtype()) for _ in range(2)]
        self.text = "\n".join(self.head() + self.body()) + "\n"

    def pick(self, items):
        return items[self.random.randrange(len(items))]

    def argument(self, name, parameter, depth):
        section, kind = rows()[f"T.{name}"].chapter, parameter.name
        if self.random.random() < 0.15:
            return self.call(self.pick(NAMES), depth + 1) if depth == 0 and self.random.random() < 0.2 else self.pick(self.pick(ANYTHING))
        if kind.endswith("dtype"):
            return repr(self.pick(DTYPES))
        if kind in ("dim", "axis", "dims"):
            return self.pick(["0", "1", "-1", "2", "(0, 1)", "None"])
        if kind == "shape":
            return str(self.pick(SHAPES))
        if kind in OPERANDS or section == "Tile operations":
            return self.pick(BUFFERS + ELEMENTS if section == "Values" else BUFFERS)
        if section in ("Values", "Threads"):
            return self.pick(ELEMENTS)
        if kind in ("start", "stop", "step", "extent", "begin", "end", "count", "num", "n", "threads"):
            return self.pick(COUNTS)
        return self.pick(self.pick(ANYTHING))

    def call(self, name, depth=0):
        arguments, by_name = [], False
        for p in Builtin.table[name].__signature__.parameters.values():
            if p.kind == p.VAR_POSITIONAL:
                arguments += [self.argument(name, p, depth) for _ in range(self.random.randrange(4))]
            elif p.kind != p.VAR_KEYWORD and (p.default is p.empty or self.random.random() < 0.25):
                by_name = by_name or p.default is not p.empty
                arguments.append(f"{p.name}=" * by_name + self.argument(name, p, depth))
        if self.random.random() < 0.03:
            arguments.append("more=" * by_name + self.pick(self.pick(ANYTHING)))
        return f"T.{name}({', '.join(arguments)})"

    def head(self):
        tensors = ", ".join(f"{name}: T.Tensor({shape}, '{dtype}')" for name, (shape, dtype) in zip("AB", self.tensors))
        return ["@T.prim_func", f"def main({tensors}):",
                f"    with T.Kernel({self.pick('123')}, threads={self.pick(['32', '64', '128', '128', '256', '33'])}) as bx:"]

    def body(self):
        buffers = {"s1": "shared", "s2": "shared", "f1": "fragment", "f2": "fragment", "l1": "local"}
        lines = [f"{name} = T.alloc_{scope}({self.shape()}, '{self.dtype()}')" for name, scope in buffers.items()]
        lines.append(f"v = T.alloc_var('{self.dtype()}', 0)" if self.random.random() < 0.8 else "v = 3")
        lines += ["w = T.alloc_var('int32', 1)", "t = T.get_thread_binding()", "i = 0"]
        barriers = "bar" in self.name or self.random.random() < 0.2
        lines += ["bar = T.alloc_barrier(128)", "bars = T.alloc_barrier([128, 128])"] if barriers else ["bar, bars = 0, 1"]
        if self.random.random() < 0.7:
            lines += [f"T.clear({name})" for name in buffers]
        if self.random.random() < 0.2:
            lines.append("T.fill(l1, t)")
        place = self.pick(["", "", "", "for i in T.Parallel(16):", "for i in T.Parallel(7):", "for i in T.serial(3):", "for i in T.serial(v):",
                           "if t < 32:", "if bx > 0:", "for i in T.Pipelined(4, num_stages=2):", "for i in T.vectorized(8):"])
        lines += [place] * bool(place) + ["    " * bool(place) + line for line in self.statement()]
        lines.append(self.pick(["T.copy(s1, A)", "pass"]))
        return ["        " + line for line in lines]

    def statement(self):
        made = self.call(self.name)
        used = ["A[0] = x", "v = x", "s1[0] = x", "f1[i] = x", "x[0] = 1", "T.copy(x, s1)", "T.print(x)"]
        return self.pick([[made], [made], [made], [f"x = {made}", self.pick(used)], [f"for j in {made}:", "    s1[0] = j"],
                          [f"{self.pick(['A[0]', 's1[i]', 'f1[0]', 'v', 'B[i]', 'A[0, 0]'])} = {made}"], [f"with {made}:", "    v = 1"]])

    def arrays(self):
        """Zeros; NumPy lacks some of the floats, which are given as their bits."""
        for shape, dtype in self.tensors:
            if dtype == "float4_e2m1fn":
                shape = (*shape[:-1], (shape[-1] + 1) // 2)
            bits = "uint16" if dtype == "bfloat16" else "uint8" if dtype.startswith(("float4", "float8")) else None
            made = np.zeros(shape, bits or dtype) if bits else (np.arange(np.prod(shape)) % 5).astype(dtype).reshape(shape)
            yield Bits(made, dtype) if bits else made

    def differing_level(self, kernel):
        """The first level that refuses the kernel, or computes something else than the first one."""
        wanted = None
        for level in ("sim:tile", "sim:thread", "sim:flat"):
            arrays = list(self.arrays())
            with support.device(level):
                kernel(*arrays)
            got = [getattr(array, "array", array) for array in arrays]
            wanted = wanted or got
            if not all(np.allclose(a, b, 1e-2, 1e-2, equal_nan=True) if a.dtype.kind == "f" else (a == b).all() for a, b in zip(got, wanted)):
                return level
        return None

    def run(self):
        """What becomes of it: "ran", "refused", or what must not happen, with the stage."""
        file, names, stage = "<any call>", {"T": T}, "compile"
        linecache.cache[file] = len(self.text), None, self.text.splitlines(True), file
        signal.alarm(20)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(self.text, file, "exec"), names)
                kernel = tilelang.compile(names["main"], target=self.target)
                stage = "source"
                kernel.get_kernel_source()
                stage = "call"
                kernel(*self.arrays())
                stage = "check"
                kernel.check(*self.arrays())
                stage = "levels"
                level = self.differing_level(kernel)
            return f"{level} computes something else" if level else "ran"
        except Hang:
            return "ran" if stage != "compile" and "2**" in self.text else f"hangs at {stage}"  # a loop of so many iterations
        except SyntaxError:
            return "refused"
        except Exception as error:  # diagnostics are exceptions of tilelab's classes
            diagnosed = type(error).__module__.startswith("tilelab") and not UNEXPECTED.search(str(error))
            return "refused" if diagnosed else f"{stage}: {type(error).__name__}: {error}"
        finally:
            signal.alarm(0)


def hang(*_):
    raise Hang


class AnyCall(unittest.TestCase):
    def test_a_result_or_a_diagnostic(self):
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, hang)
        seed = int(os.environ.get("TILELAB_SEED") or time.time_ns() % 10**9)
        print(f"TILELAB_SEED={seed}", flush=True)
        found = collections.Counter()
        for number in range(seed, seed + (50000 if os.environ.get("TILELAB_LONG") else 1000)):
            program = Program(number)
            outcome = program.run()
            found[outcome] += 1
            self.assertIn(outcome, ("ran", "refused"), f"seed {number}, {program.target}\n{program.text}")
        print(dict(found))
        self.assertGreater(found["ran"], found["refused"] / 50, "nearly all were refused: this tests little")


if __name__ == "__main__" and len(sys.argv) == 2 and sys.argv[1].isdigit():
    signal.signal(signal.SIGALRM, hang)
    one = Program(int(sys.argv[1]))
    print(one.target, one.text, one.run(), sep="\n")
elif __name__ == "__main__":
    unittest.main()
