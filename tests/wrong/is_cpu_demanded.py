# SPDX-License-Identifier: Apache-2.0
"""A demand that is not met."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64, is_cpu=True) as bx:
        for i in T.Parallel(64):
            B[i] = A[i]


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[option-ignored]: `is_cpu` of T.Kernel is ignored
#>   --> is_cpu_demanded.py, line 9
#>   9 |     with T.Kernel(1, threads=64, is_cpu=True) as bx:
#>     |                                  ^^^^^^^^^^^
#> note: blocks have threads on every target
#> help: leave it out, if the kernel is right without it
