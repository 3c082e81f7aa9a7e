# SPDX-License-Identifier: Apache-2.0
"""T.atomic_addx2 of a whole buffer that is longer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.atomic_addx2(B, A)


tilelang.compile(main)
#> CompileError: error[atomic-width]: T.atomic_addx2 adds 2 consecutive elements, found 64
#>   --> atomic_vector_width.py, line 10
#>  10 |         T.atomic_addx2(B, A)
#>     |                        ^
#> help: name the first of them, A[i, j], or a slice of 2
