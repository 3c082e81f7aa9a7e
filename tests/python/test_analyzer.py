# SPDX-License-Identifier: Apache-2.0
"""tilelang.tools.Analyzer and the models of tilelang.carver.arch."""

import unittest

import support  # noqa: F401
import tilelang
import tilelang.language as T
from tilelang.carver.arch import CUDA, check_sm_version, is_ampere_arch, is_hopper_arch
from tilelang.tools import Analyzer


def product(M, N, K, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), dtype)
            b = T.alloc_shared((128, 32), dtype)
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[bx * 128, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 128])
    return main


@T.prim_func
def scaled(X: T.Tensor((4096,), "float32"), Y: T.Tensor((4096,), "float32")):
    with T.Kernel(4, threads=128) as bx:
        for i in T.Parallel(1024):
            Y[bx * 1024 + i] = X[bx * 1024 + i] * 2.0


@T.prim_func
def moved(X: T.Tensor((4096,), "int32"), Y: T.Tensor((4096,), "int32")):
    with T.Kernel(4, threads=128) as bx:
        T.copy(X[bx * 1024:bx * 1024 + 1024], Y[bx * 1024:bx * 1024 + 1024])


class Analyses(unittest.TestCase):
    def test_product(self):
        device = CUDA("sm_90a")
        made = Analyzer.analysis(product(512, 256, 1024), device)
        self.assertEqual(made.total_flops, 2 * 512 * 256 * 1024)
        self.assertEqual(made.total_global_bytes, 8 * (128 + 128) * 1024 * 2 + 512 * 256 * 4)  # by 8 blocks
        self.assertEqual((made.expected_tflops, made.expected_bandwidth_GBps), (989.0, device.bandwidth[0] / 1000))
        self.assertAlmostEqual(made.estimated_time, made.total_global_bytes / (device.bandwidth[0] * 1e6))
        self.assertEqual(Analyzer.analysis(tilelang.compile(product(512, 256, 1024), target="sm_90a"), device), made)

    def test_what_threads_compute(self):
        made = Analyzer.analysis(scaled, CUDA("sm_80"))
        self.assertEqual((made.total_flops, made.total_global_bytes), (4096, 8 * 4096))

    def test_nothing_but_bytes(self):
        made = Analyzer.analysis(moved, CUDA("sm_90a"))
        self.assertEqual((made.total_flops, made.total_global_bytes, made.expected_tflops), (0, 8 * 4096, None))

    def test_extents_of_a_call(self):
        with self.assertRaisesRegex(ValueError, "needs values for n"):
            n = T.dynamic("n")

            @T.prim_func
            def sized(X: T.Tensor((n,), "float32")):
                with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
                    for i in T.Parallel(128):
                        X[bx * 128 + i] = 1.0
            Analyzer.analysis(sized, CUDA("sm_90a"))

    def test_models(self):
        a, h = CUDA("sm_80"), CUDA("sm_90a")
        self.assertEqual((a.sm_version, h.compute_capability, h.platform, repr(h)), (80, "90", "CUDA", "CUDA(sm_90a)"))
        self.assertEqual((is_ampere_arch(a), is_hopper_arch(a), is_hopper_arch(h)), (True, False, True))
        self.assertEqual([check_sm_version(arch) for arch in ("sm_90a", "80", "gfx942", "sm_sm_90", "")], [90, 80, -1, -1, -1])
        self.assertLess(h.bandwidth[0], h.bandwidth[1])
        with self.assertRaisesRegex(ValueError, "not an NVIDIA GPU"):
            CUDA("mp_31")


if __name__ == "__main__":
    unittest.main()
