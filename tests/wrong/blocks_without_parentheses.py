# SPDX-License-Identifier: Apache-2.0
"""Two names after `as` without parentheses."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx, by:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale(64)
#> CompileError: error[with-unsupported]: `with` cannot open `by`
#>   --> blocks_without_parentheses.py, line 11
#>  11 |         with T.Kernel(T.ceildiv(N, 64), threads=64) as bx, by:
#>     |                                                            ^^
#> help: put several names in parentheses: `as (bx, by)`
