# SPDX-License-Identifier: Apache-2.0
"""Barriers of threads in a T.Parallel, whose iterations are not threads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((40,), "int32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(40):
            A[i] = i
            T.sync_threads()
            T.sync_warp()
            A[i] = T.syncthreads_count(i > 3)


tilelang.compile(main)
#> CompileError: error[parallel-tile-op]: T.sync_threads inside a T.Parallel
#>   --> sync_threads_in_parallel.py, line 12
#>  12 |             T.sync_threads()
#>     |             ^^^^^^^^^^^^^^^^
#> help: move it out of the loop: it applies to threads, not to iterations
#>
#> error[parallel-tile-op]: T.sync_warp inside a T.Parallel
#>   --> sync_threads_in_parallel.py, line 13
#>  13 |             T.sync_warp()
#>     |             ^^^^^^^^^^^^^
#> help: move it out of the loop: it applies to threads, not to iterations
#>
#> error[parallel-tile-op]: T.syncthreads_count inside a T.Parallel
#>   --> sync_threads_in_parallel.py, line 14
#>  14 |             A[i] = T.syncthreads_count(i > 3)
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: move it out of the loop: it applies to threads, not to iterations
