# SPDX-License-Identifier: Apache-2.0
"""Iterations of T.Parallel draw equally often, and their number is known."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.rng_init(42)
        for i in T.Parallel(16):
            for k in T.serial(4):
                A[i * 4 + k] = T.rng_rand_float()
        for i in T.Parallel(16):
            A[i] = 0
            for j in T.Parallel(4):
                A[i * 4 + j] = T.rng_rand_float()


tilelang.compile(main)
#> CompileError: error[random-place]: T.rng_rand_float is in a loop inside T.Parallel
#>   --> random_in_inner_loops.py, line 13
#>  10 |         T.rng_init(42)
#>     |         ~~~~~~~~~~~~~~ initialized here
#>  ...
#>  13 |                 A[i * 4 + k] = T.rng_rand_float()
#>     |                                ^^^^^^^^^^^^^^^^^^
#> help: make that loop a part of the T.Parallel, or put it around the T.Parallel
#>
#> error[random-place]: a draw is in a T.Parallel inside this one
#>   --> random_in_inner_loops.py, line 14
#>  14 |         for i in T.Parallel(16):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use one T.Parallel over all indices: `for i, j in T.Parallel(m, n)`
