# SPDX-License-Identifier: Apache-2.0
"""Python as people write it in kernels and their helpers: early returns, match, raise, methods of containers, f-strings, texts as annotations."""
import contextlib
import dataclasses
import enum
import functools
import io
import itertools
import math
import typing
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


class Mode(enum.Enum):
    RELU = "relu"
    HALF = "half"


class Size(typing.NamedTuple):
    m: int
    n: int = 4

    def area(self):
        return self.m * self.n


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2


def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


def distance(a, b):
    if a > b:
        larger = a
        return larger - b, 1
    return b - a, 0


def store_if_even(A, i, value):
    if value % 2 == 1:
        return
    A[i] = value


def activated(x, mode):
    match mode:
        case Mode.RELU:
            return T.max(x, 0)
        case Mode.HALF | None:
            return x // 2
        case (factor, shift):
            return x * factor + shift
        case Point(x=0, y=y):
            return x + y
    raise ValueError(f"no activation {mode!r}")


def doubling(function):
    @functools.wraps(function)
    def wrapper(*args, **options):
        return function(*args, **options) * 2
    return wrapper


@doubling
def plus(x, y=1):
    return x + y


def rows_of(kernel, width, blocks=6):
    out = np.zeros((blocks, width), "int32")
    kernel(out)
    return out


class Returns(unittest.TestCase):
    def test_on_dynamic_paths(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 4), "int32")
            with T.Kernel(6, threads=32) as i:
                B[i, 0] = sign(i - 2)
                gap, above = distance(i, 3)
                B[i, 1] = gap * 10 + above
                store_if_even(B, (i, 2), i)
                B[i, 3] = plus(i, y=2)
        x = np.arange(6)
        expected = [np.sign(x - 2), abs(x - 3) * 10 + (x > 3), x * (x % 2 == 0), 2 * x + 4]
        np.testing.assert_array_equal(rows_of(kernel, 4), np.stack(expected, 1))

    def test_in_parallel_iterations(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((1, 64), "int32")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(64):
                    B[0, i] = sign(i - 30)
        np.testing.assert_array_equal(rows_of(kernel, 64, 1)[0], np.sign(np.arange(64) - 30))

    def test_match_and_raise(self):
        def made(mode):
            @tilelang.jit
            def kernel(B):
                B: T.Tensor((6, 1), "int32")
                with T.Kernel(6, threads=32) as i:
                    B[i, 0] = activated(i, mode)
            return rows_of(kernel, 1)[:, 0]
        x = np.arange(6)
        for mode, expected in [(Mode.RELU, x), (Mode.HALF, x // 2), (None, x // 2), ((3, 1), 3 * x + 1)]:
            with self.subTest(mode=mode):
                np.testing.assert_array_equal(made(mode), expected)
        with self.assertRaises(tilelang.CompileError) as raised:
            made("other")
        self.assertIn("ValueError: no activation 'other'", str(raised.exception))

    def test_captures_after_dynamic_conditions(self):
        def kind(x, r=1):
            match x % 4:
                case 0:
                    return 100
                case 1 | 2 as r if r > 1:
                    return 200 + r
                case 1:
                    return 10 + r
                case _:
                    return r

        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 1), "int32")
            with T.Kernel(6, threads=32) as i:
                B[i, 0] = kind(i)
        np.testing.assert_array_equal(rows_of(kernel, 1)[:, 0], [kind(i) for i in range(6)])

    def test_match_of_dynamic_values(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 1), "int32")
            with T.Kernel(6, threads=32) as i:
                match i * 2:
                    case 0:
                        B[i, 0] = 10
                    case 2 | 4:
                        B[i, 0] = 20
                    case x if x > 8:
                        B[i, 0] = x
                    case _:
                        B[i, 0] = 30
        np.testing.assert_array_equal(rows_of(kernel, 1)[:, 0], [10, 20, 20, 30, 30, 10])

    def test_raise_in_a_dynamic_branch(self):
        def body(A, bx):
            if A[bx] < 0:
                raise ValueError("negative")
        support.refused(self, body, "ValueError: negative", "help: check a dynamic condition by T.device_assert(condition, msg)")


