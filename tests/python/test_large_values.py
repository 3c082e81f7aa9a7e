# SPDX-License-Identifier: Apache-2.0
"""Lists and tuples of the program that are deep, contain themselves or share parts: a kernel reads them, and a jit function takes them or
raises an error."""
import unittest

import numpy as np
import tilelab as tilelang
import tilelab.language as T


def nested(depth):
    """A list in a list, `depth` times around [7]."""
    items = [7]
    for _ in range(depth):
        items = [items]
    return items


def doubled(levels):
    """A pair of equal pairs: 2^levels items, of which Python keeps one for each level."""
    pair = 7
    for _ in range(levels):
        pair = (pair, pair)
    return pair


def in_itself(count):
    items = [7]
    items += [items] * count
    return items


def read(values, take):
    """What a kernel computes from a captured value."""
    @T.prim_func
    def main(A: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            A[0] = take(values)

    result = np.zeros(1, np.int32)
    tilelang.compile(main)(result)
    return int(result[0])


class LargeValues(unittest.TestCase):
    def test_a_kernel_reads_them(self):
        self.assertEqual(read(nested(60_000), lambda v: len(v[0][0])), 1)
        self.assertEqual(read(nested(150), lambda v: len(v[0][0])), 1)
        self.assertEqual(read(doubled(40), lambda v: len(v[1][0])), 2)
        self.assertEqual(read(in_itself(1), lambda v: v[1][1][0]), 7)
        self.assertEqual(read(in_itself(1000), lambda v: len(v[1][9])), 1001)
        self.assertEqual(read([float(i) for i in range(600_000)], lambda v: int(v[-1])), 599_999)

    def test_a_kernel_takes_their_items(self):
        self.assertEqual(read(nested(60_000), lambda v: (v, 5)[1]), 5)
        self.assertEqual(read(doubled(40), lambda v: (lambda *a: a[1])(v, 5)), 5)
        self.assertEqual(read(in_itself(1), lambda v: sum([1 for i in v[1] if i == 7])), 1)

    def test_lists_of_a_kernel_change_within_the_limits(self):
        def rows(x):
            table = []
            for i in range(64):
                row = []
                for j in range(64):
                    row.append(i * j)
                table.append(row)
            for _ in range(100):
                table[3] = [table[3], 1][0]
            return table[63][63] + len(table[3]) + x

        self.assertEqual(read(1, rows), 63 * 63 + 64 + 1)

    def test_an_expression_in_a_list_grows(self):
        def power(x):
            items = [x]
            for _ in range(60):
                items[0] = items[0] * items[0] + items[0]
            return items[0]

        @T.prim_func
        def main(A: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                A[T.get_thread_binding()] = power(T.get_thread_binding())

        result = np.zeros(32, np.int32)
        tilelang.compile(main)(result)
        expected = np.arange(32, dtype=np.int32)
        for _ in range(60):
            expected = expected * expected + expected
        np.testing.assert_array_equal(result, expected)

    def test_keys_of_a_jit_function(self):
        @tilelang.jit
        def made(n):
            @T.prim_func
            def main(A: T.Tensor((1,), "int32")):
                with T.Kernel(1, threads=32):
                    A[0] = len(n)
            return main

        self.assertIs(made(nested(50)), made(nested(50)))
        with self.assertRaisesRegex(TypeError, "more than 262144 items"):
            made(doubled(40))
        for value in (nested(60_000), in_itself(1)):
            with self.assertRaises(RecursionError):
                made(value)

    def test_captures_of_a_jit_function(self):
        for value in (nested(60_000), doubled(40), in_itself(1)):
            @tilelang.jit
            def made(n):
                @T.prim_func
                def main(A: T.Tensor((1,), "int32")):
                    with T.Kernel(1, threads=32):
                        A[0] = len(value) + n
                return main

            self.assertIs(made(1), made(1))


if __name__ == "__main__":
    unittest.main()
