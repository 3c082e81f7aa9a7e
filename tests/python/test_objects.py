# SPDX-License-Identifier: Apache-2.0
"""Objects of Python classes that a kernel makes, and tile schedulers."""
import dataclasses
import unittest

import support
import numpy as np
import tilelang
import tilelang.language as T


@T.meta_class
class Counter:
    step = 2

    def __init__(self, start, name="c"):
        self.value = T.alloc_var("int32")
        self.start = start
        self._sums = T.alloc_fragment((32,), "int32")

    def reset(self):
        self.value[0] = self.start
        for i in T.Parallel(32):
            self._sums[i] = i

    @property
    def twice(self):
        return self.value * 2

    @twice.setter
    def twice(self, value):
        self.value = value // 2

    @staticmethod
    def plus(a, b):
        return a + b

    @classmethod
    def steps(cls, x):
        return x * cls.step

    def advance(self):
        self.value += self.step

    def __call__(self, x):
        return self.value + x

    @T.inline
    def put(self, A, i):
        for k in range(2):
            A[i, k] = self.value + k

    @T.macro
    def put_twice(self, A, i):
        A[i, 2] = self.twice


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def total(self):
        return self.a + self.b


class Triple(Pair):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c = c

    def total(self):
        return super().total() + self.c


@dataclasses.dataclass
class Scaled:
    x: int
    y: int = 3
    items: list = dataclasses.field(default_factory=list)
    last: int = dataclasses.field(default=5, init=False)

    def __post_init__(self):
        self.items.append(self.x)

    def product(self):
        return self.items[0] * self.y + self.last


def coordinates(m, n, swizzle, column_major):
    """All tiles in the scheduler's order, written as loops."""
    fast, slow = (m, n) if column_major else (n, m)
    order = [(i, j) for first in range(0, slow, swizzle) for i in range(fast) for j in range(first, min(first + swizzle, slow))]
    return order if column_major else [(j, i) for i, j in order]


class Objects(unittest.TestCase):
    def test_methods_and_properties(self):
        @tilelang.jit
        def kernel(A, B):
            A: T.Tensor((4, 3), "int32")
            B: T.Tensor((4, 5), "int32")
            with T.Kernel(4, threads=32) as bx:
                counter = Counter(bx, name="mine")
                counter.reset()
                for _ in T.serial(3):
                    counter.advance()
                counter.put(A, bx)
                counter.put_twice(A, bx)
                counter.twice = 100
                B[bx, 0] = counter.value
                B[bx, 1] = counter(5)
                B[bx, 2] = counter.plus(1, bx)
                B[bx, 3] = Counter.steps(bx)
                B[bx, 4] = T.cast(isinstance(counter, Counter) and not hasattr(counter, "other"), "int32")
        a, b, x = np.zeros((4, 3), "int32"), np.zeros((4, 5), "int32"), np.arange(4)
        kernel(a, b)
        np.testing.assert_array_equal(a, np.stack([x + 6, x + 7, 2 * x + 12], 1))
        np.testing.assert_array_equal(b, np.stack([0 * x + 50, 0 * x + 55, x + 1, 2 * x, 0 * x + 1], 1))
        self.assertIn("int mine_value", kernel.get_kernel_source())

    def test_classes_without_a_mark(self):
        @tilelang.jit
        def kernel(B):
            B: T.Tensor((4, 3), "int32")
            with T.Kernel(4, threads=32) as bx:
                three, scaled = Triple(bx, 1, 2), Scaled(bx)
                B[bx, 0] = three.total()
                B[bx, 1] = scaled.product()
                B[bx, 2] = getattr(three, "c") if type(three) is not Pair and isinstance(three, Pair) else 0
        b, x = np.zeros((4, 3), "int32"), np.arange(4)
        kernel(b)
        np.testing.assert_array_equal(b, np.stack([x + 3, 3 * x + 5, 0 * x + 2], 1))

    def test_lists_of_the_program_do_not_change(self):
        class Stack:
            def __init__(self):
                self.items = []

            def push(self, x):
                self.items.append(x)
                return self

        held, table = Stack(), {"n": [1, 2]}

        def of_kernel(A, bx):
            table["n"][0] = bx

        for body in (lambda A, bx: held.push(A[bx]), lambda A, bx: held.items.append(A[bx]), lambda A, bx: Stack().push(bx),
                     lambda A, bx: table["n"].extend([bx]), of_kernel):
            support.refused(self, body, "error[store-target]", "a list of the program", "make it in the kernel")
        support.refused(self, lambda A, bx: table.update(m=bx), "error[store-target]")
        self.assertEqual((held.items, table), ([], {"n": [1, 2]}))
        made = T.meta_class(Stack)

        @tilelang.jit
        def kernel(A, B):
            A: T.Tensor((4,), "int32")
            B: T.Tensor((4, 2), "int32")
            with T.Kernel(4, threads=32) as bx:
                stack = made().push(A[bx]).push(bx).push(7)
                B[bx, 0] = sum(stack.items)
                B[bx, 1] = len(stack.items)
        a, b = np.array([5, 3, 1, 8], "int32"), np.zeros((4, 2), "int32")
        kernel(a, b)
        np.testing.assert_array_equal(b, np.stack([a + np.arange(4) + 7, [3] * 4], 1))

    def test_attribute_in_a_branch(self):
        def body(A, bx):
            pair = Pair(bx, 1)
            for i in T.serial(3):
                pair.a = i
        support.refused(self, body, "error[store-target]: cannot store to an attribute of an object from outside this block", "help: keep a value that changes "
                     "at run time in a variable: make the attribute with T.alloc_var(dtype)")

    def test_attribute_of_its_own(self):
        def body(A, bx):
            pair = Pair(bx, 1)
            pair.a = [pair]
        support.refused(self, body, "cannot store to an attribute of an object that would contain itself")

    def test_attribute_of_a_python_object(self):
        def body(A, bx):
            pair = Pair(1, 2)
            pair.a = bx
        support.refused(self, body, "cannot store to an attribute of a Python object", "help: mark its class with T.meta_class")

    def test_missing_attribute(self):
        support.refused(self, lambda A, bx: Pair(bx, 2).c, "an object of the class `Pair` has no attribute `c`", "help: it has a, b")

    def test_property_without_setter(self):
        def body(A, bx):
            sched = T.PersistentTileScheduler(2, 2, num_workers=4)
            sched.m_idx = 3
        support.refused(self, body, "cannot store to `m_idx`, a property")

    def test_object_as_a_function(self):
        support.refused(self, lambda A, bx: Pair(bx, 2)(1), "error[not-callable]: cannot call an object of the class `Pair`", "a method `__call__`")

    def test_scheduler_without_coordinates(self):
        def body(A, bx):
            T.BaseTileScheduler().init(bx)
        support.refused(self, body, "a subclass of T.BaseTileScheduler must define update_current_idx")


