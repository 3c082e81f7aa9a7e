# SPDX-License-Identifier: Apache-2.0
"""Forms of Python and of TileLang's calls that other projects' kernels use."""
import functools  # noqa: F401
import operator  # noqa: F401
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

N = 64


def scaled(expression):
    """The kernel y[i] = expression of v = x[i], compiled from a text, and its result for x = -2 ... 2."""
    source = f"""
@tilelang.jit
def f(x: T.Tensor[(64,), T.float32], y: T.Tensor[(64,), T.float32]):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            v = x[i]
            y[i] = {expression}
"""
    names = dict(globals())
    exec(source, names)
    x, y = np.linspace(-2, 2, N, dtype=np.float32), np.zeros(N, np.float32)
    names["f"](x, y)
    return x, y


def helper(v, k=2):
    return v * k


def doubled(values):
    for value in values:
        yield value * 2
    yield from [values[0]]


def nothing(values):
    for value in values[:0]:
        yield value


class Forms(unittest.TestCase):
    def test_functions_of_python_take_dynamic_values(self):
        for expression, expected in {
            "T.if_then_else(operator.ge(v, 0), v, 0)": lambda v: np.maximum(v, 0), "operator.add(v, 1.0)": lambda v: v + 1,
            "operator.neg(v)": lambda v: -v, "operator.truediv(v, 2.0)": lambda v: v / 2, "pow(v, 2)": lambda v: v * v,
            "functools.reduce(lambda a, b: a + b, [v, v, v])": lambda v: 3 * v,
            "functools.reduce(operator.mul, [v, v], 2.0)": lambda v: 2 * v * v,
            "functools.reduce(T.max, [v, 0.5, -v])": lambda v: np.maximum(np.abs(v), 0.5),
            "sum(map(helper, [v, v]))": lambda v: 4 * v, "sum(map(helper, [v, v], [1, 3]))": lambda v: 4 * v,
            "sum(doubled([v, 1.0]))": lambda v: 3 * v + 2, "v + len(nothing([v]))": lambda v: v,
            "(w := v * 2) + w": lambda v: 4 * v, "eval('v * 3')": lambda v: 3 * v, "v * eval('2 ** 3')": lambda v: 8 * v,
            "v * len([c for c in 'int8' if c.isdigit()])": lambda v: v,
        }.items():
            x, y = scaled(expression)
            self.assertTrue(np.allclose(y, expected(x), atol=1e-5), expression)

    def test_a_walrus_in_a_condition_and_in_a_loop(self):
        @tilelang.jit
        def f(x, y):
            x: T.Tensor((64,), "float32")
            y: T.Tensor((64,), "float32")
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    total = 0.0
                    for k in T.serial(3):
                        if (term := x[i] * k) > 1:
                            total = total + term
                    y[i] = total

        x, y = np.linspace(-2, 2, N, dtype=np.float32), np.zeros(N, np.float32)
        f(x, y)
        self.assertTrue(np.allclose(y, sum(np.where(x * k > 1, x * k, 0) for k in range(3)), atol=1e-6))

    def test_a_string_is_a_list_of_characters(self):
        @T.macro
        def scale(A, dtype):
            n = int("".join(c for c in dtype if c.isdigit()))
            for i in T.Parallel(64):
                A[i] = A[i] * n

        @T.prim_func
        def f(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                scale(A, "int8é")

        a = np.ones(64, np.float32)
        tilelang.compile(f)(a)
        self.assertTrue((a == 8).all())

    def test_names_that_only_an_annotation_uses(self):
        def make(k, m):
            n = T.dynamic("n")
            half = k // 2

            @tilelang.jit
            def scale(x: T.Tensor[(n, k), T.float32], y: T.Tensor[(n, m), T.float32]):
                with T.Kernel(n, threads=32) as i:
                    for j in T.Parallel(half):
                        y[i, j] = x[i, j] * 2.0
            return scale

        class Lazy:
            @staticmethod
            def prim_func(function):
                return T.prim_func(function)

            def __getattr__(self, name):
                return getattr(T, name)

        lazy = Lazy()

        @tilelang.jit
        def outer(w):
            shape, kind = (4, w), "float32"

            @lazy.prim_func
            def main(x: lazy.Tensor(shape, kind), y: lazy.Tensor(shape, kind)):
                with lazy.Kernel(4, threads=32) as i:
                    for j in lazy.Parallel(64):
                        y[i, j] = x[i, j] * 2.0
            return main

        x = np.ones((3, 64), np.float32)
        y = np.zeros((3, 32), np.float32)
        make(64, 32)(x, y)
        self.assertTrue((y == 2).all())
        x, y = np.ones((4, 64), np.float32), np.zeros((4, 64), np.float32)
        outer(64)(x, y)
        self.assertTrue((y == 2).all())

    def test_jit_over_a_prim_func(self):
        @tilelang.jit(out_idx=-1)
        @T.prim_func
        def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    B[i] = A[i] + 1

        self.assertTrue((k(np.ones(64, np.float32)) == 2).all())
        self.assertTrue((k()(np.ones(64, np.float32)) == 2).all())

    def test_pass_configurations_of_a_compilation(self):
        @tilelang.jit
        def eager(A, n: int):
            N = T.const("N")
            A: T.Tensor((N,), "float32")
            C = T.empty((N,), "float32")
            with T.Kernel(1, threads=64):
                for i in T.Parallel(n):
                    C[i] = A[i] + 1
            return C

        kernel = eager.compile(N=64, n=64, pass_configs={"tilelab.hardware_units": False})
        self.assertTrue("tilelab.hardware_units" in kernel.ir())

    def test_a_keyword_that_the_kernel_does_not_have(self):
        @tilelang.jit
        def f(x, w: int):
            parts = T.dynamic("parts")
            x: T.Tensor((parts, w), "float32")
            with T.Kernel(parts, threads=32) as p:
                for j in T.Parallel(w):
                    x[p, j] = x[p, j] + p

        x = np.zeros((2, 32), np.float32)
        f(x, 32, n_splits=2)
        f(x, 32, n_splits=3)
        self.assertTrue((x[1] == 2).all() and len(f._cache) == 1)

    def test_functions_of_numbers_outside_of_a_kernel(self):
        self.assertTrue(T.Cast("float32", 2.0) == 2.0 and T.exp2(3) == 8 and T.if_then_else(True, 1, 2) == 1)
        with self.assertRaisesRegex(tilelang.NoBuilderError, "can only be used inside a kernel"):
            T.exp(T.dynamic("n"))

    def test_names_of_tvm(self):
        @T.prim_func
        def f(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                unused = T.alloc_local(0, "float32")  # noqa: F841
                s = T.alloc_shared((64,), "float32")
                tx = T.thread_binding(64, "threadIdx.x")
                s[tx] = A[tx]
                T.tvm_storage_sync("shared")
                T.tvm_storage_sync("warp")
                A[tx] = s[63 - tx]

        a = np.arange(64, dtype=np.float32)
        tilelang.compile(f)(a)
        self.assertTrue((a == np.arange(64)[::-1]).all())

    def test_extents_that_simplify(self):
        @T.prim_func
        def main(x: T.Tensor((64, 64), "float32"), y: T.Tensor((64, 64), "float32")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((32, 64), "float32")
                for k in T.serial(2):
                    T.copy(x[k * 64 // 2:(k + 1) * 64 // 2, :], s)
                    T.copy(s, y[k * 64 >> 1:(k + 1) * 64 >> 1, :])

        x, y = np.random.rand(64, 64).astype(np.float32), np.zeros((64, 64), np.float32)
        tilelang.compile(main)(x, y)
        self.assertTrue((x == y).all())


if __name__ == "__main__":
    unittest.main()
