# SPDX-License-Identifier: Apache-2.0
# Both levels see the race: it is one finding, in the words of the user's loop.
import tilelang
import tilelang.language as T


@T.prim_func
def transpose(A: T.Tensor((16, 16), "float32")):
    with T.Kernel(1, threads=64):
        S = T.alloc_shared((16, 16), "float32")
        T.copy(A, S)
        for i, j in T.Parallel(16, 16):
            S[j, i] = S[i, j]
        T.copy(S, A)


check(tilelang.compile(transpose), np.ones((16, 16), "float32"))
#> race: S[1, 0] in block (0, 0), the same results in 9 schedules  (tile, thread and flat level, 240 times)
#>   race_in_parallel.py, line 13    S[j, i] = S[i, j]
#>                                     iteration i = 1, j = 0 reads
#>   race_in_parallel.py, line 13    S[j, i] = S[i, j]
#>                                     iteration i = 0, j = 1 writes
#>   race_in_parallel.py, line 10    S = T.alloc_shared((16, 16), "float32")
#>                                     declares S, shape [16, 16]
#> help: iterations of T.Parallel run concurrently: write to a second buffer; use T.atomic_add for a sum
#>
#> transpose: 1 finding in 1 block at tile, thread and flat level
