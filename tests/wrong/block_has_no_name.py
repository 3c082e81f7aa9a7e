# SPDX-License-Identifier: Apache-2.0
"""`as bx` is missing."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64):
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main


scale(64)
#> CompileError: error[name-unknown]: `bx` is not defined
#>   --> block_has_no_name.py, line 13
#>  13 |                 B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
#>     |                                    ^^
#> help: name the block index after `as`: `with T.Kernel(...) as bx:`
#> help: names bound here: A, B, i; bind the name before this line, in the kernel or in the Python code around it
