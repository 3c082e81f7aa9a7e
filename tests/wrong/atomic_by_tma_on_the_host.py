# SPDX-License-Identifier: Apache-2.0
"""Sums by a copy engine, on the cores of a host."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        T.atomic_add(B, A, use_tma=True)


tilelang.compile(main, target="c")
#> TilelabWarning: warning[option-ignored]: `use_tma` of T.atomic_add is ignored
#>   --> atomic_by_tma_on_the_host.py, line 10
#>  10 |         T.atomic_add(B, A, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> note: the compiler chooses: in kernels with a producer the copy engine adds accumulators of matmuls, otherwise the threads add, with vector atomics if the target has them
#> help: remove it if the kernel is correct without it
#> CompileError: warning[option-ignored]: `use_tma` of T.atomic_add is ignored
#>   --> atomic_by_tma_on_the_host.py, line 10
#>  10 |         T.atomic_add(B, A, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> note: the compiler chooses: in kernels with a producer the copy engine adds accumulators of matmuls, otherwise the threads add, with vector atomics if the target has them
#> help: remove it if the kernel is correct without it
