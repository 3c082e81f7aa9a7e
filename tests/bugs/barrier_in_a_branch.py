# SPDX-License-Identifier: Apache-2.0
"""T.sync_threads that only half of the threads reach. Tile level runs threads in lockstep: nothing waits there."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            s[tx] = A[tx]
            if bug:
                if tx < 32:
                    T.sync_threads()
            else:
                T.sync_threads()
            B[tx] = s[63 - tx]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level: nothing is found
#> thread level:
#> divergence: in block (0, 0), all warps must come to the same barrier
#>   barrier_in_a_branch.py, line 16    T.sync_threads()    warp 0 waits here
#>   (made by the compiler)             warp 1 has come to a barrier that the compiler put in
#>   barrier_in_a_branch.py, line 15    if tx < 32:         lets only some of the threads through
#> help: move it out of the condition, so that all threads reach it
#> in kernel main
#> flat level:
#> divergence: in block (0, 0), all warps must come to the same barrier
#>   barrier_in_a_branch.py, line 16    T.sync_threads()    warp 0 waits here
#>   (made by the compiler)             warp 1 has come to a barrier that the compiler put in
#>   barrier_in_a_branch.py, line 15    if tx < 32:         lets only some of the threads through
#> help: move it out of the condition, so that all threads reach it
#> in kernel main
