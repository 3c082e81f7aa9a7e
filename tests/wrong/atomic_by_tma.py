# SPDX-License-Identifier: Apache-2.0
"""An option of T.atomic_add that is not built."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.atomic_add(B, A, use_tma=True)


tilelang.compile(main)
#> CompileError: error[option-planned]: use_tma=True is planned and not built yet
#>   --> atomic_by_tma.py, line 10
#>  10 |         T.atomic_add(B, A, use_tma=True)
#>     |                            ^^^^^^^^^^^^
#> help: leave it out: the elements are then added one by one
