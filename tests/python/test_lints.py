# SPDX-License-Identifier: Apache-2.0
"""Warnings of what is rarely meant, against what kernels read (detected by NaN in a part of the input) and write."""

import itertools
import linecache
import random
import re
import unittest
import warnings

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import kernel_warnings


def said(make, *arguments):
    """(kernel, its warnings, including repeated ones)"""
    kernel_warnings._shown.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make(*arguments)
    return made, [str(w.message).strip() for w in caught]


def sums(M, K, BM, BK, blocks_m, blocks_k, loop, single):
    """Sums of the elements of A, in blocks; `single`: the last row and column also one by one."""
    make_loop = {"serial": T.serial, "unroll": T.unroll, "pipelined": lambda n: T.Pipelined(n, num_stages=2)}[loop]

    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((blocks_m + 1,), "float32")):
        with T.Kernel(blocks_m, threads=32) as bx:
            a = T.alloc_shared((BM, BK), "float32")
            part = T.alloc_fragment((BM, BK), "float32")
            rows = T.alloc_fragment((BM,), "float32")
            all = T.alloc_fragment((1,), "float32")
            T.clear(part)
            for k in make_loop(blocks_k):
                T.copy(A[bx * BM, k * BK], a)
                for i, j in T.Parallel(BM, BK):
                    part[i, j] = part[i, j] + a[i, j]
            T.reduce_sum(part, rows, dim=1)
            T.reduce_sum(rows, all, dim=0)
            B[bx] = all[0]
            if single:
                if bx == 0:
                    B[blocks_m] = A[M - 1, 0] + A[0, K - 1]
    return tilelang.compile(main)


