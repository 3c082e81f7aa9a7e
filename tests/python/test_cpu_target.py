# SPDX-License-Identifier: Apache-2.0
"""Kernels for target="c": a block is one thread, as TileLang has it, at every level."""

import unittest

import support  # noqa: F401  (the path to the package)
import numpy as np

import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import settings

rng = np.random.default_rng(7)


def on_every_level(kernel, *inputs):
    """Outputs of tile, thread and flat level, which must agree to the bit; those of tile level."""
    found = []
    for level in ("tile", "thread", "flat"):
        settings.device = "sim:" + level
        try:
            out = kernel(*(x.copy() for x in inputs))
        finally:
            settings.device = "auto"
        found.append(out if isinstance(out, list) else [out])
    for other in found[1:]:
        for a, b in zip(found[0], other):
            np.testing.assert_array_equal(a, b)
    return found[0]


def running(combine, start):
    """Values before each combination, and the last one."""
    def of(values, first):
        before, now = [], first
        for v in values:
            before.append(now)
            now = combine(now, v)
        return np.array(before), now
    return lambda values: of(values.astype(np.float64), start)


class OneThread(unittest.TestCase):
    def test_old_values_of_atomics(self):
        for emit, combine, start in ((T.atomic_add, np.add, 1.0), (T.atomic_max, np.maximum, 0.0),
                                     (T.atomic_min, np.minimum, 0.0)):
            @T.prim_func
            def main(A: T.Tensor((8,), "float32"), B: T.Tensor((1,), "float32"), P: T.Tensor((8,), "float32")):
                with T.Kernel(1):
                    B[0] = start
                    for i in T.serial(8):
                        P[i] = emit(B[0], A[i], return_prev=True)

            a = rng.standard_normal(8).astype("float32")
            last, before = on_every_level(tilelang.compile(main, out_idx=[1, 2], target="c"), a)
            expected, end = running(combine, start)(a)
            np.testing.assert_allclose(before, expected, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(last[0], end, rtol=1e-6, atol=1e-6)

    def test_two_atomics_in_one_statement(self):
        @T.prim_func
        def main(A: T.Tensor((8,), "int32"), B: T.Tensor((2,), "int32"), P: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                B[0] = 0
                B[1] = 100
                for i in T.serial(8):
                    P[i] = T.atomic_add(B[0], A[i], return_prev=True) - T.atomic_add(B[1], A[i], return_prev=True)

        a = rng.integers(-50, 50, 8).astype("int32")
        last, differences = on_every_level(tilelang.compile(main, out_idx=[1, 2], target="c"), a)
        np.testing.assert_array_equal(differences, np.full(8, -100))
        np.testing.assert_array_equal(last, [a.sum(), 100 + a.sum()])

    def test_a_kernel_says_who_runs_it(self):
        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                for i in T.serial(8):
                    A[i] = 1.0
        kernel = tilelang.compile(main, target="c")
        for device, who in (("sim", "simulator"), ("sim:flat", "simulator"), ("cpu", "cpu")):
            settings.device = device
            try:
                self.assertEqual(kernel.execution_backend, who)
            finally:
                settings.device = "auto"

    def test_a_number_is_cast(self):
        @T.prim_func
        def main(B: T.Tensor((1,), "float32")):
            with T.Kernel(1):
                B[0] = 1.5
                T.atomic_add(B[0], 3)

        (out,) = on_every_level(tilelang.compile(main, out_idx=[0], target="c"))
        self.assertEqual(out[0], 4.5)

    def test_neighbours(self):
        @T.prim_func
        def main(V: T.Tensor((4,), "float16"), B: T.Tensor((4,), "float16"), C: T.Tensor((4,), "float32")):
            with T.Kernel(1):
                for i in T.serial(4):
                    B[i] = 1
                    C[i] = 2
                T.atomic_addx2(B[2], V[0:2])
                T.atomic_addx4(C, V)

        v = rng.standard_normal(4).astype("float16")
        b, c = on_every_level(tilelang.compile(main, out_idx=[1, 2], target="c"), v)
        np.testing.assert_array_equal(b, np.array([1, 1, np.float16(1) + v[0], np.float16(1) + v[1]], "float16"))
        np.testing.assert_array_equal(c, v.astype("float32") + 2)

    def test_indices_of_threads_are_0(self):
        @T.prim_func
        def main(B: T.Tensor((4,), "int32")):
            with T.Kernel(1, threads=1):
                B[0] = T.get_thread_binding(0)
                B[1] = T.get_thread_binding(1)
                B[2] = T.get_lane_idx()
                B[3] = T.get_warp_idx()

        (out,) = on_every_level(tilelang.compile(main, out_idx=[0], target="c"))
        np.testing.assert_array_equal(out, np.zeros(4))

    def test_a_kernel_that_says_what_each_thread_does_is_refused(self):
        @T.prim_func
        def turned(A: T.Tensor((64,), "float32")):
            with T.Kernel(2, threads=32) as bx:
                s = T.alloc_shared((32,), "float32")
                tx = T.get_thread_binding()
                s[tx] = A[bx * 32 + tx]
                T.sync_threads()
                A[bx * 32 + tx] = s[31 - tx]

        @T.prim_func
        def first(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                if T.get_warp_idx() == 1:
                    A[T.get_lane_idx()] = 1

        for func in (turned, first):
            with self.assertRaisesRegex(tilelang.CompileError, "(?s)threads per block, but cpu supports at most.*instead of T.get_thread_binding"):
                tilelang.compile(func, target="c")

    def test_gemm_in_local_memory(self):
        for trans_a, trans_b in ((False, False), (True, False), (False, True), (True, True)):
            def factory(M, N, K, block):
                @T.prim_func
                def main(A: T.Tensor((K, M) if trans_a else (M, K), "float32"),
                         B: T.Tensor((N, K) if trans_b else (K, N), "float32"), C: T.Tensor((M, N), "float32")):
                    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block)) as (bx, by):
                        a = T.alloc_local((block, block), "float32")
                        b = T.alloc_local((block, block), "float32")
                        c = T.alloc_local((block, block), "float32")
                        T.clear(c)
                        for k in T.serial(T.ceildiv(K, block)):
                            if trans_a:
                                T.copy(A[k * block, by * block], a)
                            else:
                                T.copy(A[by * block, k * block], a)
                            if trans_b:
                                T.copy(B[bx * block, k * block], b)
                            else:
                                T.copy(B[k * block, bx * block], b)
                            T.gemm(a, b, c, trans_a, trans_b)
                        T.copy(c, C[by * block, bx * block])
                return main

            kernel = tilelang.compile(factory(24, 16, 40, 16), out_idx=[2], target="c")
            a, b = rng.standard_normal((24, 40)).astype("float32"), rng.standard_normal((40, 16)).astype("float32")
            given = a.T.copy() if trans_a else a, b.T.copy() if trans_b else b
            (out,) = on_every_level(kernel, *given)
            np.testing.assert_allclose(out, a.astype("float64") @ b, rtol=1e-5, atol=1e-5)

    def test_fragments_and_reductions(self):
        @T.prim_func
        def main(A: T.Tensor((16, 24), "float32"), B: T.Tensor((16,), "float32")):
            with T.Kernel(1, threads=64):
                f = T.alloc_fragment((16, 24), "float32")
                s = T.alloc_fragment((16,), "float32")
                T.copy(A, f)
                for i, j in T.Parallel(16, 24):
                    f[i, j] = f[i, j] * 2
                T.reduce_max(f, s, dim=1)
                T.copy(s, B)

        a = rng.standard_normal((16, 24)).astype("float32")
        (out,) = on_every_level(tilelang.compile(main, out_idx=[1], target="c"), a)
        np.testing.assert_array_equal(out, a.max(axis=1) * 2)


if __name__ == "__main__":
    unittest.main()
