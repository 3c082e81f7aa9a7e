# SPDX-License-Identifier: Apache-2.0
"""An array whose interface is incomplete."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


class Foreign:
    __array_interface__ = {"shape": (8,), "typestr": "<f4", "version": 3}


tilelang.compile(main)(Foreign(), np.zeros(8, "float32"))
#> ArgumentError: error[argument-unreadable]: cannot access the memory of a Foreign: its interface has no 'data'
#>   --> call_unreadable.py, line 19
#>  19 | tilelang.compile(main)(Foreign(), np.zeros(8, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a plain copy: numpy.array(x), or x.detach().clone() of torch
