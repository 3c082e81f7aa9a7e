# SPDX-License-Identifier: Apache-2.0
"""An endless search: its step changes sign in each iteration. The memory that the body writes changes."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            at, step = T.alloc_var("int32", 0), T.alloc_var("int32", 1)
            total = T.alloc_fragment((64,), "float32")
            T.clear(total)
            while at < 4:
                for i in T.Parallel(64):
                    total[i] = total[i] + A[i]
                at = at + step
                step = 0 - step if bug else step
            T.copy(total, B)
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> endless-loop: in block (0, 0), at is 0, step is 1 in iteration 5 as in iteration 3
#>   endless_to_and_fro.py, line 14    while at < 4:    never ends
#> help: change the values that the condition of the loop reads in its body
#> in kernel main
#> thread level:
#> endless-loop: in block (0, 0), at is 0, step is 1 in iteration 5 as in iteration 3
#>   endless_to_and_fro.py, line 14    while at < 4:    thread 0 (warp 0, lane 0) never ends
#> help: change the values that the condition of the loop reads in its body
#> in kernel main
#> flat level:
#> endless-loop: in block (0, 0), at is 0, step is 1 in iteration 5 as in iteration 3
#>   endless_to_and_fro.py, line 14    while at < 4:    thread 0 (warp 0, lane 0) never ends
#> help: change the values that the condition of the loop reads in its body
#> in kernel main
