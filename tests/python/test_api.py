# SPDX-License-Identifier: Apache-2.0
"""Features that scripts for TileLang rely on: jit functions, kernels, caches, arguments."""

import contextlib
import io
import subprocess
import sys
import unittest
import warnings

import support
import numpy as np

import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def add(A, B, BLOCK: int = 64, dtype=T.float32):
    N = T.const("N")
    A: T.Tensor((N,), dtype)
    B: T.Tensor((N,), dtype)
    C = T.empty((N,), dtype)
    with T.Kernel(T.ceildiv(N, BLOCK), threads=64) as bx:
        for i in T.Parallel(BLOCK):
            C[bx * BLOCK + i] = A[bx * BLOCK + i] + B[bx * BLOCK + i]
    return C


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            A_s = T.alloc_shared((32, 32), dtype)
            B_s = T.alloc_shared((32, 32), dtype)
            C_l = T.alloc_fragment((32, 32), "float32")
            T.clear(C_l)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 32, k * 32], A_s)
                T.copy(B[k * 32, bx * 32], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C[by * 32, bx * 32])

    return main


FACTOR = 2.0


@tilelang.jit
def scale(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    C = T.empty((N,), "float32")
    with T.Kernel(1) as _:
        for i in T.Parallel(N):
            C[i] = A[i] * FACTOR
    return C


def f32(n):
    return np.arange(n, dtype=np.float32)


class Styles(unittest.TestCase):
    def test_eager_runs_and_specialises(self):
        for n in (64, 1000, 1):
            np.testing.assert_array_equal(add(f32(n), np.ones(n, np.float32)), f32(n) + 1)

    def test_compile_needs_no_tensors(self):
        kernel = add.compile(N=128, BLOCK=32)
        self.assertIsInstance(kernel, tilelang.JITKernel)
        self.assertEqual([p.shape for p in kernel.params], [[128]] * 3)
        self.assertTrue(kernel.params[0].dtype == "float32")
        self.assertIn("grid=[4, 1, 1]", kernel.ir())
        self.assertIs(add.compile(N=128, BLOCK=32), kernel)
        with self.assertRaisesRegex(TypeError, "no parameter or constant 'Q'"):
            add.compile(N=128, Q=3)
        with self.assertRaisesRegex(tilelang.CompileError, "const-missing"):
            add.compile()

    def test_factory(self):
        rng = np.random.default_rng(1)
        a, b = (rng.standard_normal(s).astype(np.float16) for s in ((100, 80), (80, 70)))
        kernel = matmul(100, 70, 80)
        self.assertEqual(kernel.name, "matmul")
        np.testing.assert_allclose(kernel(a, b), a.astype(float) @ b.astype(float), atol=1e-3)
        kernel.get_profiler().assert_allclose(lambda x, y: x.astype("f4") @ y.astype("f4"))
        with self.assertRaises(AssertionError):
            kernel.get_profiler().assert_allclose(lambda x, y: 1.2 * (x.astype("f4") @ y.astype("f4")))

    def test_generated_code(self):
        source = matmul(128, 128, 128).get_kernel_source()
        self.assertIn("__global__", source)
        self.assertIn("matmul_k0", source)

    def test_captured_values_are_guards(self):
        global FACTOR
        np.testing.assert_array_equal(scale(f32(8)), f32(8) * 2)
        FACTOR = 3.0
        try:
            np.testing.assert_array_equal(scale(f32(8)), f32(8) * 3)
        finally:
            FACTOR = 2.0

    def test_dynamic_extents(self):
        m = T.dynamic("m")

        @T.prim_func
        def main(A: T.Tensor((m, 4), "int32"), B: T.Tensor((m, 4), "int32"), n: T.int32):
            with T.Kernel(T.ceildiv(m, 8), threads=32) as bx:
                for i, j in T.Parallel(8, 4):
                    B[bx * 8 + i, j] = A[bx * 8 + i, j] + n

        kernel = tilelang.compile(main, out_idx=1)
        for rows in (3, 8, 21):
            a = np.arange(rows * 4, dtype=np.int32).reshape(rows, 4)
            np.testing.assert_array_equal(kernel(a, 5), a + 5)

    def test_profiler_of_dynamic_extents(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n, 4), "float32"), B: T.Tensor((n * 4,), "float32")):
            with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
                for i, j in T.Parallel(32, 4):
                    B[(bx * 32 + i) * 4 + j] = A[bx * 32 + i, j]

        profiler = tilelang.compile(main, out_idx=[1]).get_profiler()
        inputs = profiler._get_inputs(True, {"n": 24})
        self.assertEqual([tuple(x.shape) for x in inputs], [(24, 4), (96,)])
        self.assertGreater(profiler.do_bench(rep=1, warmup=0, dynamic_symbolic_constraints={"n": 24}), 0)
        with self.assertRaisesRegex(ValueError, "not found in constraints"):
            profiler.do_bench(dynamic_symbolic_constraints={"m": 24})

    def test_print_of_a_message(self):
        @T.prim_func
        def main(A: T.Tensor((1,), "float32")):
            with T.Kernel(1, threads=32):
                if T.get_thread_binding() == 3:
                    T.print(msg="here")
                A[0] = 1

        kernel = tilelang.compile(main)
        from tilelab._compiler import settings
        for level in ("tile", "thread", "flat"):
            settings.device = "sim:" + level
            shown = io.StringIO()
            try:
                with contextlib.redirect_stdout(shown):
                    kernel(np.zeros(1, "float32"))
            finally:
                settings.device = "auto"
            self.assertEqual(shown.getvalue().count("here"), 1, shown.getvalue())

    def test_what_a_kernel_leaves_is_poison(self):
        @tilelang.jit
        def half(A):
            N = T.const("N")
            A: T.Tensor((N,), "float32")
            C = T.empty((N,), "float32")
            D = T.empty((2, 2), "uint8")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N // 2):
                    C[i] = A[i]
                D[1, 0] = 7
            return C, D

        a = f32(4)
        several = half(a)
        self.assertIsInstance(several, list)  # as in TileLang
        c, d = several
        self.assertEqual(list(c[:2]), list(a[:2]))
        self.assertTrue(np.isnan(c[2:]).all())
        self.assertEqual(d.tolist(), [[0xA5, 0xA5], [7, 0xA5]])

    def test_isinstance_of_what_python_does_not_see(self):
        @T.macro
        def kind(x):
            if isinstance(x, (T.Buffer, T.Tensor)):
                return 1
            if isinstance(x, T.Var):
                return 2
            if isinstance(x, (int, float)):
                return 3
            return 4 if isinstance(x, (int, T.PrimExpr)) else 5

        @T.prim_func
        def main(A: T.Tensor((7,), "int32"), B: T.Tensor((7,), "int32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((8,), "int32")
                v = T.alloc_var("int32", init=0)
                B[0] = kind(A)
                B[1] = kind(s)
                B[2] = kind(v)
                B[3] = kind(1)
                B[4] = kind(0.5)
                B[5] = kind(A[0] + 1)  # a macro gives it a name
                B[6] = kind(A[v])

        kernel = tilelang.compile(main, out_idx=[1])
        np.testing.assert_array_equal(kernel(np.zeros(7, "int32")), [1, 1, 2, 3, 3, 2, 4])
        self.assertEqual(kernel.execution_backend, "simulator")

    def test_macros_helpers_and_lambdas(self):
        @T.macro
        def bump(x: T.Ref, by):
            x = x + by

        def relu(v):
            return T.max(v, 0)

        twice = lambda v: v * 2  # noqa: E731

        @T.prim_func
        def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32):
                x = T.alloc_var("int32")
                bump(x, 3)
                for i in T.serial(8):
                    B[i] = relu(twice(A[i])) + x

        a = np.arange(-4, 4, dtype=np.int32)
        for last in (-1, np.int64(-1), [np.int32(-1)]):
            np.testing.assert_array_equal(tilelang.compile(main, out_idx=last)(a), np.maximum(a * 2, 0) + 3)


class Arguments(unittest.TestCase):
    def refused(self, text, *values):
        kernel = matmul(64, 32, 32)
        with self.assertRaisesRegex(tilelang.ArgumentError, text):
            kernel(*values)

    def test_each_mistake_has_its_message(self):
        a, b = np.zeros((64, 32), np.float16), np.zeros((32, 32), np.float16)
        self.refused(r"expected 2 inputs \(A, B\), but 1 are provided", a)
        self.refused(r"argument A: shape\[0\] is 32, expected 64", b, b)
        self.refused("argument B: dtype float16 expected, got float32", a, b.astype(np.float32))
        self.refused("argument A: 2 dimensions expected", a[0], b)
        self.refused("argument A: stride 1 of dimension 0, expected 32", np.asfortranarray(a), b)
        self.refused("argument A: a tensor expected, got list", [1, 2], b)

        class Device:
            __cuda_array_interface__ = {}

        self.refused("argument A: the tensor is on cuda", Device(), b)

    def test_constants_are_found_or_missed(self):
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument B: shape"):
            add(f32(8), f32(9))
        with self.assertRaisesRegex(tilelang.ArgumentError, "expected 2 inputs"):
            add(f32(8))


class RunTimeExtents(unittest.TestCase):
    def test_stride(self):
        pitch = T.dynamic("pitch")

        @T.prim_func
        def main(A: T.StridedTensor((8, 16), (pitch, 1), "float32"), B: T.Tensor((8, 16), "float32")):
            with T.Kernel(1, threads=32):
                for i, j in T.Parallel(8, 16):
                    B[i, j] = A[i, j] + pitch
        kernel = tilelang.compile(main, out_idx=[1])
        a = np.arange(8 * 40, dtype=np.float32).reshape(8, 40)
        np.testing.assert_array_equal(kernel(a[:, :16]), a[:, :16] + 40)
        with self.assertRaisesRegex(tilelang.ArgumentError, "stride 2 of dimension 1, expected 1"):
            kernel(a[:, :32:2])

    def test_multiple(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n * 4 + 1,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(n):
                    B[i] = A[4 * i + 1]
        kernel = tilelang.compile(main)
        a, b = np.arange(21, dtype=np.float32), np.zeros(5, np.float32)
        kernel(a, b)
        np.testing.assert_array_equal(b, a[1::4])
        with self.assertRaisesRegex(tilelang.ArgumentError, r"argument A: shape\[0\] is 20, expected 21"):
            kernel(a[:20], b)
        with self.assertRaisesRegex(tilelang.ArgumentError, r"argument A: shape\[0\] is 21, expected 25"):
            kernel(a, np.zeros(6, np.float32))

    def test_none_for_what_is_not_used(self):
        m = T.dynamic("m")

        @T.prim_func
        def main(A: T.Tensor((m,), "float32"), B: T.Tensor((m, 4), "float32"), C: T.Tensor((m,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(m):
                    C[i] = 1.0
        kernel = tilelang.compile(main)
        c = np.zeros(7, np.float32)
        kernel(None, None, c)
        self.assertEqual(c.sum(), 7)
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument C: a tensor expected, got NoneType"):
            kernel(c, None, None)

        @T.prim_func
        def counts(A: T.Tensor((m,), "float32"), C: T.Tensor((1,), "int32")):
            with T.Kernel(1, threads=32):
                C[0] = m
        kernel = tilelang.compile(counts)
        with self.assertRaisesRegex(tilelang.ArgumentError, "the extent m(?s:.*)at least one non-null buffer"):
            kernel(None, np.zeros(1, np.int32))

    def test_none_for_a_tensor_of_unused_extents_or_views(self):
        n, m = T.dynamic("n, m")

        def compiled(view, weighted):
            @T.prim_func
            def main(A: T.Tensor((n,), "float32"), W: T.Tensor((n, m), "float32"), B: T.Tensor((n,), "float32")):
                with T.Kernel(1, threads=32):
                    if view:
                        V = T.reshape(W, (n * m,))
                        X = T.reshape(V, (m, n))
                    for i in T.Parallel(n):
                        B[i] = A[i] * X[0, i] if weighted else A[i]
            return tilelang.compile(main)
        a = np.arange(7, dtype=np.float32)
        for view in (False, True):
            b = np.zeros(7, np.float32)
            compiled(view, False)(a, None, b)
            np.testing.assert_array_equal(b, a)
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument W: a tensor expected, got NoneType"):
            compiled(True, True)(a, None, np.zeros(7, np.float32))

    def test_extents_come_from_what_is_used(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n + 1,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(n):
                    C[i] = 1.0
        kernel = tilelang.compile(main)
        for a in (None, np.zeros(6, np.float32)):
            c = np.zeros(7, np.float32)
            kernel(a, c)
            self.assertEqual(c.sum(), 6)
        with self.assertRaisesRegex(tilelang.ArgumentError, r"argument A: shape\[0\] is 5"):
            kernel(np.zeros(5, np.float32), c)

    def test_assumptions_are_checked(self):
        n = T.dynamic("n")

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), at: T.int32):
            with T.Kernel(1, threads=32):
                T.assume(n % 4 == 0)
                k = T.alloc_var("int32")
                k = at * 2
                T.assume(k >= 0 and k < n)
                A[k] = 1.0
        kernel = tilelang.compile(main)
        self.assertNotIn("k < n", kernel.get_kernel_source())
        a = np.zeros(8, np.float32)
        kernel(a, 3)
        self.assertEqual(a[6], 1)
        with self.assertRaisesRegex(RuntimeError, "Assume: n % 4 == 0"):
            kernel(a[:6], 0)
        with self.assertRaisesRegex(tilelang.KernelError, "Assume: k >= 0 and k < n"):
            kernel(a, 4)


class Options(unittest.TestCase):
    def test_pass_configs(self):
        key = tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED
        self.assertEqual(key.value, "tl.disable_warp_specialized")
        tilelang.jit(add.func, pass_configs={key: True}).compile(N=64)
        with self.assertRaisesRegex(ValueError, "did you mean 'tl.disable_tma_lower'"):
            tilelang.jit(add.func, pass_configs={"tl.disable_tma_lowr": True})

    def test_targets(self):
        self.assertEqual(tilelang.jit(add.func, target="cuda").compile(N=64).target[:3], "sm_")
        self.assertEqual(tilelang.jit(add.func, target="musa").compile(N=64).target, "mp_31")
        with self.assertRaisesRegex(ValueError, "target 'abacus'"):
            tilelang.jit(add.func, target="abacus").compile(N=64)

    def test_a_kernel_made_by_its_class(self):
        @T.prim_func
        def doubled(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    B[i] = A[i] * 2.0

        kernel = tilelang.JITKernel(doubled, out_idx=[-1], target="mp_22")
        self.assertEqual((type(kernel), kernel.target), (tilelang.JITKernel, "mp_22"))
        np.testing.assert_array_equal(kernel(np.ones(8, "float32")), np.full(8, 2, "float32"))
        with self.assertRaisesRegex(tilelang.UsageError, "prim-func-needed"):
            tilelang.JITKernel(matmul)

    def test_the_source_of_a_kernel_compiles_again(self):
        again, x = tilelang.compile(matmul.compile(32, 32, 32).prim_func, out_idx=[2], target="sm_80"), np.ones((32, 32), "float16")
        np.testing.assert_array_equal(again(x, x), np.full((32, 32), 32))
        with self.assertRaisesRegex(tilelang.UsageError, "pass kernel.prim_func"):
            tilelang.compile(again)

    def test_out_idx_is_checked(self):
        main = matmul.func(32, 32, 32)
        with self.assertRaisesRegex(ValueError, r"range \[-3, 2\]"):
            tilelang.compile(main, out_idx=[3])
        with self.assertRaisesRegex(ValueError, "out_idx"):
            tilelang.jit(add.func, out_idx=[0])

    def test_dtypes(self):
        self.assertEqual(T.float16, "float16")
        self.assertEqual((T.float16.bytes, T.half, T.int8x4.lanes), (2, "float16", 4))
        with self.assertRaises(RuntimeError):
            T.copy(1, 2)


class Messages(unittest.TestCase):
    def test_error_points_into_this_file(self):
        with self.assertRaises(tilelang.CompileError) as caught:
            @T.prim_func
            def main(A: T.Tensor((64,), "float32")):
                with T.Kernel(1):
                    S = T.alloc_shared((32,), "float32")
                    T.copy(A, S)
        text = str(caught.exception)
        self.assertIn("copy-shape", text)
        self.assertIn("test_api.py", text)
        self.assertIn("T.copy(A, S)", text)

    def test_warnings_are_python_warnings(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")

            @T.prim_func
            def main(A: T.Tensor((64,), "float32")):
                with T.Kernel(1):
                    for i in T.serial(4):
                        A[i] == 1
        self.assertIn("value-unused", str(seen[0].message))

    def test_findings_raise(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=32):
                S = T.alloc_shared((4,), "int32")
                S[A[0]] = 1

        with self.assertRaises(tilelang.KernelError) as caught:
            tilelang.compile(main)(np.full(64, 9, np.int32))
        self.assertIn("S[A[0]] = 1", str(caught.exception))


SCRIPT = '''
import tilelab as tilelang, tilelab.language as T, numpy as np
@tilelang.jit
def inc(A):
    N = T.const("N")
    A: T.Tensor((N,), "int32")
    C = T.empty((N,), "int32")
    with T.Kernel(1) as _:
        for i in T.Parallel(N):
            C[i] = A[i] + 1
    return C
assert inc(np.arange(4, dtype=np.int32)).tolist() == [1, 2, 3, 4]
'''


class Source(unittest.TestCase):
    def run_python(self, *arguments, text=None):
        return subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True,
                              env=support.environment())

    def test_command_line(self):
        done = self.run_python("-c", SCRIPT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_exec(self):
        exec(SCRIPT, {})

    def test_standard_input_is_refused_clearly(self):
        done = self.run_python("-", text=SCRIPT)
        self.assertIn("the source of `inc` (<stdin>, line", done.stderr)


class Lightness(unittest.TestCase):
    def test_import_brings_no_numpy_or_torch(self):
        code = "import tilelab.language, tilelab.jit, sys; print(int('numpy' in sys.modules or 'torch' in sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=support.environment())
        self.assertEqual(done.stdout.strip(), "0", done.stderr)

    def test_import_brings_what_it_uses(self):
        """Not the table of absent names, nor what only %check needs."""
        code = ("import tilelab, tilelab.language, sys; tilelab.jit; tilelab.compile\n"
                "print([m for m in ('ctypes', 'tilelab.names', 'tilelab._tools.check') if m in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=support.environment())
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


if __name__ == "__main__":
    unittest.main()
