# SPDX-License-Identifier: Apache-2.0
"""A block of 4096 threads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=4096) as bx:
        T.fill(B, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[kernel-threads]: block of 4096 threads
#>   --> too_many_threads.py, line 9
#>   9 |     with T.Kernel(4, threads=4096) as bx:
#>     |                      ^^^^^^^^^^^^
#> help: use 1 to 1024 threads; 128 is common
