# SPDX-License-Identifier: Apache-2.0
"""A prim_func called without being compiled."""
import tilelang
import tilelang.language as T

import numpy as np


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        T.clear(A)


main(np.zeros(64, np.float32))
#> TypeError: main is the source of a kernel; compile it first: kernel = tilelang.compile(main), or write @tilelang.jit above the function that makes it
