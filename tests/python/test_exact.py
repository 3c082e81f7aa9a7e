# SPDX-License-Identifier: Apache-2.0
"""kernel.check(exact=True): rounding is separated from the algorithm, and the reported line is the one that loses precision."""

import inspect
import json
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

M = 64


def matmul(accumulator="float32", dtype="float16", K=256, target="mp_31"):
    @T.prim_func
    def product(A: T.Tensor((M, K), dtype), B: T.Tensor((K, M), dtype), C: T.Tensor((M, M), dtype)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, 32), dtype)
            b = T.alloc_shared((32, M), dtype)
            c = T.alloc_fragment((M, M), accumulator)
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)
    return tilelang.compile(product, target=target)


def operands(K=256, dtype="float16"):
    rng = np.random.default_rng(0)
    return rng.random((M, K)).astype(dtype), rng.random((K, M)).astype(dtype), np.zeros((M, M), dtype)


def line_of(text, function):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def mapped(body, dtype="float32", n=256):
    """B = body(A), element by element."""
    @T.prim_func
    def each(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                B[i] = body(A[i])
    return tilelang.compile(each)


class Exact(unittest.TestCase):
    def test_a_right_kernel_says_so_in_one_line(self):
        for target in ("mp_31", "sm_90a"):
            exact = matmul("float32", "float32", target=target).check(*operands(dtype="float32"), exact=True).exact
            self.assertTrue(exact.right)
            self.assertEqual(len(str(exact).splitlines()), 2)  # one, folded at 100 columns
            self.assertIn("correct for its dtypes: C differs from float64", str(exact))
        self.assertTrue(matmul().check(*operands(), exact=True).exact.right)  # f16 in, f32 sums

    def test_an_accumulator_of_halves_is_the_origin_of_the_error(self):
        exact = matmul("float16", K=1024).check(*operands(1024), exact=True).exact
        self.assertFalse(exact.right)
        self.assertEqual(exact.origin, line_of("T.gemm(a, b, c)", matmul))
        self.assertLess(exact.without, exact.error / 2)
        self.assertIn("most of it arises in line", str(exact))
        self.assertIn("T.gemm(a, b, c)", str(exact))

    def test_a_tf32_matmul_is_the_origin_of_the_error(self):
        exact = matmul("float32", "tfloat32").check(*operands(dtype="float32"), exact=True).exact
        self.assertFalse(exact.right)
        self.assertEqual(exact.origin, line_of("T.gemm(a, b, c)", matmul))
        self.assertGreater(exact.error, 2 ** -13)
        self.assertLess(exact.error, 2 ** -9)
        self.assertLess(exact.without, 1e-6)

    def test_a_cast_on_the_way(self):
        @T.prim_func
        def narrowed(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
            with T.Kernel(1, threads=64):
                h = T.alloc_fragment((256,), "bfloat16")
                x = T.alloc_fragment((256,), "float32")
                T.copy(A, h)
                for i in T.Parallel(256):
                    x[i] = h[i] * T.float32(3.0)
                T.copy(x, B)

        a = np.random.default_rng(1).random(256, np.float32)
        exact = tilelang.compile(narrowed).check(a, np.zeros(256, np.float32), exact=True).exact
        self.assertEqual(exact.origin, line_of("T.copy(A, h)", self.test_a_cast_on_the_way))
        self.assertLess(exact.error, 2 ** -8)
        self.assertGreater(exact.error, 2 ** -11)
        self.assertLess(exact.without, 1e-6)

    def test_cancellation_within_one_line(self):
        kernel = mapped(lambda x: (x + 1e6) - 1e6)
        exact = kernel.check(np.random.default_rng(2).random(256, np.float32), np.zeros(256, np.float32), exact=True).exact
        self.assertFalse(exact.right)
        self.assertGreater(exact.error, 0.01)
        self.assertEqual(len(exact.lines), 1)
        self.assertLess(exact.without, 1e-7)

    def test_overflow_is_no_rounding_of_digits(self):
        kernel = mapped(lambda x: x * x, "float16")
        exact = kernel.check(np.full(256, 300, np.float16), np.zeros(256, np.float16), exact=True).exact
        self.assertIn("256 elements of B are not finite, but finite in float64", str(exact))
        self.assertEqual(json.loads(exact.json)["error"], "inf")

    def test_a_reference_judges_the_algorithm(self):
        a, b, c = operands(dtype="float32")
        kernel = matmul("float32", "float32")
        said = kernel.check(a, b, c, exact=True, against=lambda a, b, c: a @ b).exact
        self.assertLess(said.algorithm, 1e-12)
        self.assertIn("the algorithm is correct: float64", str(said))
        wrong = kernel.check(a, b, c, exact=True, against=lambda a, b, c: a @ b + 1).exact
        self.assertGreater(wrong.algorithm, 1e-3)
        self.assertIn("this is an error of", str(wrong))
        self.assertTrue(wrong.right)
        self.assertFalse(c.any())  # the arguments keep their values
        with self.assertRaisesRegex(ValueError, "the reference returns 2 results, but the kernel writes 1"):
            kernel.check(a, b, c, exact=True, against=lambda a, b, c: (a, b))

    def test_constants_of_float32_are_no_other_algorithm(self):
        a, b = np.random.default_rng(5).random(256, np.float32), np.zeros(256, np.float32)
        kernel = mapped(lambda x: x * 0.1)
        said = kernel.check(a, b, exact=True, against=lambda a, b: a * 0.1).exact
        self.assertGreater(said.algorithm, 1e-9)
        self.assertIn("the algorithm is correct: float64", str(said))

    def test_fast_functions_and_sums(self):
        kernel = mapped(lambda x: T.__exp(x))
        self.assertIn("fast functions", str(kernel.check(np.ones(256, np.float32), np.zeros(256, np.float32), exact=True)))

        @T.prim_func
        def summed(A: T.Tensor((64, 256), "float16"), B: T.Tensor((64,), "float16")):
            with T.Kernel(1, threads=64):
                r = T.alloc_fragment((64,), "float16")
                T.clear(r)
                for j in T.serial(256):
                    for i in T.Parallel(64):
                        r[i] += A[i, j]
                T.copy(r, B)

        a = np.random.default_rng(3).random((64, 256)).astype(np.float16)
        exact = tilelang.compile(summed).check(a, np.zeros(64, np.float16), exact=True).exact
        self.assertFalse(exact.right)
        self.assertEqual(exact.origin, line_of("r[i] += A[i, j]", self.test_fast_functions_and_sums))

    def test_outputs_that_a_call_makes_and_what_has_no_float64(self):
        @T.prim_func
        def halved(A: T.Tensor((64,), "float16"), n: T.int32, B: T.Tensor((64,), "float16"), C: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    B[i] = A[i] / T.float16(3.0)
                    C[i] = n

        a = np.random.default_rng(4).random(64).astype(np.float16)
        exact = tilelang.compile(halved, out_idx=[2, 3]).check(a, 3, exact=True).exact
        self.assertTrue(exact.right, str(exact))
        self.assertGreater(exact.error, 0)

        @T.prim_func
        def looked(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    B[i] = T.reinterpret(T.reinterpret(A[i], "int32") + 1, "float32")

        ones = np.ones(64, np.float32)
        with self.assertRaisesRegex(ValueError, "cannot be converted to float64: in line .* it accesses the bits of a number"):
            tilelang.compile(looked).check(ones, ones.copy(), exact=True)

        @T.prim_func
        def counted(C: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    C[i] = i

        with self.assertRaisesRegex(ValueError, "writes no floating value"):
            tilelang.compile(counted).check(np.zeros(64, np.int32), exact=True)


if __name__ == "__main__":
    unittest.main()
