# SPDX-License-Identifier: Apache-2.0
"""An output by its name."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=["B"])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale(64)
#> UsageError: error[out-idx]: out_idx names position 'B' of 2 parameters
#>   --> out_idx_by_name.py, line 17
#>  17 | scale(64)
#>     | ^^^^^^^^^
#> help: use a number in out_idx; 'B' is -1
