# SPDX-License-Identifier: Apache-2.0
# A byte of a float4 tile holds two values: padding in one of them does not reach the other.
import tilelang
import tilelang.language as T


@T.prim_func
def packed(A: T.Tensor((19, 1), "float32"), C: T.Tensor((19, 1), "float32")):
    with T.Kernel(1, T.ceildiv(19, 8), threads=32) as (bx, by):
        s = T.alloc_shared((8, 3), "float4_e2m1fn")
        for i, j in T.Parallel(8, 3):
            s[i, j] = T.cast(A[by * 8 + i, bx * 3 + j] + 1, "float4_e2m1fn")
        for i, j in T.Parallel(8, 3):
            C[by * 8 + i, bx * 3 + j] = T.cast(s[i, j], "float32")


check(tilelang.compile(packed), np.ones((19, 1), "float32"), np.zeros((19, 1), "float32"))
#> packed:
#>   clean: 158 accesses by 3 blocks of 32 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
