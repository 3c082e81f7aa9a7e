# SPDX-License-Identifier: Apache-2.0
"""A sum into one element without T.atomic_add."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((1,), "float32")
            T.clear(s)
            for i in T.Parallel(64):
                if bug:
                    s[0] = s[0] + A[i]
                else:
                    T.atomic_add(s[0], A[i])
            B[0] = s[0]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: s[0] in block (0, 0)  (64 times)
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            more than one iteration reads
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            iteration i = 0 writes
#>   race_sum_without_atomic.py, line 11    s = T.alloc_shared((1,), "float32")
#>                                            declares s, shape [1]
#> help: iterations of T.Parallel run concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> thread level:
#> race: s[0] in block (0, 0)  (3 times)
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            each lane of warp 1 reads
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 32 (warp 1, lane 0) writes
#>   race_sum_without_atomic.py, line 11    s = T.alloc_shared((1,), "float32")
#>                                            declares s, shape [1]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#>
#> race: s[0] in block (0, 0)  (63 times)
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 32 (warp 1, lane 0) writes
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 33 (warp 1, lane 1) writes
#>   race_sum_without_atomic.py, line 11    s = T.alloc_shared((1,), "float32")
#>                                            declares s, shape [1]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: s[0] in block (0, 0)  (3 times)
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            each lane of warp 1 reads
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 32 (warp 1, lane 0) writes
#>   race_sum_without_atomic.py, line 11    s = T.alloc_shared((1,), "float32")
#>                                            declares s, shape [1]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#>
#> race: s[0] in block (0, 0)  (63 times)
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 32 (warp 1, lane 0) writes
#>   race_sum_without_atomic.py, line 15    s[0] = s[0] + A[i]
#>                                            thread 33 (warp 1, lane 1) writes
#>   race_sum_without_atomic.py, line 11    s = T.alloc_shared((1,), "float32")
#>                                            declares s, shape [1]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
