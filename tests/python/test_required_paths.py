# SPDX-License-Identifier: Apache-2.0
"""require=: a kernel without a required code path is not compiled, and the error says why the path is lost."""

import pickle
import unittest
import warnings

import support
import tilelab as tilelang
import tilelab._core as core
import tilelab.language as T


def gemm(K=512, dtype="float16", bm=128, threads=256, stages=3, bias=False):
    @T.prim_func
    def gemm(A: T.Tensor((512, K), dtype), B: T.Tensor((K, 512), dtype), C: T.Tensor((512, 512), "float32"), D: T.Tensor((512,), "float32")):
        with T.Kernel(4, T.ceildiv(512, bm), threads=threads) as (bx, by):
            a, b = T.alloc_shared((bm, 64), dtype), T.alloc_shared((64, 128), dtype)
            c, d = T.alloc_fragment((bm, 128), "float32"), T.alloc_shared((128,), "float32")
            T.clear(c)
            if bias:
                T.copy(D[bx * 128], d)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages) if stages else T.serial(T.ceildiv(K, 64)):
                T.copy(A[by * bm, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            if bias:
                for i, j in T.Parallel(bm, 128):
                    c[i, j] += d[j]
            T.copy(c, C[by * bm, bx * 128])

    return gemm


@T.prim_func
def plain(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


class Required(unittest.TestCase):
    def taken(self, paths, target="sm_90a", **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tilelang.compile(gemm(**options), target=target, require=paths)

    def lost(self, paths, *texts, target="sm_90a", function=None, **options):
        with self.assertRaises(tilelang.CompileError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tilelang.compile(function or gemm(**options), target=target, require=paths)
        found = [d for d in caught.exception.diagnostics if d["name"] == "required-path"]
        self.assertTrue(found, str(caught.exception))
        for text in texts:
            self.assertIn(text, "".join(d["text"] for d in found))
        return found

    def test_paths_that_are_taken(self):
        for paths in ("wgmma", "copy_engine", "roles", "ring", "async_copy", "matrix_unit", ["TMA", "tensor-core"], "warp specialization,pipeline"):
            with self.subTest(paths):
                self.taken(paths)
        self.taken("sqmma", target="mp_31")
        self.taken("async_copy, mma", target="sm_80")
        self.taken("copy_engine", bias=True)  # the bias is loaded once, outside of the loop

    def test_the_error_says_why_a_path_is_lost(self):
        self.lost("wgmma", "T.gemm: it uses mma", "sm_80 has no wgmma; its matrix instructions are mma, dmma", target="sm_80")
        self.lost("wgmma", "multiply-adds of the threads compute it", "it reads f32 as tf32", dtype="float32")
        self.lost("wgmma", "it uses mma", "wgmma: no shape of it covers 32 x 128 x 64", bm=32)
        a, b = self.lost("tma", "no copy engine: rows of `A` are not known to start at multiples of 16 bytes", K=500)
        self.assertEqual((a["span"]["line"] + 1, b["span"]["column"]), (b["span"]["line"], a["span"]["column"]))
        self.lost("roles", "the target has no copy engine with barriers", target="sm_80")
        self.lost("ring", "its loops run in order", "no T.Pipelined loop", stages=0)
        self.lost("async_copy", "loads and stores of the threads copy it", "it is not in a pipelined loop", stages=0)

    def test_a_kernel_without_such_a_statement(self):
        self.lost("wgmma", "it has no T.gemm", function=plain)
        self.lost("copy_engine", "it has no T.copy from a tensor to shared memory", function=plain)
        self.lost("roles", "no T.Pipelined loop with copies to prefetch", function=plain)

    def test_unknown_paths(self):
        with self.assertRaises(tilelang.UsageError) as caught:
            self.taken("wgma")
        self.assertIn("error[pass-config-value]", str(caught.exception))
        self.assertIn("or another of matrix_unit, copy_engine", str(caught.exception))

    def test_jit_functions_and_kernels_require_as_well(self):
        @tilelang.jit(require=["wgmma"], target="sm_80")
        def factory(K):
            return gemm(K)

        @tilelang.jit(target="sm_80")
        def inside(A):
            A: T.Tensor((64,), "float32")
            T.annotate_pass_configs({"tilelab.require": "ring"})
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    A[i] = A[i] + 1.0

        for compile in (lambda: factory(512), inside.compile):
            with self.assertRaises(tilelang.CompileError) as caught:
                compile()
            self.assertIn("error[required-path]", str(caught.exception))

    def test_it_stays_with_the_kernel_but_not_with_its_views(self):
        kernel = self.taken("wgmma")
        self.assertIn("tilelab.require", pickle.loads(pickle.dumps(kernel)).prim_func.script())
        self.assertIn("mma", kernel.for_target("sm_80").get_kernel_source())
        self.assertIn("mma", str(kernel.source("sm_80")))

    def test_every_matrix_instruction_is_a_path(self):
        names = {name for name, _ in core.code_paths()}
        self.assertLessEqual({"wgmma", "mma", "dmma", "sqmma", "wmma", "mma_mp22", "matrix_unit", "copy_engine"}, names)
        with open(support.ROOT / "docs" / "options.md", encoding="utf-8") as file:
            page = file.read().partition("## tilelab.require")[2].partition("\n## ")[0]
        self.assertEqual({name for name in names if f"`{name}`" not in page}, set())


if __name__ == "__main__":
    unittest.main()
