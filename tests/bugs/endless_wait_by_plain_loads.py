# SPDX-License-Identifier: Apache-2.0
"""A block spins on a flag that no block sets, by loads that are not atomic."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(flags: T.Tensor((4,), "int32"), B: T.Tensor((3,), "int32")):
        with T.Kernel(3, threads=32) as bx:
            if T.get_thread_binding() == 0:
                while flags[bx + 1 if bug else 0] == 0:
                    B[bx] = 0
                B[bx] = bx
    return main


def arrays(rng):
    return [np.array([1, 0, 0, 0], np.int32), np.zeros(3, np.int32)]
#> tile level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_by_plain_loads.py, line 12    while flags[bx + 1 if bug else 0] == 0:
#>                                                never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
#> thread level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_by_plain_loads.py, line 12    while flags[bx + 1 if bug else 0] == 0:
#>                                                thread 0 (warp 0, lane 0) never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
#> flat level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_by_plain_loads.py, line 12    while flags[bx + 1 if bug else 0] == 0:
#>                                                thread 0 (warp 0, lane 0) never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
