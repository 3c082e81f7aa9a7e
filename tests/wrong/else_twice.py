# SPDX-License-Identifier: Apache-2.0
"""A second T.Else, and an unknown unit of a copy."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "int32")
        T.copy(A, s, prefer_instruction="dma")
        with T.If(n > 3):
            with T.Then():
                A[0] = 1
            with T.Else():
                A[1] = 1
            with T.Else():
                A[2] = 1


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain T.copy with prefer_instruction="dma"
#>   --> else_twice.py, line 11
#>  11 |         T.copy(A, s, prefer_instruction="dma")
#>     |                      ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use "tma", "cp_async" or "sync"
#>
#> error[statement-unsupported]: a kernel cannot contain a second T.Else in one T.If
#>   --> else_twice.py, line 17
#>  17 |             with T.Else():
#>     |             ^^^^^^^^^^^^^^
#> help: move its statements to the first T.Else
