# SPDX-License-Identifier: Apache-2.0
"""A draw before T.rng_init, which is in T.Parallel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        A[T.get_thread_binding()] = T.rng_rand_float()
        for i in T.Parallel(64):
            T.rng_init(i)


tilelang.compile(main)
#> CompileError: error[random-place]: T.rng_rand_float has no T.rng_init before it
#>   --> random_before_init.py, line 10
#>  10 |         A[T.get_thread_binding()] = T.rng_rand_float()
#>     |                                     ^^^^^^^^^^^^^^^^^^
#> help: add T.rng_init(seed) before it
#>
#> error[random-place]: T.rng_init is in T.Parallel
#>   --> random_before_init.py, line 12
#>  12 |             T.rng_init(i)
#>     |             ^^^^^^^^^^^^^
#> help: put it before the loop: each thread has one state for all its iterations
