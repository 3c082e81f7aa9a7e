# SPDX-License-Identifier: Apache-2.0
"""Clusters of blocks: launches that are not whole clusters, targets without clusters, traces, and the texts of kernels."""

import unittest
import warnings

import support  # noqa: F401
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def rotated(A: T.Tensor((T.dynamic("n"), 32), "float32"), B: T.Tensor((T.dynamic("n"), 32), "float32")):
    with T.Kernel(A.shape[0], cluster_dims=2, threads=32) as bx:
        mine = T.alloc_shared((32,), "float32")
        received = T.alloc_shared((32,), "float32")
        T.copy(A[bx, :], mine)
        T.copy_cluster(mine, received, dst_block=1 - T.block_rank_in_cluster())
        T.cluster_sync()
        T.copy(received, B[bx, :])


@T.prim_func
def doubled(A: T.Tensor((4, 32), "float32")):
    with T.Kernel(4, cluster_dims=2, threads=32) as bx:
        for i in T.Parallel(32):
            A[bx, i] = A[bx, i] * 2


class Clusters(unittest.TestCase):
    def test_every_call_checks_dynamic_grids(self):
        kernel = tilelang.compile(rotated, target="sm_90a")
        for n in (2, 6):
            a = np.arange(n * 32, dtype=np.float32).reshape(n, 32)
            for level in ("sim", "sim:thread", "sim:flat"):
                b = np.zeros_like(a)
                with support.device(level):
                    kernel(a, b)
                np.testing.assert_array_equal(b, a.reshape(n // 2, 2, 32)[:, ::-1].reshape(n, 32))
        with self.assertRaisesRegex(Exception, "along x is not a multiple of cluster_dims, 2"):
            kernel(np.zeros((3, 32), np.float32), np.zeros((3, 32), np.float32))

    def test_the_text_keeps_clusters(self):
        flat = tilelang.compile(rotated, target="sm_90a").ir(level="flat")
        self.assertIn('"cluster": [2, 1, 1]', flat.replace("'", '"'))
        self.assertIn("cluster_store(", flat)
        self.assertIn("__cluster_dims__(2, 1, 1)", tilelang.compile(rotated, target="sm_90a").get_kernel_source())

    def test_targets_without_clusters(self):
        for target in ("sm_80", "mp_31", "mp_22"):
            with self.assertRaisesRegex(tilelang.CompileError, rf"`copy_cluster` is not available on {target}: it has no clusters"):
                tilelang.compile(rotated, target=target).get_kernel_source()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kernel = tilelang.compile(doubled, target=target)
            self.assertIn("`cluster_dims` of T.Kernel is ignored", "\n".join(d["message"] for d in kernel._compilation.diagnostics))
            self.assertNotIn("__cluster_dims__", kernel.get_kernel_source())

    def test_without_clusters_a_cluster_is_a_block(self):
        @T.prim_func
        def main(B: T.Tensor((3,), "int32")):
            with T.Kernel(3, threads=32) as bx:
                T.cluster_sync()
                B[bx] = T.block_rank_in_cluster() + T.get_cluster_size() + T.get_cluster_extent()

        for level in ("sim", "sim:thread", "sim:flat"):
            b = np.zeros(3, np.int32)
            with support.device(level):
                tilelang.compile(main, target="sm_90a")(b)
            self.assertEqual(b.tolist(), [4, 4, 4])

    def test_tiles_of_the_first_block_of_a_mask(self):
        def factory(mask, dims, target="sm_90a"):
            @T.prim_func
            def main(A: T.Tensor((8, 64), "int32"), B: T.Tensor((8, 64), "int32")):
                with T.Kernel(4, 2, cluster_dims=dims, threads=32) as (bx, by):
                    tile = T.alloc_shared((16,), "int32")
                    row = by * 4 + bx
                    for k in T.Pipelined(4, num_stages=2):
                        T.copy_cluster(A[row, k * 16], tile, cluster_mask=mask)
                        T.copy(tile, B[by * 4 + bx, k * 16:k * 16 + 16])

            return tilelang.compile(main, target=target)

        a = np.arange(512, dtype=np.int32).reshape(8, 64)
        for mask, dims, first, *target in ((0b1010, 4, {1: 1, 3: 1, 5: 5, 7: 5}), (0b11, 2, {1: 0, 3: 2, 5: 4, 7: 6}), (0, 4, {}), (0b100, 4, {}),
                                           (0b1100, (2, 2, 1), {5: 4, 7: 6}), (0b0110, (2, 2, 1), {4: 1, 6: 3})):
            for level in ("sim", "sim:thread", "sim:flat"):
                b, wanted = np.full_like(a, -1), a.copy()
                for row, source in first.items():
                    wanted[row] = a[source]
                with support.device(level):
                    factory(mask, dims)(a, b)
                np.testing.assert_array_equal(b, wanted, f"{mask:b} {dims} {level}")

    def test_masks_that_are_refused(self):
        def factory(body, mask=3):
            @T.prim_func
            def main(A: T.Tensor((4, 16), "int32")):
                with T.Kernel(4, cluster_dims=2, threads=32) as bx:
                    tile = T.alloc_shared((16,), "int32")
                    row = T.alloc_var("int32", bx)
                    if body == 0:
                        T.copy_cluster(A[row, 0], tile, cluster_mask=mask)
                    if body == 1:
                        T.copy_cluster(tile, A[bx, 0:16], cluster_mask=mask)
                    if body == 2:
                        T.copy_cluster(A[bx, 0], tile, dst_block=0, cluster_mask=mask)
                    T.copy(tile, A[bx, 0:16])

            return tilelang.compile(main, target="sm_90a")

        for body, text in ((0, "depends on a variable"), (1, "other than from a tensor to a shared buffer"), (2, "the rank or the barrier of one block")):
            with self.assertRaisesRegex(tilelang.CompileError, text):
                factory(body)
        for mask in (4, -1):
            with self.assertRaisesRegex(tilelang.CompileError, "cluster_mask"):
                factory(0, mask)

    def test_ranks_of_three_dimensions(self):
        @T.prim_func
        def main(B: T.Tensor((4, 2, 6), "int32")):
            with T.Kernel(6, 2, 4, cluster_dims=(2, 1, 2), threads=32) as (bx, by, bz):
                B[bz, by, bx] = T.block_rank_in_cluster() + 10 * T.get_cluster_ids()[0] + 100 * T.get_cluster_id(2)

        b = np.zeros((4, 2, 6), np.int32)
        tilelang.compile(main, target="sm_90a")(b)
        z, _, x = np.indices(b.shape)
        np.testing.assert_array_equal(b, x % 2 + 2 * (z % 2) + 10 * (x // 2) + 100 * (z // 2))


if __name__ == "__main__":
    unittest.main()
