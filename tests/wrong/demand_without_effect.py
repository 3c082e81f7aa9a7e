# SPDX-License-Identifier: Apache-2.0
"""A requirement that is not satisfied."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64, prelude="int count;") as bx:
        T.copy(A, B)


tilelang.compile(main)
#> TilelabWarning: warning[option-ignored]: `prelude` of T.Kernel is ignored
#>   --> demand_without_effect.py, line 9
#>   9 |     with T.Kernel(1, threads=64, prelude="int count;") as bx:
#>     |                                  ^^^^^^^^^^^^^^^^^^^^
#> note: foreign source can't be simulated or checked
#> help: remove it if the kernel is correct without it
