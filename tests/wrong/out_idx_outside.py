# SPDX-License-Identifier: Apache-2.0
"""out_idx beyond the parameters."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        T.copy(A, B)


tilelang.compile(main, out_idx=[2])
#> UsageError: error[out-idx]: out_idx names position 2 of 2 parameters
#>   --> out_idx_outside.py, line 13
#>  13 | tilelang.compile(main, out_idx=[2])
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: out_idx should be in range [-2, 1], got 2
