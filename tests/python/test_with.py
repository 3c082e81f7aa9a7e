# SPDX-License-Identifier: Apache-2.0
"""`with` of a kernel over context managers of Python: they are entered and left while the kernel is made, in Python's order."""
import contextlib
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T

said = []


class Recorded:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        said.append(f"enter {self.name}")
        return 3

    def __exit__(self, kind, error, trace):
        said.append(f"leave {self.name}" + (f" by {kind.__name__}" if kind else ""))
        return True


@contextlib.contextmanager
def generated(name):
    said.append(f"begin {name}")
    try:
        yield 4
    finally:
        said.append(f"end {name}")


def failing(at):
    class Failing(Recorded):
        def __enter__(self):
            if at == "enter":
                raise KeyError("no such lane")

        def __exit__(self, *error):
            raise ValueError("was not open")
    return Failing("")


class Writes:
    def __enter__(self):
        T.sync_threads()

    def __exit__(self, *error):
        pass


def kernel(body):
    """The body of a macro that fills B[0:64]."""
    @T.prim_func
    def main(B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            body(B)
    return main


class With(unittest.TestCase):
    def setUp(self):
        said.clear()

    def test_managers_of_python_are_entered_and_left_in_order(self):
        @T.prim_func
        def main(B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64) as bx, Recorded("whole") as three, contextlib.nullcontext():
                with generated("part") as four:
                    for i in T.Parallel(64):
                        with contextlib.nullcontext(1) as one, Recorded("inner"):
                            B[i * one] = three * 10 + four
                with Recorded("after"):
                    pass
        self.assertEqual(said, ["enter whole", "begin part", "enter inner", "leave inner", "end part", "enter after",
                                "leave after", "leave whole"])
        B = np.zeros(64, "float32")
        tilelang.compile(main)(B)
        self.assertTrue((B == 34).all())

    def test_a_return_leaves(self):
        @T.macro
        def body(B):
            with Recorded("a"), generated("b"):
                B[0] = 1.0
                return
            B[1] = 1.0
        kernel(body)
        self.assertEqual(said, ["enter a", "begin b", "end b", "leave a"])

    def test_an_error_of_the_body_is_passed_to_the_manager_and_raised(self):
        @T.macro
        def body(B):
            with Recorded("a"), generated("b"):
                B[0] = nothing  # noqa: F821
            B[1] = 1.0
        with self.assertRaisesRegex(tilelang.CompileError, "`nothing` is not defined"):
            kernel(body)
        self.assertEqual(said, ["enter a", "begin b", "end b", "leave a by CompileError"])

    def test_errors_of_managers(self):
        for at, words in (("enter", "KeyError: 'no such lane'"), ("leave", "ValueError: was not open")):
            @T.macro
            def body(B):
                with failing(at):
                    B[0] = 1.0
            with self.subTest(at=at), self.assertRaisesRegex(tilelang.CompileError, "python-error.*: " + words):
                kernel(body)

    def test_what_is_refused(self):
        manager = object()

        @T.macro
        def body(B):
            with manager:
                B[0] = 1.0
        with self.assertRaisesRegex(tilelang.CompileError, "`with` cannot open a Python object"):
            kernel(body)

    def test_what_managers_emit_is_around_the_body(self):
        class Late(Recorded):
            def __exit__(self, *error):
                T.sync_threads()

        for manager, order in ((Writes(), ["block_sync", "B[0] = 1.0"]), (Late("late"), ["B[0] = 1.0", "block_sync"])):
            @T.macro
            def body(B):
                with manager:
                    B[0] = 1.0
            text = kernel(body).script()
            with self.subTest(order=order):
                self.assertEqual([text.count(part) for part in order], [1, 1])
                self.assertLess(text.index(order[0]), text.index(order[1]))
        self.assertEqual(said, ["enter late"])

    def test_a_method_writes_its_part_of_the_kernel(self):
        class Fills:
            value = 3.0

            def fill(self, B):
                Writes().__enter__()
                T.fill(B, self.value)

        @T.macro
        def body(B):
            Fills().fill(B)
        B = np.zeros(64, "float32")
        tilelang.compile(kernel(body))(B)
        self.assertTrue((B == 3).all())

    def test_a_branch_of_tvm_in_one_line(self):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                for i in T.Parallel(64):
                    with T.If(A[i] > 0), T.Then():
                        B[i] = A[i]
                    with T.If(A[i] < 0):
                        with T.Then(), contextlib.nullcontext(2) as two:
                            B[i] = A[i] * two
                        with T.Else(), T.If(A[i] == 0), T.Then():
                            B[i] = 7.0
        A = np.arange(-32, 32).astype("float32")
        B = np.zeros(64, "float32")
        tilelang.compile(main)(A, B)
        self.assertTrue((B == np.where(A > 0, A, np.where(A < 0, A * 2, 7))).all())


if __name__ == "__main__":
    unittest.main()
