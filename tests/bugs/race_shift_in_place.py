# SPDX-License-Identifier: Apache-2.0
"""Each iteration of a T.Parallel reads what its neighbour writes."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            s = T.alloc_shared((64,), "float32")
            t = T.alloc_shared((64,), "float32")
            T.copy(A, s)
            for i in T.Parallel(64):
                if bug:
                    s[i] = s[(i + 1) % 64]
                else:
                    t[i] = s[(i + 1) % 64]
            T.copy(s if bug else t, B)
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: s[0] in block (0, 0)  (64 times)
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        iteration i = 63 reads
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        iteration i = 0 writes
#>   race_shift_in_place.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                        declares s, shape [64]
#> help: iterations of T.Parallel run concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> thread level:
#> race: s[33] in block (0, 0)  (64 times)
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        thread 32 (warp 1, lane 0) reads
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        thread 33 (warp 1, lane 1) writes
#>   race_shift_in_place.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                        declares s, shape [64]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
#> flat level:
#> race: s[33] in block (0, 0)  (64 times)
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        thread 32 (warp 1, lane 0) reads
#>   race_shift_in_place.py, line 16    s[i] = s[(i + 1) % 64]
#>                                        thread 33 (warp 1, lane 1) writes
#>   race_shift_in_place.py, line 11    s = T.alloc_shared((64,), "float32")
#>                                        declares s, shape [64]
#> help: threads run this line concurrently: write to a second buffer; use T.atomic_add for a sum
#> in kernel main
