# SPDX-License-Identifier: Apache-2.0
# Several findings of one call: an index outside, and what the tail of the buffer never got.
import tilelang
import tilelang.language as T


@T.prim_func
def smooth(A: T.Tensor((48,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        for i in T.Parallel(48):
            s[i] = A[i]
        for i in T.Parallel(64):
            B[i] = s[i] + s[i + 1]


check(tilelang.compile(smooth), np.ones(48, "float32"), np.zeros(64, "float32"))
#> out-of-bounds: s[64] in block (0, 0), index [64] of shape [64]  (tile, thread and flat level)
#>   neighbours_and_tail.py, line 14    B[i] = s[i] + s[i + 1]
#>                                        iteration i = 63 reads
#>   neighbours_and_tail.py, line 10    s = T.alloc_shared((64,), "float32")
#>                                        declares s, shape [64]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#>
#> uninitialized: s[48] in block (0, 0)  (tile, thread and flat level, 32 times)
#>   neighbours_and_tail.py, line 14    B[i] = s[i] + s[i + 1]
#>                                        iteration i = 48 reads
#>   neighbours_and_tail.py, line 10    s = T.alloc_shared((64,), "float32")
#>                                        declares s, shape [64]
#>   neighbours_and_tail.py, line 12    s[i] = A[i]
#>                                        writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#>
#> smooth: 2 findings in 1 block at tile, thread and flat level
