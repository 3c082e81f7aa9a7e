# SPDX-License-Identifier: Apache-2.0
"""Every public name of TileLang (tilelang_names.txt) resolves, or refuses by name when it is used;
and the names that programs write in other ways than tilelab's examples do what they say."""

import pathlib
import unittest

import support  # noqa: F401  (the path to the package)
import numpy as np

import tilelab
import tilelab.language as T
from tilelab._compiler.builtin import Builtin
from tilelab.names import NotHere, StandIn, language

LIST = pathlib.Path(__file__).with_name("tilelang_names.txt")
rng = np.random.default_rng(5)


def listed(section):
    """The names of a section of the list."""
    text = LIST.read_text(encoding="utf-8").partition(f"[{section}]\n")[2]
    return text.partition("[")[0].split()


class Names(unittest.TestCase):
    def test_of_the_package(self):
        for name in listed("tilelang"):
            with self.subTest(name):
                getattr(tilelab, name)

    def test_of_the_language(self):
        works = refuses = 0
        for name in listed("tilelang.language"):
            with self.subTest(name):
                found = getattr(T, name)
                status = found.status if isinstance(found, Builtin) else "works"
                if isinstance(found, StandIn):
                    with self.assertRaisesRegex(NotHere, rf"tilelang\.language\.{name} "):
                        found()
                    status = language.ROWS[name][0]
                works, refuses = works + (status == "works"), refuses + (status != "works")
        self.assertGreater(works, 300)
        self.assertGreater(refuses, 100)

    def test_no_name_has_two_statuses(self):
        self.assertEqual(set(language.ROWS) & set(Builtin.table), set())

    def test_an_absent_name_in_a_kernel_says_which(self):
        with self.assertRaisesRegex(tilelab.CompileError, r"tilelang\.language\.ptx_cp_async_bulk is planned"):
            @T.prim_func
            def main(A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    T.ptx_cp_async_bulk(A[bx], 16)


def run(main, *inputs, out_idx=(-1,), **options):
    return tilelab.compile(main, out_idx=list(out_idx), **options)(*inputs)


class Forms(unittest.TestCase):
    def test_builder_forms_are_the_statements(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding()
                count = T.alloc_var("int32", init=0)
                value = T.alloc_var("int32", init=A[tx])
                with T.While(T.And(value > 1, T.Not(count >= 100))):
                    with T.If(value % 2 == 0):
                        with T.Then():
                            value = value // 2
                        with T.Else():
                            value = value * 3 + 1
                    count += 1
                with T.If(T.Or(count == 7, count == 8)):
                    with T.Then():
                        count = -count
                B[tx] = count

        def steps(n):
            count = 0
            while n > 1:
                n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
            return -count if count in (7, 8) else count

        a = np.arange(1, 65, dtype="int32")
        np.testing.assert_array_equal(run(main, a), [min(steps(int(n)), 100) for n in a])

    def test_misplaced_builder_forms_are_refused(self):
        with self.assertRaisesRegex(tilelab.CompileError, "T.Then"):
            @T.prim_func
            def alone(A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    with T.Then():
                        A[bx] = 1.0

        with self.assertRaisesRegex(tilelab.CompileError, "this statement in the body of T.If"):
            @T.prim_func
            def mixed(A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    with T.If(A[bx] > 0):
                        A[bx] = 1.0

        with self.assertRaisesRegex(tilelab.CompileError, "T.While without `with`"):
            @T.prim_func
            def called(A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    T.While(A[bx] > 0)

    def test_let_names_a_value(self):
        @T.prim_func
        def main(A: T.Tensor((4, 32), "float32"), B: T.Tensor((4, 32), "float32")):
            with T.Kernel(4, threads=32) as bx:
                row = T.int32()
                T.let(row, 3 - bx)
                T.copy(A[row, 0:32], B[bx, 0:32])

        a = rng.standard_normal((4, 32)).astype("float32")
        np.testing.assert_array_equal(run(main, a), a[::-1])

    def test_pointers(self):
        @T.prim_func
        def main(p: T.ptr, q: T.handle, n: T.int32):
            A = T.make_tensor(p, (n, 32), "float32")
            B = T.match_buffer(q, (n, 32), "float32")
            with T.Kernel(n, threads=32) as bx:
                for i in T.Parallel(32):
                    B[bx, i] = A[bx, i] * 2

        a, b = rng.standard_normal((5, 32)).astype("float32"), np.zeros((5, 32), "float32")
        tilelab.compile(main)(a, b, 5)
        np.testing.assert_array_equal(b, a * 2)

    def test_a_pointer_that_nothing_declares_is_refused(self):
        with self.assertRaisesRegex(tilelab.CompileError, "`p` has no type"):
            @T.prim_func
            def main(p: T.ptr, A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    A[bx] = 1.0

    def test_data_of_a_buffer(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                s = T.alloc_shared((64,), "float32")
                square = T.Tensor((8, 8), "float32", s.data)
                T.copy(A, s)
                for i, j in T.Parallel(8, 8):
                    B[i * 8 + j] = square[j, i]

        a = rng.standard_normal(64).astype("float32")
        np.testing.assert_array_equal(run(main, a), a.reshape(8, 8).T.reshape(-1))

    def test_types_of_parameters_outside_of_kernels(self):
        def helper(a: T.SharedBuffer((8, 8), "float16"), b: T.FragmentBuffer[(8,), "float32"], p: T.ptr(T.float32)):
            return a, b, p

        self.assertEqual(helper.__annotations__["a"].dtype, "float16")
        self.assertEqual(helper.__annotations__["b"].shape, (8,))

    def test_dtypes_by_other_names(self):
        self.assertEqual(T.float8_e4m3, "float8_e4m3fn")
        self.assertEqual(T.float4_e2m1fnx2.bits, 8)
        self.assertEqual((T.tfloat32, T.tfloat32.as_numpy(), T.tfloat32.bits), ("tfloat32", np.dtype("float32"), 32))
        self.assertNotEqual(T.tfloat32, T.float32)

        @T.prim_func
        def main(A: T.Tensor((64,), T.tfloat32), B: T.Tensor((64,), "tfloat32")):
            with T.Kernel(1, threads=64):
                T.copy(A, B)

        a = rng.standard_normal(64).astype("float32")
        np.testing.assert_array_equal(run(main, a), a)

    def test_who_asks_for_products_by_tf32(self):
        def product(left, right, sums):
            @T.prim_func
            def main(A: T.Tensor((32, 32), "float32"), C: T.Tensor((32, 32), sums)):
                with T.Kernel(1, threads=64):
                    a = T.alloc_shared((32, 32), left)
                    b = T.alloc_shared((1024,), right)
                    seen = T.view(b, (32, 32))
                    c = T.alloc_fragment((32, 32), sums)
                    T.copy(A, a)
                    T.clear(b)
                    T.gemm(a, seen, c, clear_accum=True)
                    T.copy(c, C)
            return main.func.text()

        for left, right, sums, asks in (("tfloat32", "tfloat32", "float32", True), ("float32", T.tfloat32, "float32", True),
                                        (T.tfloat32, "float32", "float16", True), ("float32", "float32", "float32", False),
                                        ("tfloat32", "tfloat32", "float64", False)):
            self.assertEqual("tf32=True" in product(left, right, sums), asks, (left, right, sums))

    def test_values_before_an_atomic_on_neighbours(self):
        @T.prim_func
        def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), P: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=4):
                tx = T.get_thread_binding()
                P[tx * 2:tx * 2 + 2] = T.atomic_addx2(B[tx * 2:tx * 2 + 2], A[tx * 2:tx * 2 + 2], return_prev=True)

        a, b = (rng.standard_normal(8).astype("float32") for _ in range(2))
        before = b.copy()
        p = run(main, a, b)
        np.testing.assert_array_equal(p, before)
        np.testing.assert_allclose(b, before + a, rtol=1e-6)

    def test_dp4a(self):
        @T.prim_func
        def main(A: T.Tensor((8, 16), "int8"), B: T.Tensor((16,), "int8"), C: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=8):
                tx = T.get_thread_binding()
                C[tx] = tx
                for k in T.serial(4):
                    T.dp4a(A[tx, k * 4], B[k * 4], C[tx])

        a, b = rng.integers(-128, 128, (8, 16)).astype("int8"), rng.integers(-128, 128, 16).astype("int8")
        np.testing.assert_array_equal(run(main, a, b), a.astype("int32") @ b.astype("int32") + np.arange(8))

    def test_im2col(self):
        n, h, w, c, k, s, d, pad = 2, 7, 6, 4, 3, 2, 1, 1
        oh, ow = (h + 2 * pad - d * (k - 1) - 1) // s + 1, (w + 2 * pad - d * (k - 1) - 1) // s + 1
        rows, columns = 8, 12

        @T.prim_func
        def main(I: T.Tensor((n, h, w, c), "float32"), C: T.Tensor((T.ceildiv(n * oh * ow, rows) * rows, k * k * c), "float32")):
            with T.Kernel(T.ceildiv(n * oh * ow, rows), k * k * c // columns, threads=32) as (bx, by):
                tile = T.alloc_shared((rows, columns), "float32")
                T.im2col(I, tile, bx, by, k, s, d, pad)
                T.copy(tile, C[bx * rows:bx * rows + rows, by * columns:by * columns + columns])

        image = rng.standard_normal((n, h, w, c)).astype("float32")
        around = np.pad(image, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        expected = np.stack([around[b, y * s:y * s + k, x * s:x * s + k].reshape(-1)
                             for b in range(n) for y in range(oh) for x in range(ow)])
        np.testing.assert_array_equal(run(main, image)[:n * oh * ow], expected)

    def test_constants_from_the_type_of_a_tensor(self):
        @tilelab.jit
        def double(A):
            N = T.const("N")
            A: T.Tensor((N,), "float32")
            B = T.empty((N,), "float32")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N):
                    B[i] = A[i] * 2
            return B

        self.assertIn("96", str(double.get_tir(T.Tensor((96,), "float32"))))

    def test_a_grid_of_no_blocks_compiles_and_says_so_when_it_is_called(self):
        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            with T.Kernel(0, threads=32) as bx:
                A[bx] = 1.0

        kernel = tilelab.compile(main)
        with self.assertRaises((ValueError, RuntimeError)):
            kernel(np.zeros(4, "float32"))

    def test_options_of_casts_and_roundings_are_checked_where_they_are_called(self):
        for call in (lambda: T.cast(1.0, "float16", round="up"), lambda: T.cast(1.0, "float16", sat="yes"),
                     lambda: T.cast(1.0, "float16", round="rs"), lambda: T.ieee_add(1.0, 2.0, "up")):
            with self.assertRaises(ValueError):
                call()


if __name__ == "__main__":
    unittest.main()
