# SPDX-License-Identifier: Apache-2.0
"""Blocks wait for a flag that is never set, and keep its value in memory of the thread."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(flags: T.Tensor((8,), "int32"), B: T.Tensor((3,), "int32")):
        with T.Kernel(3, threads=32) as bx:
            seen = T.alloc_local((1,), "int32")
            seen[0] = 0
            if T.get_thread_binding() == 0:
                T.atomic_store(flags[bx], 1, memory_order="release")
                while seen[0] == 0:
                    seen[0] = T.atomic_load(flags[bx + 5 if bug else (bx + 1) % 3], memory_order="acquire")
                B[bx] = bx
    return main


def arrays(rng):
    return [np.zeros(8, np.int32), np.zeros(3, np.int32)]
#> tile level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_in_local_memory.py, line 15    while seen[0] == 0:    never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
#> thread level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_in_local_memory.py, line 15    while seen[0] == 0:    thread 0 (warp 0, lane 0) never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
#> flat level:
#> endless-loop: in block (0, 0), no running thread changes what it waits for  (3 times)
#>   endless_wait_in_local_memory.py, line 15    while seen[0] == 0:    thread 0 (warp 0, lane 0) never ends
#> help: another thread or block must write what it waits for; also check its value before the call
#> in kernel main
