# SPDX-License-Identifier: Apache-2.0
"""A kernel of which the T.Kernel was forgotten."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    T.copy(A, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[outside-kernel]: T.copy outside T.Kernel
#>   --> kernel_forgotten.py, line 9
#>   9 |     T.copy(A, B)
#>     |     ^^^^^^^^^^^^
#> help: put it under `with T.Kernel(...) as ...:`
