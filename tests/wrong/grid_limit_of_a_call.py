# SPDX-License-Identifier: Apache-2.0
"""More blocks along y than CUDA launches, as a call shows."""
import numpy as np
import tilelang
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n,), "int32")):
    with T.Kernel(1, n, threads=32) as (bx, by):
        A[by] = 1


tilelang.compile(main, target="sm_80")(np.zeros(65536, np.int32))
#> ArgumentError: error[argument-refused]: kernel main: the grid is 1x65536x1: a launch has at most 65535 blocks along y
#>   --> grid_limit_of_a_call.py, line 16
#>  12 |     with T.Kernel(1, n, threads=32) as (bx, by):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  16 | tilelang.compile(main, target="sm_80")(np.zeros(65536, np.int32))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass arguments that match, or change the assumptions of the kernel
