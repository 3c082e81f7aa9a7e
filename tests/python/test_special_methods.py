# SPDX-License-Identifier: Apache-2.0
"""Operators, brackets, iteration, conditions and `with` on objects of Python classes in kernels, by the methods of their classes."""
import dataclasses
import functools
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


class Complex:
    def __init__(self, re, im):
        self.re, self.im = re, im

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im) if isinstance(other, Complex) else Complex(self.re + other, self.im)

    __radd__ = __add__

    def __sub__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        return Complex(other - self.re, -self.im)

    def __imul__(self, factor):
        return Complex(self.re * factor, self.im * factor)

    def __matmul__(self, other):
        return self.re * other.re + self.im * other.im

    def __neg__(self):
        return Complex(-self.re, -self.im)

    def __abs__(self):
        return T.abs(self.re) + T.abs(self.im)

    def __eq__(self, other):
        return (self.re == other.re) & (self.im == other.im)

    def __bool__(self):
        return self.re != 0

    def __len__(self):
        return 2

    def __getitem__(self, part):
        return (self.re, self.im)[part]

    def __iter__(self):
        yield self.re
        yield self.im

    def __contains__(self, value):
        return (self.re == value) | (self.im == value)


class Refined(Complex):
    def __radd__(self, other):
        return Complex(100, 0)


class Scale:
    """An object of the program: Python computes with it where all operands are constants."""

    def __init__(self, factor):
        self.factor = factor

    def __mul__(self, x):
        return x * self.factor

    __rmul__ = __mul__

    def __lt__(self, x):
        return self.factor < x

    def __getitem__(self, x):
        return x + self.factor

    def __contains__(self, x):
        return x < self.factor

    def __len__(self):
        return self.factor

    def __iter__(self):
        for i in range(self.factor):
            yield T.cast(i, "int32") * 2


class Row:
    def __init__(self, buffer, row):
        self.buffer, self.row = buffer, row

    def __getitem__(self, j):
        return self.buffer[self.row, j]

    def __setitem__(self, j, value):
        self.buffer[self.row, j] = value

    def __len__(self):
        return self.buffer.shape[1]

    def __getattr__(self, name):
        return self.buffer[self.row, len(name)]

    def __enter__(self):
        self[0] = 7
        return self

    def __exit__(self, *error):
        self[1] = 8


class Items:
    """Without __iter__: items by number."""

    def __init__(self, first):
        self.first = first

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.first + i


@functools.total_ordering
class Version:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __lt__(self, other):
        return self.number < other.number


@dataclasses.dataclass(order=True)
class Key:
    a: int
    b: int


def made(kernel, width, dtype="int32", blocks=4):
    """The rows that a kernel of four blocks writes."""
    out = np.zeros((blocks, width), dtype)
    kernel(out)
    return out


class Operators(unittest.TestCase):
    def test_arithmetic(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 8), "int32")
            with T.Kernel(4, threads=32) as i:
                z = Complex(i, 2)
                w = 1 + z + 10
                B[i, 0] = w.re
                B[i, 1] = (5 - z).re
                B[i, 2] = (-z) @ w
                B[i, 3] = abs(-z)
                z *= 3
                B[i, 4] = z.im
                B[i, 5] = len(z)
                B[i, 6] = (z - 1).re if hasattr(z, "missing") else 9
                B[i, 7] = (z + Refined(1, 1)).re
        x = np.arange(4)
        expected = [x + 11, 5 - x, -x * (x + 11) - 4, x + 2, 0 * x + 6, 0 * x + 2, 0 * x + 9, 0 * x + 100]
        np.testing.assert_array_equal(made(kernel, 8), np.stack(expected, 1))

    def test_comparisons_and_conditions(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 7), "int32")
            with T.Kernel(4, threads=32) as i:
                z = Complex(i, 2)
                B[i, 0] = 1 if z == Complex(2, i) else 0
                B[i, 1] = 1 if z != Complex(1, 2) else 0
                if z and not Complex(0, i):
                    B[i, 2] = 1
                B[i, 3] = T.cast(3 in z, "int32")
                B[i, 4] = T.cast(Version(i) >= Version(2), "int32")
                B[i, 5] = T.cast(Key(i, 1) < Key(2, i), "int32")
                B[i, 6] = T.cast(Key(i, 1) == Key(1, i), "int32") + T.cast((i, 1) >= (1, i), "int32") * 2
        x = np.arange(4)
        expected = [x == 2, x != 1, x != 0, x == 3, x >= 2, x <= 2, (x == 1) + 2 * (x >= 1)]
        np.testing.assert_array_equal(made(kernel, 7), np.stack(expected, 1))

    def test_objects_of_the_program(self):
        scale = Scale(3)

        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 6), "int32")
            with T.Kernel(4, threads=32) as i:
                B[i, 0] = i * scale + scale * 2
                B[i, 1] = scale[i]
                B[i, 2] = T.cast(i > scale, "int32")
                B[i, 3] = T.cast(i in scale, "int32") + len(scale)
                for item in scale:
                    B[i, 4] += item
                B[i, 5] = scale[1]
        x = np.arange(4)
        expected = [3 * x + 6, x + 3, x > 3, (x < 3) + 3, 0 * x + 6, 0 * x + 4]
        np.testing.assert_array_equal(made(kernel, 6), np.stack(expected, 1))

    def test_elements_and_with(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 6), "int32")
            with T.Kernel(4, threads=32) as i:
                row = Row(B, i)
                for j in T.serial(len(row)):
                    row[j] = j * i
                    row[j] += 1
                with row as same:
                    same[2] = row.abc
        expected = np.arange(4)[:, None] * np.arange(6) + 1
        expected[:, 2] = expected[:, 3]
        expected[:, :2] = 7, 8
        np.testing.assert_array_equal(made(kernel, 6), expected)

    def test_iteration(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 4), "int32")
            with T.Kernel(4, threads=32) as i:
                re, im = Complex(i, 2)
                B[i, 0] = re - im
                B[i, 1] = sum(Items(i)) + [*Items(i)][2]
                for n, item in enumerate(Items(i)):
                    B[i, 2] += n * item
                B[i, 3] = T.cast(2 in Items(i), "int32") + max(*Complex(i, 1))
        x = np.arange(4)
        expected = [x - 2, 4 * x + 5, 3 * x + 5, (x <= 2) + np.maximum(x, 1)]
        np.testing.assert_array_equal(made(kernel, 4), np.stack(expected, 1))

    def test_missing_methods(self):
        support.refused(self, lambda A, bx: Complex(bx, 2) % 2, "error[operator-type]: `%` is not defined for an object of the class `Complex`",
                     "help: give its class a method `__mod__`")
        support.refused(self, lambda A, bx: 2 < Key(bx, 2), "help: give its class a method `__gt__`")
        support.refused(self, lambda A, bx: Key(bx, 2)[0], "error[subscript-type]", "help: give its class a method `__getitem__`")
        support.refused(self, lambda A, bx: list(Key(bx, 2)), "error[not-iterable]", "help: give its class a generator `__iter__`")

    def test_with_without_methods(self):
        def body(A, bx):
            with Key(bx, 2):
                A[0] = 1
        support.refused(self, body, "error[with-unsupported]", "help: give its class the methods `__enter__` and `__exit__`")


if __name__ == "__main__":
    unittest.main()
