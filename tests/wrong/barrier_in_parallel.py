# SPDX-License-Identifier: Apache-2.0
"""An arrival in a T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(128)
        with T.ws(0):
            for i, j in T.Parallel(64, 64):
                s[i, j] = A[i, j]
                T.barrier_arrive(b)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(s, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[parallel-tile-op]: T.barrier_arrive inside a T.Parallel
#>   --> barrier_in_parallel.py, line 15
#>  15 |                 T.barrier_arrive(b)
#>     |                 ^^^^^^^^^^^^^^^^^^^
#> help: move it out of the loop: it applies to threads, not to iterations
#>
#> error[barrier-never-signalled]: deadlock: threads wait on barrier `b`, but nothing arrives at it
#>   --> barrier_in_parallel.py, line 17
#>  17 |             T.barrier_wait(b, 0)
#>     |             ^^^^^^^^^^^^^^^^^^^^
#> help: let the threads that produce the data call T.barrier_arrive(b)
