# SPDX-License-Identifier: Apache-2.0
"""A call with another shape after the warm-up, where compilation is disabled."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def doubled(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
        for i in T.Parallel(32):
            A[bx * 32 + i] = A[bx * 32 + i] * 2


doubled(np.ones(64, "float32"))
tilelang.set_compile_mode("off")
try:
    doubled(np.ones(96, "float32"))
finally:
    tilelang.set_compile_mode("on")
#> UsageError: error[compile-disabled]: compilation is disabled, and kernel doubled(N=96) is not compiled yet
#>   --> compile_disabled.py, line 20
#>  20 |     doubled(np.ones(96, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: the mode is 'off': no kernel is compiled: those made before can be called
#> help: compile it before compilation is disabled: doubled.compile(N=96)
