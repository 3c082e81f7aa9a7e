# SPDX-License-Identifier: Apache-2.0
"""Half of a warp reaches its barrier."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            if tx < (16 if bug else 32):
                T.sync_warp()
                Y[tx] = X[tx]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> divergence: in block (0, 0), 16 lanes of warp 0 are missing, the first is lane 16
#>   divergence_sync_warp_in_half_a_warp.py, line 13    T.sync_warp()    runs warp_sync
#> help: move it out of the condition, so that all threads reach it
#> in kernel main
#> thread level:
#> divergence: in block (0, 0), 16 lanes of warp 0 are missing, the first is lane 16
#>   divergence_sync_warp_in_half_a_warp.py, line 13    T.sync_warp()
#>                                                        thread 0 (warp 0, lane 0) runs warp_sync
#>   divergence_sync_warp_in_half_a_warp.py, line 12    if tx < (16 if bug else 32):
#>                                                        only some threads pass this condition
#> help: move it out of the condition, so that all threads reach it
#> in kernel main
#> flat level:
#> divergence: in block (0, 0), 16 lanes of warp 0 are missing, the first is lane 16
#>   divergence_sync_warp_in_half_a_warp.py, line 13    T.sync_warp()
#>                                                        thread 0 (warp 0, lane 0) runs warp_sync
#>   divergence_sync_warp_in_half_a_warp.py, line 12    if tx < (16 if bug else 32):
#>                                                        only some threads pass this condition
#> help: move it out of the condition, so that all threads reach it
#> in kernel main
