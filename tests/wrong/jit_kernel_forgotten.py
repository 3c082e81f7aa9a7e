# SPDX-License-Identifier: Apache-2.0
"""A jit function without T.Kernel."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    return B


double(np.ones(64, "float32"))
#> TilelabWarning: warning[kernel-missing]: `double` has no T.Kernel
#>   --> jit_kernel_forgotten.py, line 9
#>   9 | def double(A):
#>     | ^^^^^^^^^^^^^^
#> help: put the computation under `with T.Kernel(blocks, threads=128) as bx:`
