# SPDX-License-Identifier: Apache-2.0
"""The first thread reads before the start of its buffer."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            s[tx] = A[tx]
            T.sync_threads()
            if bug:
                B[tx] = s[tx - 1]
            else:
                B[tx] = s[T.max(tx - 1, 0)]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> out-of-bounds: s[-1] in block (0, 0), index [-1] of shape [64]
#>   bounds_negative.py, line 16    B[tx] = s[tx - 1]
#>                                    thread 0 reads
#>   bounds_negative.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                    declares s, shape [64]
#> help: guard the access with `if`: indices start at 0
#> in kernel main
#> thread level:
#> out-of-bounds: s[-1] in block (0, 0), index -1 is not in [0, 64)
#>   bounds_negative.py, line 16    B[tx] = s[tx - 1]
#>                                    thread 0 (warp 0, lane 0) reads
#>   bounds_negative.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                    declares s, shape [64]
#> help: guard the access with `if`: indices start at 0
#> in kernel main
#> flat level:
#> out-of-bounds: s[-1] in block (0, 0), index -1 is not in [0, 64)
#>   bounds_negative.py, line 16    B[tx] = s[tx - 1]
#>                                    thread 0 (warp 0, lane 0) reads
#>   bounds_negative.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                    declares s, shape [64]
#> help: guard the access with `if`: indices start at 0
#> in kernel main
