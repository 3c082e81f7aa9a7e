# SPDX-License-Identifier: Apache-2.0
"""A requirement that is not satisfied."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64,), "float32")
        T.copy(A, s)
        T.atomic_add(B, s, use_tma=True)


tilelang.compile(main)
#> TilelabWarning: warning[option-ignored]: `use_tma` of T.atomic_add is ignored
#>   --> demand_without_effect.py, line 12
#>  12 |         T.atomic_add(B, s, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> note: the compiler chooses: in kernels with a producer the copy engine adds accumulators of matmuls, otherwise the threads add, with vector atomics if the target has them
#> help: remove it if the kernel is correct without it
