# SPDX-License-Identifier: Apache-2.0
"""A kernel that returns an element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        T.fill(B, 0.0)
        return B[0, 0]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[return-value]: a kernel returns `B[0, 0]`, a dynamic float32
#>   --> return_value.py, line 11
#>  11 |         return B[0, 0]
#>     |         ^^^^^^^^^^^^^^
#> help: return tensors made by T.empty(shape, dtype); arguments are written in place
