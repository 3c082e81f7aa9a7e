# SPDX-License-Identifier: Apache-2.0
"""A generator whose numbers follow from one another."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.rng_init(42, generator="curandStateXORWOW_t")
        A[T.get_thread_binding()] = T.rng_rand_float()


tilelang.compile(main)
#> CompileError: error[random-generator]: T.rng_init has no generator curandStateXORWOW_t
#>   --> random_generator.py, line 10
#>  10 |         T.rng_init(42, generator="curandStateXORWOW_t")
#>     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: generator="curandStatePhilox4_32_10_t", the default
