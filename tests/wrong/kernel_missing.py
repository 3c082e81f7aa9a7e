# SPDX-License-Identifier: Apache-2.0
"""An eager kernel without T.Kernel."""
import tilelang
import tilelang.language as T


@tilelang.jit
def main(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    return B


main.compile(N=64)
#> TilelabWarning: warning[kernel-missing]: `main` has no T.Kernel
#>   --> kernel_missing.py, line 8
#>   8 | def main(A):
#>     | ^^^^^^^^^^^^
#> help: put its statements under `with T.Kernel(blocks, threads=128) as bx:`
