# SPDX-License-Identifier: Apache-2.0
"""tilelang.layout outside of kernels: maps against their formulas."""

import unittest
import unittest.mock

import numpy
import support  # noqa: F401

import tilelab
import tilelab.language as T
from tilelab.layout import Fragment, Layout, make_gemm_fragment_8x8, make_gemm_fragment_8x8_transposed


class Layouts(unittest.TestCase):
    def test_places(self):
        layout = Layout([4, 6], lambda i, j: [j // 2, i * 2 + j % 2])
        self.assertEqual(layout.get_input_shape(), [4, 6])
        self.assertEqual(layout.get_output_shape(), [3, 8])
        for i in range(4):
            for j in range(6):
                self.assertEqual(layout(i, j), [j // 2, i * 2 + j % 2])
        with self.assertRaises(IndexError):
            layout(4, 0)
        self.assertEqual(repr(layout), "addr([4, 6], [[a(4, 2)], [a(3, 8), a(2, 1)]])")

    def test_compose(self):
        rows = Layout([4, 6], lambda i, j: i * 6 + j)
        turned = Layout([6, 4], lambda i, j: [j, i])
        self.assertEqual(rows @ turned, Layout([6, 4], lambda i, j: j * 6 + i))
        self.assertEqual(rows.compose(Layout([12], lambda n: n * 2)), Layout([12], lambda n: n * 2))
        self.assertEqual(rows.inverse() @ rows, Layout([4, 6], lambda i, j: [i, j]))
        held = Fragment([4, 6], forward_thread_fn=lambda i, j: i * 6 + j)
        self.assertEqual((held @ turned).map_forward_thread([5, 1]), held.map_forward_thread([1, 5]))
        for wrong, kind in ((lambda: rows @ Layout([5, 6], lambda i, j: [i, j]), IndexError),
                            (lambda: rows.compose(Layout([25], lambda n: n)), ValueError),
                            (lambda: rows.compose(held), TypeError)):
            with self.assertRaises(kind):
                wrong()

    def test_equality_is_of_maps(self):
        a = Layout([4, 6], lambda i, j: i * 6 + j)
        self.assertEqual(a, Layout((4, 6), lambda x, y: y + 6 * x))
        self.assertNotEqual(a, Layout([4, 6], lambda i, j: i + j * 4))
        self.assertNotEqual(a, Layout([6, 4], lambda i, j: i * 4 + j))
        self.assertFalse(a.is_equal(Fragment([4, 6], lambda i, j: (i, j))))

    def test_repeat_expand_reshape(self):
        atom = Layout([8, 4], lambda i, j: j * 8 + i)
        self.assertEqual(atom.repeat(0, 3), Layout([24, 4], lambda i, j: [i // 8, j * 8 + i % 8]))
        self.assertEqual(atom.repeat(-1, 2), Layout([8, 8], lambda i, j: [j // 4, j % 4 * 8 + i]))
        self.assertIs(atom.repeat(0, 1), atom)
        self.assertEqual(atom.expand([2, 3]), Layout([2, 3, 8, 4], lambda a, b, i, j: [a, b, j * 8 + i]))
        self.assertIs(atom.expand([]), atom)
        self.assertEqual(atom.reshape([32]), Layout([32], lambda n: n % 4 * 8 + n // 4))
        for wrong in (lambda: atom.repeat(2, 2), lambda: atom.repeat(0, 0), lambda: atom.expand(0),
                      lambda: atom.reshape([31])):
            with self.assertRaises(ValueError):
                wrong()

    def test_inverse(self):
        layout = Layout([4, 6], lambda i, j: [j, i])
        self.assertEqual(layout.inverse(), Layout([6, 4], lambda i, j: [j, i]))
        with self.assertRaises(ValueError):
            Layout([4], lambda i: i * 2).inverse()

    def test_fragments(self):
        mma = Fragment([16, 8], forward_thread_fn=lambda i, j: i % 8 * 4 + j // 2,
                       forward_index_fn=lambda i, j: i // 8 * 2 + j % 2)
        counted = Fragment([16, 8], forward_thread_fn=lambda i, j: i % 8 * 4 + j // 2)
        self.assertEqual(mma, counted)  # in row-major order a thread visits its elements in this order
        self.assertEqual(mma.get_thread_size(), 32)
        self.assertEqual(repr(mma), "frag([16, 8], [[r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])")
        self.assertEqual(mma.map_forward_thread((9, 5)), 6)

        twice = Fragment([4], forward_thread_fn=lambda i, rep: i + 4 * rep, replicate=2)
        self.assertEqual(Fragment([4], forward_thread_fn=lambda i: i).replicate(2), twice)
        self.assertEqual(twice.replicate(1).condense_rep_var(), twice)

    def test_fragments_of_ldmatrix(self):
        plain, turned = make_gemm_fragment_8x8(), make_gemm_fragment_8x8_transposed()
        self.assertEqual(repr(plain), "frag([8, 8], [[t(8, 4)], [t(4, 1), r(2, 1)]])")
        for i in range(8):
            for j in range(8):
                self.assertEqual(plain.map_forward_thread((i, j)), turned.map_forward_thread((j, i)))
                self.assertEqual(plain(i, j), turned(j, i))

    def test_functions_of_explicit_matrix_instructions(self):
        from tilelab.cuda.intrinsics import get_ldmatrix_offset, get_swizzle_layout, mma_store_index_map

        self.assertEqual(sorted(mma_store_index_map(t, k) for t in range(32) for k in range(8)), [(i, j) for i in range(16) for j in range(16)])
        self.assertEqual({get_ldmatrix_offset("A", t, 0, 32) for t in range(32)}, {(i, j) for i in range(16) for j in (0, 8)})
        self.assertEqual([get_ldmatrix_offset("B", t, 0, 32, "int8", True) for t in (0, 7, 8, 16)], [(0, 0), (7, 0), (0, 16), (8, 0)])
        self.assertEqual([get_swizzle_layout(r, 0, 32, "float16") for r in (0, 1, 2, 7)], [(0, 0, 0), (0, 1, 0), (0, 2, 8), (0, 7, 24)])
        self.assertEqual(get_swizzle_layout(3, 70, 128, "float16"), (1, 3, 30))

    def test_a_block_that_instructions_do_not_cover(self):
        from tilelab.cuda.intrinsics import TensorCoreIntrinEmitter

        made = TensorCoreIntrinEmitter("int8", "int8", "int32", False, True, 2, 2, 64, 24, 64)
        self.assertEqual((made.mma_prefix, made.warp_rows, made.warp_cols, made.local_size_b, made.threads), ("m16n8k32", 4, 3, 8, 128))
        with self.assertRaisesRegex(ValueError, "multiples of 16, 8 and 16"):
            TensorCoreIntrinEmitter(warp_row_tiles=24)

    def test_repeating_fragments(self):
        atom = Fragment([8, 4], forward_thread_fn=lambda i, j: i * 2 + j // 2)
        more = atom.repeat([2, 3])
        self.assertEqual(more, Fragment([16, 12], forward_thread_fn=lambda i, j: i % 8 * 2 + j % 4 // 2,
                                        forward_index_fn=lambda i, j: (i // 8 * 3 + j // 4) * 2 + j % 2))
        threads = atom.repeat([2, 1], repeat_on_thread=True)
        self.assertEqual(threads.get_thread_size(), 32)
        self.assertEqual(threads.map_forward_thread((9, 0)), 18)

    def test_expanding_fragments(self):
        atom = Fragment([8, 4], forward_thread_fn=lambda i, j: i * 2 + j // 2)  # one register of two elements
        self.assertEqual(atom.expand([3, 2]), Fragment(
            [3, 2, 8, 4], forward_thread_fn=lambda a, b, i, j: i * 2 + j // 2,
            forward_index_fn=lambda a, b, i, j: [a, b, j % 2]))
        self.assertIs(atom.expand(()), atom)
        twice = Fragment([4], forward_thread_fn=lambda i, rep: i * 2 + rep, replicate=2)
        wider = twice.expand(3)
        self.assertEqual(wider.get_input_shape(), [3, 4])
        for a in range(3):
            for i in range(4):
                self.assertEqual(wider(a, i), [a, 0])
                self.assertEqual([wider.map_forward_thread((a, i), rep) for rep in (0, 1)], [2 * i, 2 * i + 1])
        with self.assertRaises(ValueError):
            twice.expand(0)

    def test_who_holds_an_element(self):
        mma = Fragment([16, 8], forward_thread_fn=lambda i, j: i % 8 * 4 + j // 2,
                       forward_index_fn=lambda i, j: [i // 8, j % 2])
        back = mma.inverse()  # [row of 8, column of a pair, thread] -> [i, j, replica]
        self.assertEqual(back, Layout([2, 2, 32], lambda row, pair, t: [row * 8 + t // 4, t % 4 * 2 + pair, 0]))
        self.assertEqual(back(1, 1, 6), [9, 5, 0])
        twice = Fragment([4], forward_thread_fn=lambda i, rep: i + 4 * rep, replicate=2)
        self.assertEqual(twice.inverse(), Layout([1, 8], lambda register, t: [t % 4, t // 4]))
        for holes in (Fragment([4], forward_thread_fn=lambda i: 2 * i),
                      Fragment([4], forward_thread_fn=lambda i, rep: i, replicate=2)):
            with self.assertRaises(ValueError):
                holes.inverse()

    def test_elements_of_another_size(self):
        words = Layout([4, 8], lambda i, j: [i, (j + 2 * i) % 8])  # 32 bits
        halves = words.reshape([4, 16], 32, 16)
        self.assertEqual(halves, Layout([4, 16], lambda i, j: [i, (j // 2 + 2 * i) % 8 * 2 + j % 2]))
        self.assertEqual(halves.reshape([4, 8], 16, 32), words)
        self.assertEqual(words.reshape([16], 32, 64), Layout([16], lambda n: [n // 4, (n + n // 4) % 4]))
        with self.assertRaises(ValueError):  # side by side, but begins in the middle
            Layout([4], lambda i: (i + 1) % 4).reshape([2], 32, 64)
        with self.assertRaises(ValueError):
            words.reshape([4, 8], 32, 16)
        with self.assertRaises(ValueError):
            words.reshape([64], 24, 12 + 1)

    def test_reshaping_fragments(self):
        held = Fragment([8, 4], forward_thread_fn=lambda i, j: i * 2 + j // 2)
        self.assertEqual(held.reshape([32]), Fragment([32], forward_thread_fn=lambda n: n // 2))
        pairs = Fragment([16], forward_fn=lambda n: (n, 0))
        self.assertEqual(held.reshape([16], 16, 32), pairs)
        self.assertEqual(pairs.reshape([8, 4], 32, 16), held)
        with self.assertRaises(ValueError):  # neighbors are in two threads
            Fragment([8], forward_fn=lambda i: (i, 0)).reshape([4], 16, 32)
        with self.assertRaises(ValueError):
            Fragment([8], forward_fn=lambda i: (i % 2, i // 2)).reshape([4], 16, 32)

    def test_a_notebook_shows_a_picture(self):
        held = Fragment([8, 4], forward_thread_fn=lambda i, j: i * 2 + j // 2)
        bundle = held._repr_mimebundle_()
        self.assertEqual(bundle["text/plain"], repr(held))
        self.assertIn("<td", bundle["text/html"])
        self.assertIn("\\colorbox[HTML]{", bundle["text/latex"])
        without_digits = Layout([4], lambda i: i * i % 7)
        self.assertIn("the map has no digits", without_digits._repr_mimebundle_()["text/html"])
        negative = Layout([4], lambda i: i - 1)
        self.assertEqual(list(negative._repr_mimebundle_()), ["text/plain"])

    def test_functions_give_integers(self):
        with self.assertRaises(TypeError):
            Layout([4], lambda i: i / 2)
        with self.assertRaises(TypeError):
            Fragment([4])
        self.assertIs(T.Layout, Layout)

    def test_elements_of_a_ring(self):
        """A pipeline gives a buffer a dimension that its kernel's text does not have."""
        @tilelab.jit(out_idx=[-1])
        def matmul(N):
            @T.prim_func
            def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float32")):
                with T.Kernel(1, threads=128):
                    a = T.alloc_shared((32, 32), "float16")
                    c = T.alloc_fragment((32, 32), "float32")
                    T.clear(c)
                    for k in T.Pipelined(N // 32, num_stages=2):
                        T.copy(A[0, k * 32], a)
                        T.gemm(a, a, c)
                    T.copy(c, B[0, 0])
            return main

        kernel = matmul(128)
        self.assertTrue(str(kernel.layout("a", element=(17, 20))).strip().startswith("a[0, 17, 20]  ->  "))
        self.assertEqual(str(kernel.layout("a", element=(17, 20))), str(kernel.layout("a", element=(0, 17, 20))))
        for wrong in ((17,), (32, 0), (2, 17, 20)):
            with self.assertRaises(ValueError):
                kernel.layout("a", element=wrong)
        with self.assertRaisesRegex(AttributeError, r"its buffer a is shown by .layout\('a'\)"):
            kernel.a
        self.assertFalse(hasattr(kernel, "nothing"))

    def test_lambdas_of_one_line(self):
        """A kernel takes the one that it names, be it the first of its line or not."""
        first, second, third = (lambda x: x + 1.0), (lambda x: x * 3.0), (lambda x: (lambda y: x - y)(5.0))
        layouts = [T.Layout((8, 8), lambda i, j: [i, (i + j) % 8]), T.Layout((8, 8), lambda i, j: [(i + j) % 8, i])]

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((8, 8), "float32")
                t = T.alloc_shared((8, 8), "float32")
                T.annotate_layout({s: layouts[1], t: layouts[0]})
                T.copy(A, s)
                for i, j in T.Parallel(8, 8):
                    t[i, j] = third(second(first(s[i, j])))
                T.copy(t, B)

        a = numpy.arange(64, dtype=numpy.float32).reshape(8, 8)
        b = numpy.zeros_like(a)
        kernel = tilelab.compile(main)
        kernel(a, b)
        numpy.testing.assert_array_equal(b, (a + 1) * 3 - 5)
        self.assertIn("byte 68, bank 17", str(kernel.layout("s", element=(1, 1))))

    def test_free_names_of_a_forward_function_are_asked_for_once(self):
        from tilelab._compiler import bridge

        columns, vector, threads = 32, 4, 64
        with unittest.mock.patch.object(bridge, "lookup", side_effect=bridge.lookup) as asked:
            @T.prim_func
            def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
                with T.Kernel(1, threads=64):
                    f = T.alloc_fragment((32, 32), "float32")
                    T.annotate_layout({f: T.Fragment((32, 32), forward_fn=lambda i, j: (
                        (i * columns + j) // vector % threads, i * columns // (threads * vector) * vector + j % vector))})
                    T.copy(A, f)
                    T.copy(f, B)
        self.assertLess(asked.call_count, 100)
        a, b = numpy.random.rand(32, 32).astype("float32"), numpy.zeros((32, 32), "float32")
        tilelab.compile(main)(a, b)
        numpy.testing.assert_array_equal(a, b)

    def test_methods_in_a_kernel(self):
        @T.prim_func
        def main(A: T.Tensor((16, 16), "float16"), B: T.Tensor((16, 16), "float16"), C: T.Tensor((2,), "int32")):
            with T.Kernel(1, threads=64):
                shared, f = T.alloc_shared((16, 16), "float16"), T.alloc_fragment((16, 16), "float16")
                numbered = T.Fragment((8, 8), forward_thread_fn=lambda i, j: i * 4 + j // 2)
                turned = T.Layout((8, 16), lambda i, j: [j, i])
                T.annotate_layout({
                    f: numbered.repeat([2, 1], repeat_on_thread=True).repeat([1, 2], repeat_on_thread=False, lower_dim_first=False),
                    shared: turned.repeat(0, 2)})
                T.copy(A, shared)
                T.copy(shared, f)
                T.copy(f, B)
                C[0] = numbered.get_thread_size()
                C[1] = turned(2, 5)[0]
        a, b, c = numpy.random.rand(16, 16).astype("float16"), numpy.zeros((16, 16), "float16"), numpy.zeros(2, "int32")
        kernel = tilelab.compile(main)
        kernel(a, b, c)
        numpy.testing.assert_array_equal(a, b)
        self.assertEqual(list(c), [32, 5])
        self.assertIn("* 8] = A[", kernel.get_kernel_source())  # the column-major layout of the shared buffer

    def test_linearized_index(self):
        def formula(shape, function):
            return Layout(shape, function).get_linearized_forward_index()
        self.assertEqual(formula([2, 3, 4], lambda i, j, k: [i, j, k]), formula([2, 3, 4], lambda i, j, k: i * 12 + j * 4 + k))
        self.assertEqual(formula([64], lambda i: [i // 32, i % 32]), "i")
        self.assertEqual(formula([2, 32], lambda i, j: [j, i]), "i0 + i1 * 2")
        self.assertEqual(make_gemm_fragment_8x8().get_linearized_forward_index(), "i1 % 2")
        with self.assertRaises(ValueError):
            formula([8, 8], lambda i, j: [i, i ^ j])

    def test_unknown_attribute_in_a_kernel(self):
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1, threads=32):
                T.Layout((8,), lambda i: i).other
        with self.assertRaisesRegex(tilelab.CompileError, r"a layout has no attribute `other`(.|\n)*dir\(T.Layout\)"):
            T.prim_func(main)


if __name__ == "__main__":
    unittest.main()
