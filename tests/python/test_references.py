# SPDX-License-Identifier: Apache-2.0
"""Parameters of macros that T.Ref annotates."""

import unittest

import support  # noqa: F401
import numpy as np
import tilelab as tilelang
import tilelab.language as T


class References(unittest.TestCase):
    def test_references_to_elements_and_variables(self):
        @T.macro
        def bump(x: T.Ref, by):
            x += by

        @T.macro
        def doubled(x: T.Ref[T.int32]):
            x = x * 2

        @T.macro
        def cleared(x: T.Var):
            x = 0

        @T.prim_func
        def main(A: T.Tensor((4,), "int32")):
            with T.Kernel(1, threads=1):
                v = T.alloc_var("int32", init=5)
                doubled(v)
                A[0] = v
                bump(A[1], 3)
                bump(A[1], A[0])
                s = T.alloc_local((2,), "int32")
                s[1] = 4
                doubled(s[1])
                A[2] = s[1]
                bump(A[2 + A[3]], 100)
                cleared(v)
                A[3] = v + 1

        a = np.zeros(4, "int32")
        tilelang.compile(main)(a)
        np.testing.assert_array_equal(a, [10, 13, 108, 1])


if __name__ == "__main__":
    unittest.main()
