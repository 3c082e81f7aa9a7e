# SPDX-License-Identifier: Apache-2.0
"""A buffer of each thread, indexed by a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_local((32,), "float32")
        x[0] = 1.0
        for i in T.Parallel(32):
            x[i] = A[bx, i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-local-index]: local buffer `x` is indexed by `i`, a variable of T.Parallel
#>   --> parallel_local_buffer.py, line 13
#>  10 |         x = T.alloc_local((32,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  13 |             x[i] = A[bx, i]
#>     |             ^^^^^^^^^^^^^^^
#> help: allocate it with T.alloc_fragment
