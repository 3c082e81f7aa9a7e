# SPDX-License-Identifier: Apache-2.0
"""An option that T.atomic_add takes, without effect, and T.atomic_max has not yet."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.atomic_add(B, A, use_tma=True)
        T.atomic_max(B, A, use_tma=True)


tilelang.compile(main)
#> CompileError: warning[option-ignored]: `use_tma` of T.atomic_add is ignored
#>   --> atomic_by_tma.py, line 10
#>  10 |         T.atomic_add(B, A, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> note: the compiler chooses: in kernels with a producer the copy engine adds accumulators of matmuls, otherwise the threads add, with vector atomics if the target has them
#> help: remove it if the kernel is correct without it
#>
#> error[option-planned]: use_tma=True is planned, but not supported yet
#>   --> atomic_by_tma.py, line 11
#>  11 |         T.atomic_max(B, A, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> help: remove it: the elements are then added one by one
