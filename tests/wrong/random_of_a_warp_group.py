# SPDX-License-Identifier: Apache-2.0
"""A group of threads draws for a separate loop."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512,), "uint32")):
    with T.Kernel(1, threads=256) as bx:
        T.rng_init(42)
        with T.ws(1):
            for i in T.Parallel(256):
                A[i] = T.rng_rand()


tilelang.compile(main)
#> CompileError: error[random-place]: a draw in T.Parallel is among draws that not all threads of the block make
#>   --> random_of_a_warp_group.py, line 12
#>  12 |             for i in T.Parallel(256):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let all threads draw, and use the numbers under the condition; or draw in T.serial loops over T.get_thread_binding()
