# SPDX-License-Identifier: Apache-2.0
"""Names of TileLang for functions, vectors and layouts of CUDA: T.__fns, T.__ldg, T.Broadcast, make_mma_swizzle_layout."""
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T
from tilelab.layout.mma import make_mma_swizzle_layout


def fns(mask, base, offset):
    """The pseudocode of `fns` in the PTX ISA."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    position, left = base, abs(offset) - 1
    while 0 <= position < 32:
        if mask >> position & 1:
            if left == 0:
                return position
            left -= 1
        position += 1 if offset > 0 else -1
    return 0xFFFFFFFF


class CudaNames(unittest.TestCase):
    def test_fns(self):
        masks = np.array([0, 1, 0x80000000, 0xFFFFFFFF, 0x0F0F00F1, 0xA5A5A5A5, 0x00010000], "uint32")
        bases, offsets = np.array([0, 1, 7, 16, 30, 31]), np.array([-40, -32, -9, -2, -1, 0, 1, 2, 5, 16, 32, 33])
        cases = [(m, b, o) for m in masks for b in bases for o in offsets]
        n = len(cases)

        @tilelang.jit
        def kernel(M, A, B):
            M: T.Tensor((n,), "uint32")
            A: T.Tensor((n, 2), "int32")
            B: T.Tensor((n, 2), "uint32")
            with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
                at = bx * 32 + T.get_thread_binding()
                if at < n:
                    B[at, 0] = T.__fns(M[at], A[at, 0], A[at, 1])
                    B[at, 1] = T.__fns(0xA5, 2, 2)
        found = np.zeros((n, 2), "uint32")
        kernel(np.array([c[0] for c in cases], "uint32"), np.array([c[1:] for c in cases], "int32"), found)
        np.testing.assert_array_equal(found[:, 0], [fns(int(m), int(b), int(o)) for m, b, o in cases])
        self.assertEqual(set(found[:, 1]), {fns(0xA5, 2, 2)})

    def test_ldg_and_broadcast(self):
        @tilelang.jit
        def kernel(A, B):
            A: T.Tensor((37,), "int8")
            B: T.Tensor((37, 32), "int8")
            with T.Kernel(37, threads=32) as bx:
                own = T.alloc_local((32,), "int8")
                own[0:32] = T.Broadcast(T.__ldg(A[bx]), 32)
                B[bx, 0:8] = own[0:8] + T.Broadcast(T.cast(1, "int8"), 8)
                B[bx, 8:32] = own[8:32]
                B[bx, 31] = T.Broadcast(T.__ldg(A, bx), 1) * 2
        a, b = np.arange(-18, 19, dtype="int8"), np.zeros((37, 32), "int8")
        kernel(a, b)
        np.testing.assert_array_equal(b, a[:, None] + np.r_[np.ones(8, "int8"), np.zeros(23, "int8"), 0] + np.outer(a, np.r_[np.zeros(31, "int8"), 1]))

    def test_broadcast_of_a_vector(self):
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32):
                A[0:8] = T.Broadcast(A[0:4], 2)
        with self.assertRaisesRegex(tilelang.CompileError, "vector-lanes"):
            T.prim_func(main)

    def test_swizzle_layout(self):
        for columns, smooth, swizzled in ((64, False, True), (64, True, False), (40, False, False), (128, False, True)):
            @tilelang.jit
            def kernel(A, B):
                A: T.Tensor((16, columns), "float16")
                B: T.Tensor((columns, 16), "float16")
                with T.Kernel(1, threads=32):
                    shared = T.alloc_shared((16, columns), "float16")
                    T.annotate_layout({shared: make_mma_swizzle_layout(shared, is_smooth=smooth)})
                    T.copy(A, shared)
                    for i, j in T.Parallel(columns, 16):
                        B[i, j] = shared[j, i]
            a, b = np.arange(16 * columns, dtype="float16").reshape(16, columns), np.zeros((columns, 16), "float16")
            with self.subTest(columns=columns, smooth=smooth):
                kernel(a, b)
                np.testing.assert_array_equal(b, a.T)
                self.assertEqual("^" in kernel.get_kernel_source(), swizzled)
        self.assertIs(T.make_mma_swizzle_layout, make_mma_swizzle_layout)


if __name__ == "__main__":
    unittest.main()
