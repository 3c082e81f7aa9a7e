# SPDX-License-Identifier: Apache-2.0
"""T.ceildiv rounds quotients of integers."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            A[i] = T.ceildiv(A[i], 2.0)
#> CompileError: error[operator-type]: `T.ceildiv` is not defined for float32
#>   --> ceildiv_of_floats.py, line 10
#>  10 |             A[i] = T.ceildiv(A[i], 2.0)
#>     |                    ^^^^^^^^^^^^^^^^^^^^
#> help: divide floats with /; T.ceil rounds up: T.ceil(a / b)
