# SPDX-License-Identifier: Apache-2.0
"""A distribution and a width that there are not."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.rng_init(42)
        A[T.get_thread_binding()] = T.rng_rand_float(bit=16)
        A[T.get_thread_binding()] = T.rng_rand_float(dist="poisson")


tilelang.compile(main)
#> CompileError: error[random-option]: T.rng_rand_float does not support bit=16
#>   --> random_option.py, line 11
#>  11 |         A[T.get_thread_binding()] = T.rng_rand_float(bit=16)
#>     |                                                      ^^^^^^
#> help: bit=32 gives float32, bit=64 float64
#>
#> error[random-option]: T.rng_rand_float does not support dist="poisson"
#>   --> random_option.py, line 12
#>  12 |         A[T.get_thread_binding()] = T.rng_rand_float(dist="poisson")
#>     |                                                      ^^^^^^^^^^^^^^
#> help: dist="uniform" or dist="normal"
