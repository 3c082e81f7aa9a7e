# SPDX-License-Identifier: Apache-2.0
"""A factory has no parameter of that name."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale(M=64)
#> UsageError: error[argument-keyword]: kernel scale does not take a keyword argument M
#>   --> factory_argument_unknown.py, line 17
#>  17 | scale(M=64)
#>     | ^^^^^^^^^^^
#> help: call it as scale(N, FACTOR=2)
