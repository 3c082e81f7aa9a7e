# SPDX-License-Identifier: Apache-2.0
"""Memory allocated by each iteration of a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            x = T.alloc_fragment((4,), "float32")
            T.clear(x)
            B[bx, i] = x[0]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-tile-op]: T.alloc_fragment inside a T.Parallel
#>   --> alloc_in_parallel.py, line 11
#>  10 |         for i in T.Parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  11 |             x = T.alloc_fragment((4,), "float32")
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: allocate it before the loop; for memory of one iteration use T.alloc_local or T.alloc_var
#>
#> error[parallel-tile-op]: T.clear inside a T.Parallel
#>   --> alloc_in_parallel.py, line 12
#>  10 |         for i in T.Parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  ...
#>  12 |             T.clear(x)
#>     |             ^^^^^^^^^^
#> help: move T.clear out of the loop, or write its elements there
