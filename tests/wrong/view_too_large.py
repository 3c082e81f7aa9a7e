# SPDX-License-Identifier: Apache-2.0
"""A view with dynamic extents that has more elements than its tensor."""
import numpy as np
import tilelang
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n, 2), "int32")):
    with T.Kernel(1, threads=32):
        flat = T.reshape(A, (n * 3,))
        for i in T.Parallel(8):
            flat[i] = 1


tilelang.compile(main)(np.zeros((4, 2), "int32"))
#> ArgumentError: error[argument-refused]: kernel main: a view has more elements than `A`
#>   --> view_too_large.py, line 18
#>  13 |         flat = T.reshape(A, (n * 3,))
#>     |                ~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  18 | tilelang.compile(main)(np.zeros((4, 2), "int32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass arguments that match, or change the assumptions of the kernel
