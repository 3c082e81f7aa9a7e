# SPDX-License-Identifier: Apache-2.0
"""kernel.shrink(): the result still fails in the same way, and is small."""

import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab._tools import shrink as shrinking


@tilelang.jit(out_idx=[-1])
def product(M, N, K, BM=64, BN=64, BK=32, units=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": units})
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            a = T.alloc_shared((BM, BK), "float16")
            b = T.alloc_shared((BK, BN), "float16")
            c = T.alloc_fragment((BM, BN), "float32")
            s = T.alloc_shared((BM, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c)
            T.copy(c, s)
            for i, j in T.Parallel(BM, BN):
                s[i, j] = s[i, BN - 1 - j] + 1.0
            T.copy(s, C[by * BM, bx * BN])
    return main


@T.prim_func
def gathered(A: T.Tensor((256,), "int32"), B: T.Tensor((256,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64,), "float32")
        t = T.alloc_shared((64,), "float32")
        T.fill(s, 1.0)
        T.fill(t, 2.0)
        for i in T.Parallel(64):
            B[bx * 64 + i] = s[A[bx * 64 + i]] + t[i]


@tilelang.jit(out_idx=[-1])
def last_is_missing(N, block=32):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = T.if_then_else(bx * block + i < 40, A[bx * block + i] + 1.0, 0.0)
    return main


@tilelang.jit(out_idx=[-1])
def overrun(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=256) as by:
            s = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            full = T.alloc_barrier(128)
            for k in range(T.ceildiv(N, 32)):
                with T.ws(1):
                    T.copy(A[by * 16, k * 32], s)
                    T.barrier_arrive(full)
                with T.ws(0):
                    T.barrier_wait(full, k % 2)
                    T.copy(s, f)
                    T.copy(f, B[by * 16, k * 32])
    return main


@T.prim_func
def neighbours(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        T.copy(A, s)
        for i in T.Parallel(64):
            s[i] = s[i + 8]


@tilelang.jit(out_idx=[-1])
def exponentials(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=32) as by:
            x = T.alloc_fragment((N,), "float32")
            y = T.alloc_fragment((N,), "float32")
            T.copy(A[by, 0], x)
            T.clear(y)
            for i in T.Parallel(N):
                x[i] = T.exp(x[i]) + y[i]
            T.copy(x, B[by, 0])
    return main


def halves(*shape):
    return np.random.default_rng(5).standard_normal(shape).astype(np.float16)


class Findings(unittest.TestCase):
    def check_race(self, units):
        found = product.compile(M=128, N=128, K=64, units=units).shrink(halves(128, 64), halves(64, 128))
        data = json.loads(found.json)
        self.assertEqual(data["finding"], "race")
        self.assertLess(data["lines"][1], data["lines"][0] * 0.4, str(found))  # most statements are gone
        self.assertTrue(all(data["constants"][n] <= 4 for n in ("M", "N", "K", "BM", "BN")), str(found))
        self.assertNotIn("gemm", data["text"])
        with self.assertRaisesRegex(RuntimeError, "race: s"):  # and it still fails
            found.kernel.check(*found.values)
        return found

    def test_sizes_and_statements(self):
        self.check_race(False)

    def test_a_kernel_of_units(self):
        self.check_race(True)

    def test_a_kernel_without_sizes(self):
        a = np.zeros(256, np.int32)
        a[200] = 70
        found = tilelang.compile(gathered).shrink(a, np.zeros(256, np.float32))
        self.assertEqual(json.loads(found.json)["finding"], "out-of-bounds")
        self.assertNotIn("fill", found.text)
        with self.assertRaisesRegex(RuntimeError, "out-of-bounds"):
            found()

    def test_what_is_clean_has_nothing_to_shrink(self):
        with self.assertRaisesRegex(ValueError, "nothing to shrink; a wrong result needs a reference, --against"):
            tilelang.compile(gathered).shrink(np.zeros(256, np.int32), np.zeros(256, np.float32))

    def test_arguments_keep_their_values(self):
        a = halves(128, 64)
        before = a.copy()
        product.compile(M=128, N=128, K=64).shrink(a, halves(64, 128))
        self.assertTrue((a == before).all())


    def test_a_deadlock_keeps_its_arrivals_and_the_smallest_size(self):
        found = overrun.compile(M=40, N=100).shrink(np.ones((40, 100), np.float32))
        self.assertEqual(json.loads(found.json)["finding"], "deadlock")
        self.assertEqual((found.constants["M"], found.constants["N"]), (1, 33), str(found))  # two iterations are needed
        self.assertIn("bar_arrive(full", found.text)
        self.assertNotIn("fragment", found.text, found.text)

    def test_parameters_that_are_left_over(self):
        @tilelang.jit(out_idx=[2, -1])
        def factory(N: int = 64):
            @T.prim_func
            def main(A: T.Tensor((N,), "float32"), scale: T.float32, D: T.Tensor((2, N), "float32"),
                     B: T.Tensor((N, N), "float32"), C: T.Tensor((N,), "float32")):
                with T.Kernel(2, threads=32) as bx:
                    for i in T.Parallel(N):
                        D[bx, i] = B[i, 0] * scale
                    for i in T.Parallel(N):
                        C[i] = A[i]
            return main

        values = np.ones(64, "float32"), 2.0, np.ones((64, 64), "float32")
        made = factory(N=64).shrink(*values)
        self.assertEqual(made.removed, ["scale", "D", "B"])
        self.assertEqual([value.shape for value in made.values], [(1,)])
        self.assertIn("def factory(A: tensor(f32, [1]), C: tensor(f32, [1])) -> outputs(1):", made.text)
        self.assertIn("without scale, D, B", str(made))
        self.assertNotIn("[64, 64]", str(made).split("text:")[0])
        with self.assertRaises(tilelang.KernelError):
            made.kernel.check(*made.values)

    def test_a_head_without_a_parameter(self):
        lines = ["ir(1)", "def f(A: tensor(f32, [N, 4], strides=(4, 1)), n: i32) -> outputs(0, 1):", "    check_tensor(A, align=16)", "    x"]
        self.assertEqual(shrinking.without_parameter(lines, 0), ["ir(1)", "def f(n: i32) -> outputs(0):", "    x"])
        self.assertEqual(shrinking.without_parameter(shrinking.without_parameter(lines, 1), 0), ["ir(1)", "def f():", "    x"])

    def test_extents_of_the_text(self):
        found = tilelang.compile(neighbours).shrink(np.ones(64, np.float32))
        self.assertIn("= shared(f32, [9])", found.text)  # of iterations with distance 8
        self.assertIn("in parallel(9):", found.text)

    def test_where_nan_begins(self):
        a = np.ones((32, 64), np.float32)
        a[20, 5] = 100
        found = exponentials.compile(M=32, N=64).shrink(a)
        self.assertEqual(json.loads(found.json)["finding"], "not-finite")
        self.assertEqual(found.constants["M"], 21, str(found))
        self.assertIn("x[i] = exp(x[i])", found.text)
        self.assertFalse(np.isfinite(found()).all())


class Results(unittest.TestCase):
    def test_the_smallest_size_with_a_wrong_result(self):
        a = np.ones(1000, np.float32)
        found = last_is_missing.compile(N=1000).shrink(a, against=lambda a: a + 1)
        self.assertEqual(found.constants["N"], 41, str(found))  # up to 40 it is right
        self.assertFalse(np.allclose(found(), 2))
        with self.assertRaisesRegex(ValueError, "equals the reference"):
            last_is_missing.compile(N=32).shrink(a[:32], against=lambda a: a + 1)

    def test_an_output_that_the_caller_brings(self):
        @T.prim_func
        def twice(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(64):
                    B[i] = A[i] * 2.0

        a, b = np.ones(64, np.float32), np.zeros(64, np.float32)
        with self.assertRaisesRegex(ValueError, "equals the reference"):
            tilelang.compile(twice).shrink(a, b, against=lambda a: a * 2)
        self.assertTrue(str(tilelang.compile(twice).shrink(a, b, against=np.negative)))

        def almost(a):  # %check and %shrink say "wrong" of the same differences
            return a * 2.01

        self.assertFalse(tilelang.compile(twice).check(a, b, against=almost).compared.right)
        self.assertTrue(str(tilelang.compile(twice).shrink(a, b, against=almost)))


class Interrupts(unittest.TestCase):
    def test_the_smallest_so_far_is_kept(self):
        kernel, tries = product.compile(M=128, N=128, K=64), []
        plain = shrinking.Wrong.holds

        def holds(self, func, values):
            tries.append(func)
            if len(tries) == 12:
                raise KeyboardInterrupt
            return plain(self, func, values)

        shrinking.Wrong.holds = holds
        try:
            found = kernel.shrink(halves(128, 64), halves(64, 128))
        finally:
            shrinking.Wrong.holds = plain
        self.assertIn("interrupted: this is the smallest so far", str(found))
        self.assertLess(found.constants["M"], 128)
        with self.assertRaisesRegex(RuntimeError, "race"):
            found.kernel.check(*found.values)


if __name__ == "__main__":
    unittest.main()
