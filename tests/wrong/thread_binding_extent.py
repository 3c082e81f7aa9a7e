# SPDX-License-Identifier: Apache-2.0
"""T.thread_binding of other counts than the launch's, and of no index."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32")):
    with T.Kernel(4, threads=(32, 2)):
        tx = T.thread_binding(0, 64, thread="threadIdx.x")
        for ty in T.thread_binding(1, 2, thread="threadIdx.y"):
            A[0, tx] = ty
        A[0, 0] = T.thread_binding(5, thread="blockIdx.x")
        A[0, 1] = T.thread_binding(0, 2, thread="vthread")


tilelang.compile(main)
#> CompileError: error[thread-extent]: threadIdx.x has the extent 32, not 64
#>   --> thread_binding_extent.py, line 10
#>   9 |     with T.Kernel(4, threads=(32, 2)):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ launched here
#>  10 |         tx = T.thread_binding(0, 64, thread="threadIdx.x")
#>     |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `threads` of T.Kernel sets their number, in up to three dimensions
#>
#> error[thread-extent]: threadIdx.y has the extent 2, not 1
#>   --> thread_binding_extent.py, line 11
#>   9 |     with T.Kernel(4, threads=(32, 2)):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ launched here
#>  ...
#>  11 |         for ty in T.thread_binding(1, 2, thread="threadIdx.y"):
#>     |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `threads` of T.Kernel sets their number, in up to three dimensions
#>
#> error[thread-extent]: blockIdx.x has the extent 4, not 5
#>   --> thread_binding_extent.py, line 13
#>   9 |     with T.Kernel(4, threads=(32, 2)):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ launched here
#>  ...
#>  13 |         A[0, 0] = T.thread_binding(5, thread="blockIdx.x")
#>     |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: the extents in T.Kernel(...) set their number
#>
#> error[static-needed]: the name of an index must be known at compile time; found the string "vthread"
#>   --> thread_binding_extent.py, line 14
#>  14 |         A[0, 1] = T.thread_binding(0, 2, thread="vthread")
#>     |                                          ^^^^^^^^^^^^^^^^
#> help: threadIdx.x, .y or .z, or blockIdx.x, .y or .z
