# SPDX-License-Identifier: Apache-2.0
"""A product of extents beyond 32 bits does not wrap to another grid."""
import numpy as np
import tilelang
import tilelang.language as T


M = T.dynamic("M")


@T.prim_func
def main(A: T.Tensor((M,), "int8")):
    with T.Kernel(M * M, threads=32) as bx:
        A[0] = 1


tilelang.compile(main)(np.zeros(2**16 + 1, np.int8))
#> ArgumentError: error[argument-refused]: kernel main: the grid is 4295098369x1x1: a launch has at most 2147483647 blocks along x
#>   --> grid_beyond_31_bits.py, line 17
#>  13 |     with T.Kernel(M * M, threads=32) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  17 | tilelang.compile(main)(np.zeros(2**16 + 1, np.int8))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass arguments that match, or change the assumptions of the kernel
