# SPDX-License-Identifier: Apache-2.0
"""A group reads what another one fills, and arrives at their barrier where it has to wait."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=256) as _:
            s = T.alloc_shared((128,), "float32")
            T.clear(s)
            with T.ws(0):
                for i in T.Parallel(128):
                    s[i] = A[i]
                T.named_barrier_arrive(1, 256)
                T.sync_threads(2, 256)
            with T.ws(1):
                if bug:
                    T.named_barrier_arrive(1, 256)
                else:
                    T.sync_threads(1, 256)
                for i in T.Parallel(128):
                    B[i] = s[127 - i]
                T.named_barrier_arrive(2, 256)
    return main


def arrays(rng):
    return [rng.random(128, np.float32), np.zeros(128, np.float32)]
#> tile level: nothing is found
#> thread level:
#> race: s[0] in block (0, 0)  (128 times)
#>   race_handed_on_by_number.py, line 24    B[i] = s[127 - i]
#>                                             thread 255 (warp 7, lane 31) reads
#>   race_handed_on_by_number.py, line 15    s[i] = A[i]
#>                                             thread 0 (warp 0, lane 0) writes
#>   race_handed_on_by_number.py, line 11    s = T.alloc_shared((128,), "float32")
#>                                             declares s, shape [128]
#> help: put T.sync_threads() between the two, or write to a second buffer
#> in kernel main
#> flat level:
#> race: s[0] in block (0, 0)  (128 times)
#>   race_handed_on_by_number.py, line 24    B[i] = s[127 - i]
#>                                             thread 255 (warp 7, lane 31) reads
#>   race_handed_on_by_number.py, line 15    s[i] = A[i]
#>                                             thread 0 (warp 0, lane 0) writes
#>   race_handed_on_by_number.py, line 11    s = T.alloc_shared((128,), "float32")
#>                                             declares s, shape [128]
#> help: put T.sync_threads() between the two, or write to a second buffer
#> in kernel main
