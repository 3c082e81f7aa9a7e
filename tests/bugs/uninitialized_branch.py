# SPDX-License-Identifier: Apache-2.0
"""Only some threads have written what all read."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            if tx < (32 if bug else 64):
                s[tx] = A[tx]
            T.sync_threads()
            B[tx] = s[63 - tx]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> uninitialized: s[63] in block (0, 0)  (32 times)
#>   uninitialized_branch.py, line 16    B[tx] = s[63 - tx]
#>                                         thread 0 reads
#>   uninitialized_branch.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> thread level:
#> uninitialized: s[63] in block (0, 0)  (32 times)
#>   uninitialized_branch.py, line 16    B[tx] = s[63 - tx]
#>                                         thread 0 (warp 0, lane 0) reads
#>   uninitialized_branch.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#>   uninitialized_branch.py, line 14    s[tx] = A[tx]
#>                                         writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
#> flat level:
#> uninitialized: s[63] in block (0, 0)  (32 times)
#>   uninitialized_branch.py, line 16    B[tx] = s[63 - tx]
#>                                         thread 0 (warp 0, lane 0) reads
#>   uninitialized_branch.py, line 12    s = T.alloc_shared((64,), "float32")
#>                                         declares s, shape [64]
#>   uninitialized_branch.py, line 14    s[tx] = A[tx]
#>                                         writes a part of s
#> help: initialize each element before the read: T.clear, T.fill, T.copy or a store
#> in kernel main
