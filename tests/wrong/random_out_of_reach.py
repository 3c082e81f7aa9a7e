# SPDX-License-Identifier: Apache-2.0
"""A state of a loop, drawn from after it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        for k in T.serial(4):
            T.rng_init(42, k)
        A[T.get_thread_binding()] = T.rng_rand_float()


tilelang.compile(main)
#> CompileError: error[random-place]: T.rng_rand_float is after the block whose values its T.rng_init uses
#>   --> random_out_of_reach.py, line 12
#>  11 |             T.rng_init(42, k)
#>     |             ~~~~~~~~~~~~~~~~~ initialized here
#>  12 |         A[T.get_thread_binding()] = T.rng_rand_float()
#>     |                                     ^^^^^^^^^^^^^^^^^^
#> help: draw in that block, or pass T.rng_init values of the whole kernel
