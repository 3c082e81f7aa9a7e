# SPDX-License-Identifier: Apache-2.0
"""A mask of half a warp: all lanes exchange values."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        if t < 16:
            B[t] = T.shfl_xor(A[t], 1, mask=0xFFFF)


tilelang.compile(main)
#> CompileError: error[lane-mask]: `mask` of T.shfl_xor does not select all lanes
#>   --> shuffle_mask.py, line 12
#>  12 |             B[t] = T.shfl_xor(A[t], 1, mask=0xFFFF)
#>     |                                        ^^^^^^^^^^^
#> help: let all lanes reach it without `mask`, and give those beyond the data a neutral value
