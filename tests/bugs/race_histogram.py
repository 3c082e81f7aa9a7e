# SPDX-License-Identifier: Apache-2.0
"""Counting without T.atomic_add."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=64) as _:
            h = T.alloc_shared((16,), "int32")
            T.clear(h)
            for i in T.Parallel(64):
                if bug:
                    h[A[i]] = h[A[i]] + 1
                else:
                    T.atomic_add(h[A[i]], 1)
            T.copy(h, B)
    return main


def arrays(rng):
    return [rng.integers(0, 16, 64).astype(np.int32), np.zeros(16, np.int32)]
#> tile level:
#> race: h[10] in block (0, 0)  (62 times)
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 more than one iteration reads
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 iteration i = 0 writes
#>   race_histogram.py, line 11    h = T.alloc_shared((16,), "int32")    declares h, shape [16]
#> help: iterations of T.Parallel run concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> thread level:
#> race: h[1] in block (0, 0)  (56 times)
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 47 (warp 1, lane 15) reads
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 32 (warp 1, lane 0) writes
#>   race_histogram.py, line 11    h = T.alloc_shared((16,), "int32")    declares h, shape [16]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#>
#> race: h[10] in block (0, 0)  (12 times)
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 49 (warp 1, lane 17) writes
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 0 (warp 0, lane 0) writes
#>   race_histogram.py, line 11    h = T.alloc_shared((16,), "int32")    declares h, shape [16]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: h[1] in block (0, 0)  (56 times)
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 47 (warp 1, lane 15) reads
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 32 (warp 1, lane 0) writes
#>   race_histogram.py, line 11    h = T.alloc_shared((16,), "int32")    declares h, shape [16]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#>
#> race: h[10] in block (0, 0)  (12 times)
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 49 (warp 1, lane 17) writes
#>   race_histogram.py, line 15    h[A[i]] = h[A[i]] + 1                 thread 0 (warp 0, lane 0) writes
#>   race_histogram.py, line 11    h = T.alloc_shared((16,), "int32")    declares h, shape [16]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#> in kernel main
