# SPDX-License-Identifier: Apache-2.0
"""The factory instead of what it returns."""
import tilelang
import tilelang.language as T


def copy_kernel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64) as _:
            T.copy(A, B)

    return main


tilelang.compile(copy_kernel)
#> UsageError: error[prim-func-needed]: compile takes a @T.prim_func, not function
#>   --> compile_factory.py, line 16
#>  16 | tilelang.compile(copy_kernel)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: call the function copy_kernel: tilelang.compile(copy_kernel(...))
