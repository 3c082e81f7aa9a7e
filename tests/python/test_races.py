# SPDX-License-Identifier: Apache-2.0
"""Warnings of iterations and blocks that race for an element, against a check of each pair, and of barriers that are never awaited."""

import linecache
import random
import re
import time
import unittest

import numpy
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from test_lints import said

PARALLEL = """
import tilelab.language as T
@T.prim_func
def main(X: T.Tensor((400,), "int32"), A: T.Tensor((400,), "int32")):
    with T.Kernel(1, threads=32):
        for i, j in T.Parallel(6, 5):
            if {condition}:
                X[{write}] = {value}
"""


class Iterations(unittest.TestCase):
    """Iterations that access the same element, with conditions and indices of all kinds: checks each pair."""

    INDICES = ("i * 5 + j", "j * 6 + i", "i + 6 * (j ^ 1)", "29 - i * 5 - j", "i * 5 + j + 30", "i * 5 + j + 1", "i * 5 + j // 2",
               "(i * 5 + j) % 16", "(i * 5 + j) // 2 * 2", "i * 10 + j * 2", "i * 10 + j * 2 + 1", "i + j", "3 * i + 2 * j", "j + (i << 3)")
    CONDITIONS = ("i < j", "i > j", "i % 2 == 0", "j == 2 or i == 0", "(i * 5 + j) % 2 == 1", "i * 5 + j < 15", "not i == j", "i >= 0",
                  "i + j > 3 and j != 4")
    VALUES = ("X[{}] + 1", "A[{}]", "X[{}]", "T.if_then_else(i < 2, X[{}], 0)", "A[0]", "7")

    def test_races_are_those_that_a_check_of_each_pair_finds(self):
        seed = random.randrange(10**6)
        rng, outcomes = random.Random(seed), []
        for number in range(150):
            write, condition = rng.choice(self.INDICES), rng.choice(self.CONDITIONS)
            read = rng.choice((write, rng.choice(self.INDICES)))
            value = rng.choice(self.VALUES)
            text = PARALLEL.format(condition=condition, write=write, value=value.format(read))
            file = f"parallel {number}"
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
            names = {}
            exec(compile(text, file, "exec"), names)
            X, A = numpy.arange(400, dtype="int32") * 1000 + 1, numpy.arange(400, dtype="int32") * 7
            words = said(tilelang.compile(names["main"]), X, A)[1]
            races = self.races(write, read, condition, value)
            found = any(re.match(r"warning\[(parallel-read-write-race|non-atomic-update|parallel-same-element)\]", w) for w in words)
            self.assertEqual(found, races, f"seed {seed}: {text}\n{words}")
            outcomes.append(races)
        self.assertGreater(min(outcomes.count(True), outcomes.count(False)), 20)

    @staticmethod
    def races(write, read, condition, value):
        writes, reads = {}, {}
        for i in range(6):
            for j in range(5):
                if not eval(condition):
                    continue
                at, source = eval(write), eval(read)
                chosen = "{}" in value and ("i < 2" not in value or i < 2)
                writes.setdefault(at, []).append(((i, j), source if chosen else None))
                if "X" in value and chosen:
                    reads.setdefault(source, []).append((i, j))
        together = any(len({v for _, v in all}) > 1 for all in writes.values())
        return together or any(r != w for at, all in writes.items() for w, _ in all for r in reads.get(at, ()))

    def test_accesses_that_data_and_arguments_keep_disjoint_are_not_races(self):
        """A condition that leaves one iteration, elements that a permutation chooses, a shift by an argument."""
        @T.prim_func
        def main(X: T.Tensor((64,), "int32"), Y: T.Tensor((64,), "int32"), most: T.int32, by: T.int32):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(32):
                    if Y[i] == most:
                        X[i // 32] = i
                for i in T.Parallel(64):
                    X[Y[i]] = i
                for i in T.Parallel(32):
                    X[i] = X[i + by]
                for i in T.Parallel(64):
                    if i == Y[i]:
                        X[Y[i] + 0] = X[0] + i
        values = numpy.zeros(64, "int32"), numpy.arange(64, dtype="int32")[::-1].copy()
        self.assertEqual(said(tilelang.compile(main), *values, 3, 0)[1], [])
        self.assertEqual(said(lambda: tilelang.compile(main, check=True))[1], [])


def stored(condition, index, value, grid):
    """The stores of blocks in kernel texts."""
    text = f"""
import tilelab.language as T
@T.prim_func
def main(A: T.Tensor((4, 4, 32), "float32"), P: T.Tensor((4,), "int32"), B: T.Tensor((4, 4, 32), "float32"), n: T.int32):
    with T.Kernel({grid}, threads=32) as (bx, by):
        s = T.alloc_shared((32,), "float32")
        T.copy(A[0, by, 0:32], s)
        total = T.alloc_var("float32", init=0.0)
        for k in T.serial(4):
            total += A[bx, k, 0]
        for i in T.Parallel(32):
            if {condition}:
                B[{index}] = {value}
"""
    file = f"stored {hash(text)}"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    rng = numpy.random.default_rng(1)
    A, B = rng.random((4, 4, 32), "float32"), numpy.zeros((4, 4, 32), "float32")
    return said(tilelang.compile(names["main"]), A, numpy.array([3, 1, 0, 2], "int32"), B, 1)[1]


class Blocks(unittest.TestCase):
    def test_an_axis_that_is_stored_and_not_where(self):
        for condition, index, value, grid, races in (
                ("n > 0", "0, by, i", "A[bx, by, i]", "4, 4", True), ("n > 0", "bx, 0, i", "s[i]", "4, 4", True),
                ("n > 0", "0, by, i", "total", "4, 4", True), ("n > 0", "0, by, i", "B[0, by, i] + 1.0", "4, 4", True),
                ("i < n", "bx, by // 4, i", "A[bx, by, i]", "4, 4", True), ("n > 0", "0, by, i", "s[i]", "4, 4", False),
                ("bx == n", "0, by, i", "A[bx, by, i]", "4, 4", False), ("P[bx] > 0", "0, by, i", "A[bx, by, i]", "4, 4", True),
                ("n > 0", "P[bx], by, i", "A[bx, by, i]", "4, 4", False), ("n > 0", "0, by, i", "A[bx, by, i]", "1, 4", False),
                ("n > 0", "bx, by, i", "total", "4, 4", False), ("n > 0", "0, by, i", "0.0", "4, 4", False)):
            with self.subTest(condition=condition, index=index, value=value, grid=grid):
                words = [w.split("\n")[0] for w in stored(condition, index, value, grid)]
                self.assertEqual(any(w.startswith("warning[block-race]") for w in words), races, words)

    def test_what_is_added_once_for_each_block(self):
        """A row of A by the axis or not, added to C by atomics; non-sums, and sums without a tensor operand, are never reported."""
        for read, add, reported in (("0", "T.atomic_add(C[i], s[i])", True), ("bx", "T.atomic_add(C[i], s[i])", False),
                                    ("0", "T.atomic_max(C[i], s[i])", False), ("0", "T.atomic_add(C[i], 1.0)", False),
                                    ("0", "T.atomic_add(C[i + bx], s[i])", False), ("0", "T.atomic_add(C[i], s[i] * bx)", False),
                                    ("P[bx]", "T.atomic_add(C[i], s[i])", False)):
            with self.subTest(read=read, add=add):
                text = f"""
import tilelab.language as T
@T.prim_func
def main(A: T.Tensor((4, 32), "float32"), P: T.Tensor((4,), "int32"), C: T.Tensor((36,), "float32")):
    with T.Kernel(4, threads=32) as bx:
        s = T.alloc_fragment((32,), "float32")
        T.copy(A[{read}, 0:32], s)
        for i in T.Parallel(32):
            {add}
"""
                linecache.cache[text] = (len(text), None, text.splitlines(True), text)
                names = {}
                exec(compile(text, text, "exec"), names)
                A = numpy.random.default_rng(1).random((4, 32), "float32")
                words = said(tilelang.compile(names["main"]), A, numpy.arange(4, dtype="int32"), numpy.zeros(36, "float32"))[1]
                self.assertEqual(any(w.startswith("warning[redundant-block-sum]") for w in words), reported, words)


class Deep(unittest.TestCase):
    def test_deep_loops_are_checked_in_time(self):
        for around, inside in ((12, 0), (0, 12)):
            lines, indent = ["@T.prim_func", 'def main(B: T.Tensor((4096,), "int32")):', "    with T.Kernel(4, threads=32) as b:"], 2
            for kind, loops in (("a", around), ("p", None), ("i", inside)):
                if loops is None:
                    lines.append("    " * indent + "for p in T.Parallel(32):")
                    indent += 1
                for n in range(loops or 0):
                    lines.append("    " * indent + f"for {kind}{n}, {kind}{n}y, {kind}{n}z in T.grid(2, 2, 2):")
                    indent += 1
            lines.append("    " * indent + "B[p // 2 + b * 64] += p")
            text, names = "\n".join(lines) + "\n", {"T": T}
            name = f"<deep {around}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            exec(compile(text, name, "exec"), names)
            start = time.perf_counter()
            words = " ".join(said(lambda: tilelang.compile(names["main"], check=True))[1])
            self.assertTrue("non-atomic-update" in words or inside, words)  # what takes so long is given up
            self.assertLess(time.perf_counter() - start, 20)


class Barriers(unittest.TestCase):
    def test_arrivals_that_are_never_awaited(self):
        for waited in (False, True):
            with self.subTest(waited=waited):
                @T.prim_func
                def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
                    with T.Kernel(1, threads=128):
                        s = T.alloc_shared((64, 64), "float32")
                        unused = T.alloc_barrier(128)
                        ready = T.alloc_barrier(128)
                        T.tma_copy(A, s, barrier=ready)
                        T.barrier_arrive(ready)
                        if waited:
                            T.barrier_wait(ready, 0)
                        T.copy(s, B)
                words = [w.split("\n")[0] for w in said(tilelang.compile, main)[1]]
                self.assertEqual(words, [] if waited else ["warning[barrier-never-awaited]: no thread waits on barrier `ready`"])


if __name__ == "__main__":
    unittest.main()