def result(kernel, A, blocks_m):
    B = np.zeros(blocks_m + 1, "float32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel(A, B)
    return B


class Rest(unittest.TestCase):
    def test_a_rest_is_named_where_it_is_not_read_and_only_there(self):
        named = 0
        for M, K, up_m, up_k, loop in itertools.product((32, 40), (64, 65, 79), (0, 1), (0, 1), ("serial", "unroll", "pipelined")):
            if (up_m and M % 16 == 0) or (up_k and K % 16 == 0):
                continue
            blocks_m, blocks_k = M // 16 + up_m, K // 16 + up_k
            with self.subTest(M=M, K=K, blocks=(blocks_m, blocks_k), loop=loop):
                kernel, words = said(sums, M, K, 16, 16, blocks_m, blocks_k, loop, False)
                for dim, extent, end in (0, M, blocks_m * 16), (1, K, blocks_k * 16):
                    A = np.ones((M, K), "float32")
                    A[(slice(end, None), slice(None))[::1 if dim == 0 else -1]] = np.nan
                    unread = end < extent and not np.isnan(result(kernel, A, blocks_m)).any()
                    part = f"A[{end}:{extent}, :]" if dim == 0 else f"A[:, {end}:{extent}]"
                    self.assertEqual(unread, any(f"nothing reads `{part}`" in w for w in words), words)
                    self.assertEqual(unread, end < extent)
                    named += unread
        self.assertGreater(named, 10)

    def test_a_rest_that_other_accesses_read_is_not_named(self):
        _, words = said(sums, 40, 79, 16, 16, 2, 4, "serial", True)
        self.assertEqual(words, [])

    def test_iterations_between_the_elements_of_threads_are_not_judged(self):
        def make():
            @T.prim_func
            def main(A: T.Tensor((16, 656), "float16"), B: T.Tensor((16, 512), "float16")):
                with T.Kernel(1, threads=128) as bx:
                    tx = T.get_thread_binding() % 8
                    ty = T.get_thread_binding() // 8
                    for a in T.serial(4):
                        for v in T.vectorized(16):
                            B[ty, tx * 64 + a * 16 + v] = A[ty, tx * 64 + a * 16 + v]
            return tilelang.compile(main)

        self.assertEqual(said(make)[1], [])

    def test_a_part_that_is_meant_is_not_named(self):
        """A whole block or more that is left out, one copy that does not move, a start after 0, dynamic extents."""
        for shape, begin, end in (((128,), 0, 3), ((40,), 0, 1), ((40,), 8, 2)):
            @T.prim_func
            def main(A: T.Tensor(shape, "float32"), B: T.Tensor((32,), "float32")):
                with T.Kernel(1, threads=32):
                    s = T.alloc_shared((16,), "float32")
                    for k in T.serial(end):
                        T.copy(A[begin + k * 16], s)
                        for i in T.Parallel(16):
                            B[i] = B[i] + s[i]
            self.assertEqual(said(tilelang.compile, main)[1], [], (shape, begin, end))

        n = T.dynamic("n")

        @T.prim_func
        def dynamic(A: T.Tensor((n,), "float32"), B: T.Tensor((16,), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((16,), "float32")
                for k in T.serial(n // 16):
                    T.copy(A[k * 16], s)
                    for i in T.Parallel(16):
                        B[i] = B[i] + s[i]
        self.assertEqual(said(tilelang.compile, dynamic)[1], [])


def stepping(begin, end, scale, blocks, by, column_step, rows):
    """The sum of tiles of 8 rows and 8 columns of A[32, 64], traversed by blocks and iterations."""
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((blocks, 8), "float32")):
        with T.Kernel(blocks, threads=32) as bx:
            a = T.alloc_shared((8, 8), "float32")
            sums = T.alloc_fragment((8,), "float32")
            T.clear(sums)
            for k in T.serial(begin, end):
                T.copy(A[bx * by + rows, k * scale + bx * column_step], a)
                T.reduce_sum(a, sums, dim=1, clear=False)
            T.copy(sums, B[bx, 0:8])
    return tilelang.compile(main)


class Steps(unittest.TestCase):
    """Parts left out by wrong indices or loops: reported elements are never read, and correct kernels report none."""

    SLIPS = {(1, 8, 8, 4, 8, 0, 0): ["[:, 0:8]"], (0, 7, 8, 4, 8, 0, 0): ["[:, 56:64]"], (0, 8, 1, 4, 8, 0, 0): ["[:, 15:64]"],
             (0, 4, 8, 4, 8, 0, 0): ["[:, 32:64]"], (0, 8, 8, 4, 0, 0, 0): ["[8:32, :]"], (0, 8, 8, 4, 1, 0, 0): ["[11:32, :]"],
             (0, 8, 4, 4, 8, 0, 0): ["[:, 36:64]"], (0, 2, 8, 4, 0, 8, 0): ["[:, 40:64]"]}
    RIGHT = [(0, 8, 8, 4, 8, 0, 0), (0, 15, 4, 4, 8, 0, 0), (0, 2, 8, 4, 8, 16, 0), (0, 3, 8, 4, 8, 0, 0), (0, 8, 8, 3, 8, 0, 8),
             (0, 57, 1, 4, 8, 0, 0), (0, 2, 8, 4, 8, 0, 0)]

    def test_reported_elements_are_never_read(self):
        for slip, parts in self.SLIPS.items():
            with self.subTest(slip):
                kernel, words = said(stepping, *slip)
                named = re.findall(r"nothing reads `A(\[.*?\])`", "\n".join(words))
                self.assertEqual(named, parts)
                A = np.ones((32, 64), "float32")
                for part in named:
                    A[eval(f"np.s_{part}")] = np.nan
                B = np.zeros((slip[3], 8), "float32")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    kernel(A, B)
                self.assertFalse(np.isnan(B).any())

    def test_right_kernels_name_nothing(self):
        for steps in self.RIGHT:
            with self.subTest(steps):
                self.assertEqual(said(stepping, *steps)[1], [])


def doubled(N, block, part, blocks, limit, loop, fresh):
    """Blocks of `block` elements, of each of which `part` are written, as far as `limit`."""
    @T.prim_func
    def main(A: T.Tensor((2, N), "int32"), B: T.Tensor((2, N), "int32")):
        with T.Kernel(2 if loop else blocks, threads=32) as bx:
            if loop:
                for k in T.serial(blocks):
                    for i in T.Parallel(part):
                        if k * block + i < limit:
                            B[bx, k * block + i] = 2 * A[bx, k * block + i]
            else:
                first = bx * block
                for r, i in T.Parallel(2, part):
                    if first + i < limit:
                        B[r, first + i] = 2 * A[r, first + i]
    return tilelang.compile(main, out_idx=[1] if fresh else None)


class Unwritten(unittest.TestCase):
    """A rest that is named against the elements that a run leaves as they were."""

    def named(self, words):
        found = [re.match(r"warning\[unwritten-elements\]: nothing writes `B\[:, (\d+):(\d+)\]`", w) for w in words]
        return [(int(m[1]), int(m[2])) for m in found if m]

    def test_what_is_named_is_what_a_run_leaves(self):
        seed = random.randrange(10**6)
        rng, reported = random.Random(seed), []
        for _ in range(60):
            block = rng.choice((8, 16, 20))
            N = rng.randrange(30, 130)
            blocks = max(2, N // block + rng.choice((-1, 0, 0, 1, 1)))
            part = rng.choice((block, block, block, block // 2, block + 4))
            limit = rng.choice((N, N, N + 5, N - 1, N - block))
            loop, fresh = rng.random() < 0.5, rng.random() < 0.6
            with self.subTest(seed=seed, N=N, block=block, part=part, blocks=blocks, limit=limit, loop=loop, fresh=fresh):
                kernel, words = said(doubled, N, block, part, blocks, limit, loop, fresh)
                written = np.zeros(N, bool)
                for b in range(blocks):
                    written[b * block:min(b * block + part, limit)] = True
                missing = np.flatnonzero(~written)
                named = self.named(words)
                if fresh:
                    self.assertEqual(bool(named), missing.size > 0, words)
                else:  # less than a block, at the end, and not declared as intended
                    end = (blocks - 1) * block + part
                    self.assertEqual(bool(named), part >= block and 0 < N - end < block and limit >= end, words)
                for first, end in named:
                    self.assertTrue(set(range(first, end)) <= set(missing), words)
                if fresh:
                    A = np.ones((2, N), "int32")
                    self.assertTrue(((kernel(A) == 2) == written).all())
                reported.append(bool(named))
        self.assertGreater(min(reported.count(True), reported.count(False)), 5)

    def test_what_may_be_meant_is_not_named(self):
        """An omitted block, a start after 0, and data-dependent indices."""
        for begin, step, blocks in ((0, 16, 2), (8, 16, 3), (0, 64, 1)):
            @T.prim_func
            def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
                with T.Kernel(blocks, threads=32) as bx:
                    for i in T.Parallel(16):
                        B[begin + bx * step + i] = A[i]
            self.assertEqual(said(tilelang.compile, main)[1], [], (begin, step, blocks))

        @T.prim_func
        def scattered(A: T.Tensor((64,), "int32"), B: T.Tensor((100,), "int32")):
            with T.Kernel(4, threads=32) as bx:
                for i in T.Parallel(16):
                    B[A[bx * 16 + i]] = i
        self.assertEqual(said(tilelang.compile, scattered, [1])[1], [])

        @T.prim_func
        def sums(A: T.Tensor((64,), "int32"), B: T.Tensor((65,), "int32")):
            with T.Kernel(4, threads=32) as bx:
                for i in T.Parallel(16):
                    B[bx * 16 + i + 1] = A[bx * 16 + i]
                if bx == 0:
                    B[0] = 0
        self.assertEqual(said(tilelang.compile, sums, [1])[1], [])


def normalised(dim, change):
    """Each element by the sum of its row (dim=1) or column, as `change` writes it."""
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=32):
            x = T.alloc_fragment((32, 32), "float32")
            y = T.alloc_fragment((32, 32), "float32")
            v = T.alloc_fragment((32,), "float32")
            T.copy(A, x)
            T.copy(A, y)
            T.reduce_sum(x, v, dim=dim)
            for i in T.Parallel(32):
                v[i] = v[i] + 1.0
            for i, j in T.Parallel(32, 32):
                change(x, y, v, i, j)
            T.copy(x, B)
    return tilelang.compile(main)


@T.macro
def by_row(x, y, v, i, j):
    x[i, j] = x[i, j] / v[i]


@T.macro
def by_column(x, y, v, i, j):
    x[i, j] = x[i, j] / v[j]


@T.macro
def by_both(x, y, v, i, j):
    x[i, j] = x[i, j] / (v[i] * v[j])


@T.macro
def of_another(x, y, v, i, j):
    y[i, j] = y[i, j] / v[j]


class Reduced(unittest.TestCase):
    def test_the_index_that_is_gone(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for dim, change, wrong in ((1, by_row, False), (1, by_column, True), (0, by_row, True), (0, by_column, False),
                                       (1, by_both, False), (0, by_both, False), (1, of_another, False)):
                with self.subTest(dim=dim, change=change.__name__):
                    _, words = said(normalised, dim, change)
                    self.assertEqual(any("reduced-index" in w for w in words), wrong, words)

    def test_a_vector_with_other_values_is_not_judged(self):
        @T.prim_func
        def main(A: T.Tensor((32, 32), "float32"), bias: T.Tensor((32,), "float32"), B: T.Tensor((32, 32), "float32")):
            with T.Kernel(1, threads=32):
                x = T.alloc_fragment((32, 32), "float32")
                v = T.alloc_fragment((32,), "float32")
                T.copy(A, x)
                T.reduce_sum(x, v, dim=1)
                T.copy(bias, v)
                for i, j in T.Parallel(32, 32):
                    x[i, j] = x[i, j] + v[j]
                T.copy(x, B)
        self.assertFalse(any("reduced-index" in w for w in said(tilelang.compile, main)[1]))


EQUATION = """
import tilelab.language as T
@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=32):
        for i, j in T.Parallel(6, 5):
            k = {known}
            if {condition}:
                A[{index} + 20] = i * 8.0 + j
"""


class Equations(unittest.TestCase):
    """Iterations that write the same element, where a condition leaves some of them: counted one by one."""

    def test_a_condition_that_leaves_one_iteration_an_element(self):
        seed = random.randrange(10**6)
        rng, reported = random.Random(seed), []
        for number in range(120):
            text, writes = self.kernel(rng)
            if not writes:
                continue
            file = f"equation {number}"
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
            names = {}
            exec(compile(text, file, "exec"), names)
            words = said(tilelang.compile, names["main"])[1]
            same = len(writes) > len(set(writes))
            self.assertEqual(any("parallel-same-element" in w for w in words), same, f"seed {seed}: {text}")
            reported.append(same)
        self.assertGreater(min(reported.count(True), reported.count(False)), 10)

    @staticmethod
    def kernel(rng):
        """A text, and the element that each iteration writes."""
        index, missing = rng.choice((("i", "j"), ("j", "i"), ("2 * i - 3", "j"), ("7 - j", "i"), ("0", "ij")))
        terms = []
        for var in missing if rng.random() < 0.7 else missing[:-1]:
            factor, other = rng.choice((-2, -1, 1, 3)), rng.choice((0, 1, -1))
            rest = f" + {other} * {'i' if var == 'j' else 'j'}" if missing != "ij" and other else ""
            terms.append(f"{factor} * {var}{rest} {'+ k ' if rng.random() < 0.3 else ''}== {rng.randrange(-2, 8)}")
        terms += rng.choice(([], ["n >= n"], [f"{'j' if missing == 'i' else 'i'} == 2"] if missing != "ij" else []))
        rng.shuffle(terms)
        known = rng.choice(("3", "0 - 1"))
        condition = " and ".join(terms) or "n >= n"
        names = dict(n=1, k=eval(known))
        writes = [eval(index, {**names, "i": i, "j": j}) for i in range(6) for j in range(5)
                  if eval(condition, {**names, "i": i, "j": j})]
        return EQUATION.format(known=known, condition=condition, index=index), writes


class InPlace(unittest.TestCase):
    def test_a_scan_in_place_in_a_loop_is_no_dead_store(self):
        @tilelang.jit
        def sums():
            n = T.dynamic("n")

            @T.prim_func
            def kernel(X: T.Tensor((n, 64), "float32"), Y: T.Tensor((64,), "float32")):
                with T.Kernel(1, threads=64):
                    L = T.alloc_shared((64,), "float32")
                    total = T.alloc_fragment((64,), "float32")
                    T.clear(total)
                    for t in T.serial(n):
                        for i in T.Parallel(64):
                            L[i] = X[t, i]
                        T.cumsum(L, dim=0)
                        for i in T.Parallel(64):
                            total[i] += L[i] * L[63]
                    T.copy(total, Y)

            return kernel

        for n in (1, 3):
            self.assertEqual(said(sums(), np.ones((n, 64), "float32"), np.zeros(64, "float32"))[1], [])


if __name__ == "__main__":
    unittest.main()
