# SPDX-License-Identifier: Apache-2.0
"""A buffer's `.T`."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32, 64), "float16")
        T.copy(A.T, s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[attribute-unknown]: `A`, a global tensor of 64x32 float16, has no attribute `T`
#>   --> numpy_transpose.py, line 11
#>  11 |         T.copy(A.T, s)
#>     |                ^^^
#> help: `T.transpose(src, dst)` does this in a kernel