class Schedulers(unittest.TestCase):
    def check(self, m, n, workers, swizzle, column_major, cluster):
        @tilelang.jit
        def kernel(R):
            R: T.Tensor((workers, 64, 3), "int32")
            with T.Kernel(workers, threads=32) as bx:
                sched = T.PersistentTileScheduler(m, n, num_workers=workers, swizzle_size=swizzle, column_major=column_major, cluster_size=cluster)
                sched.init(bx)
                while sched.valid():
                    row, column = sched.m_idx, sched.n_idx
                    R[bx, sched.current_iter, 0] = row
                    R[bx, sched.current_iter, 1] = column
                    R[bx, sched.current_iter, 2] = sched.linear_idx
                    sched.next_tile()
        found, expected = (np.full((workers, 64, 3), -1, "int32") for _ in range(2))
        kernel(found)
        for i, tile in enumerate(coordinates(-(-m // cluster), n, swizzle, column_major)):
            expected[i % workers, i // workers] = (*tile, i)
        np.testing.assert_array_equal(found, expected)

    def test_orders(self):
        for case in [(5, 7, 3, 1, True, 1), (5, 7, 3, 1, False, 1), (5, 7, 4, 3, True, 1), (5, 7, 4, 3, False, 1), (7, 5, 2, 2, True, 2)]:
            with self.subTest(case=case):
                self.check(*case)

    def test_without_state(self):
        sched = T.PersistentTileScheduler(5, 3, num_workers=1, swizzle_size=2, stateful=False)  # of the program, not of the kernel

        @tilelang.jit
        def kernel(R):
            R: T.Tensor((15, 2), "int32")
            with T.Kernel(15, threads=32) as bx:
                row, column = sched.coord(bx)
                R[bx, 0] = row
                R[bx, 1] = column
        found = np.zeros((15, 2), "int32")
        kernel(found)
        np.testing.assert_array_equal(found, coordinates(5, 3, 2, True))

    def test_default_workers(self):
        from tilelang.carver.arch import driver

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(4, threads=32) as bx:
                sched = T.PersistentTileScheduler(4, 2)
                sched.init(bx)
                sched.next_tile()
                A[bx] = sched.linear_idx
        a = np.zeros(8, "int32")
        tilelang.compile(main)(a)
        self.assertEqual(a[1], driver.get_num_sms() + 1)


if __name__ == "__main__":
    unittest.main()
