# SPDX-License-Identifier: Apache-2.0
"""A reduction that is reset in each iteration; one that is read there; one that continues."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 512), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        part = T.alloc_fragment((64, 64), "float32")
        total = T.alloc_fragment((64,), "float32")
        most = T.alloc_fragment((64,), "float32")
        sums = T.alloc_fragment((64,), "float32")
        T.clear(sums)
        for k in T.serial(8):
            T.copy(A[0, k * 64], part)
            T.reduce_sum(part, total, dim=1)
            T.reduce_max(part, most, dim=1)
            T.reduce_sum(part, sums, dim=1, clear=False)
            for i in T.Parallel(64):
                sums[i] += most[i]
        for i in T.Parallel(64):
            B[i] = total[i] + sums[i]


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[reduce-overwritten]: every iteration of the loop overwrites `total` without reading it
#>   --> reduce_in_a_loop.py, line 17
#>  15 |         for k in T.serial(8):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  ...
#>  17 |             T.reduce_sum(part, total, dim=1)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: to accumulate, use clear=False, and T.clear(total) before the loop
