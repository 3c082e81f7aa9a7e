# SPDX-License-Identifier: Apache-2.0
"""A jit function in a class, called as a method."""
import tilelang
import tilelang.language as T

import numpy as np


class Layer:
    def __init__(self, n):
        self.n = n

    @tilelang.jit
    def twice(self, A):
        A: T.Tensor((self.n,), "float32")
        B = T.empty((self.n,), "float32")
        with T.Kernel(1, threads=64):
            for i in T.Parallel(self.n):
                B[i] = A[i] * 2.0
        return B

Layer(64).twice(np.zeros(64, np.float32))
#> UsageError: error[argument-undeclared]: twice: the argument self is a tensor (ndarray) that the function does not declare
#>   --> jit_method_of_a_class.py, line 22
#>  22 | Layer(64).twice(np.zeros(64, np.float32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: a jit function has no self: define it in a method, which reads `n = self.n` and returns it, instead of in the class