class Containers(unittest.TestCase):
    def test_lists(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 5), "int32")
            with T.Kernel(6, threads=32) as i:
                items = [i]
                items.extend([1, 2])
                items.insert(0, 9)
                last = items.pop()
                items = items + [last] * 2
                del items[1]
                items[0:1] = [i, 5]
                B[i, 0] = sum(items)
                B[i, 1] = len(items) + items[1:].index(5) + items[1:].count(2)
                items.reverse()
                B[i, 2] = items[0] + items[-1] * 10
                B[i, 3] = sum(n * item for n, item in enumerate(items, 1))
                B[i, 4] = sum((1, 2), i)
        x = np.arange(6)  # the items: x, 5, 1, 2, 2
        expected = [x + 10, 0 * x + 5 + 0 + 2, 2 + 10 * x, 2 + 4 + 3 + 20 + 5 * x, x + 3]
        np.testing.assert_array_equal(rows_of(kernel, 5), np.stack(expected, 1))

    def test_dicts_and_sets(self):
        options = {"a": 100, "z": 7}

        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 5), "int32")
            with T.Kernel(6, threads=32) as i:
                values = {"a": i, "b": 2}
                values["c"] = values["a"] * values["b"]
                values["b"] += 1
                values.update({"e": 5}, f=6)
                B[i, 0] = values["c"] + values["b"] + values.get("x", 3) + values.pop("f")
                B[i, 1] = len(values) + T.cast("c" in values, "int32")
                del values["c"]
                B[i, 2] = sum(values.values())
                squares = {n: n * n * i for n in range(4)}
                B[i, 3] = squares[3] + len({n % 3 for n in range(9)}) + len({1, 2, 1})
                merged = {**values, **options}
                B[i, 4] = merged["a"] + merged["z"]
        x = np.arange(6)
        expected = [2 * x + 12, 0 * x + 5, x + 8, 9 * x + 5, 0 * x + 107]
        np.testing.assert_array_equal(rows_of(kernel, 5), np.stack(expected, 1))

    def test_functions_of_python(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((6, 6), "int32")
            with T.Kernel(6, threads=32) as i:
                B[i, 0] = T.cast(any(i == n for n in (1, 3)), "int32") + 2 * T.cast(all([i > 0, i < 5]), "int32")
                quotient, rest = divmod(i + 10, 4)
                B[i, 1] = quotient * 10 + rest
                for a, b in itertools.product(range(2), [i, 1]):
                    B[i, 2] += a * b
                B[i, 3] = math.prod([i, 3]) + [*itertools.accumulate([i, 1, 2])][2]
                size = Size(i)
                m, n = size
                B[i, 4] = size.area() + m * 100 + n + size._replace(n=1)[1]
                B[i, 5] = sum(dataclasses.astuple(dataclasses.replace(Point(i), y=3)))
        x = np.arange(6)
        expected = [((x == 1) | (x == 3)) + 2 * ((x > 0) & (x < 5)), (x + 10) // 4 * 10 + (x + 10) % 4, x + 1, 4 * x + 3, 104 * x + 5, x + 3]
        np.testing.assert_array_equal(rows_of(kernel, 6), np.stack(expected, 1))

    def test_dict_of_another_block(self):
        def body(A, bx):
            sizes = {"a": 1}
            for i in T.serial(3):
                sizes["a"] = i
        support.refused(self, body, "error[store-target]: cannot store to a dict from outside this block")


class Texts(unittest.TestCase):
    def test_annotations(self):
        n, dtype = 16, "float32"
        Row = T.Tensor((n,), dtype)

        @T.prim_func
        def main(A: "T.Tensor((n,), dtype)", B: "Row", scale: "float32"):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(n):
                    B[i] = A[i] * scale
        a, b = np.arange(16, dtype="float32"), np.zeros(16, "float32")
        tilelang.compile(main)(a, b, 2.0)
        np.testing.assert_array_equal(b, 2 * a)

    def test_values_in_messages(self):
        @tilelang.jit
        def kernel(A):
            A: T.Tensor((4,), "float32")
            with T.Kernel(1, threads=32):
                for i in T.serial(4):
                    T.print(A[i], msg=f"A[{i}] of {{4}}, {A[i] * 2:.2f}")
                T.print(f"first {A[0]:.1f}")
                tile = T.alloc_shared((4,), "float32")
                T.copy(A, tile)
                T.print(tile, msg=f"tile {A[1]:.0f}")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            kernel(np.arange(4, dtype="float32"))
        self.assertIn("msg='A[3] of {4}, 6.00' BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): dtype=float32 value=3.0", out.getvalue())
        self.assertIn("msg='first 0.0' BlockIdx=(0, 0, 0)", out.getvalue())
        self.assertIn("msg='tile 1' BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): buffer=tile, shape=4", out.getvalue())

    def test_values_of_a_failed_assertion(self):
        @tilelang.jit
        def kernel(A):
            A: T.Tensor((4,), "int32")
            with T.Kernel(1, threads=32):
                for i in T.serial(4):
                    assert A[i] < 3, f"A[{i}] is {A[i]:03d}"
        with self.assertRaises(tilelang.KernelError) as raised:
            kernel(np.arange(4, dtype="int32"))
        self.assertIn("A[3] is 003", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
