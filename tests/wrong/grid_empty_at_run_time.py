# SPDX-License-Identifier: Apache-2.0
"""A call with an empty tensor launches no block."""
import numpy
import tilelang
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n,), "float32")):
    with T.Kernel(n, threads=32) as bx:
        A[bx] = 1.0


tilelang.compile(main)(numpy.zeros(0, "float32"))
#> ArgumentError: error[argument-refused]: kernel main: the grid is 0x1x1: a launch needs at least one block
#>   --> grid_empty_at_run_time.py, line 16
#>  12 |     with T.Kernel(n, threads=32) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  16 | tilelang.compile(main)(numpy.zeros(0, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use T.ceildiv(n, block) to round the number of blocks up
