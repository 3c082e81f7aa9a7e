# SPDX-License-Identifier: Apache-2.0
"""A buffer replaced by a value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        x.shape = (4, 8)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[target-unsupported]: a kernel cannot assign to an attribute
#>   --> buffer_is_a_name.py, line 12
#>  12 |         x.shape = (4, 8)
#>     |         ^^^^^^^
#> help: T.reshape(buffer, shape) gives the buffer another shape
