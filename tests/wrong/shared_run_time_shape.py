# SPDX-License-Identifier: Apache-2.0
"""Shared memory as large as a block index."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((bx, 32), "float16")
        T.clear(s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[shape-dynamic]: the extent of a buffer is bx, a dynamic value
#>   --> shared_run_time_shape.py, line 10
#>  10 |         s = T.alloc_shared((bx, 32), "float16")
#>     |                            ^^^^^^^^
#> help: use a Python number, and check the dynamic bound at the accesses: buffers of a block have constant sizes
