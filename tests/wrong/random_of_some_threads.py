# SPDX-License-Identifier: Apache-2.0
"""Some threads have drawn more numbers than others when all of them draw."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512,), "uint32")):
    with T.Kernel(1, threads=256) as bx:
        tx = T.get_thread_binding()
        T.rng_init(42)
        if tx < 5:
            A[tx] = T.rng_rand()
        for i in T.Parallel(512):
            A[i] = T.rng_rand()


tilelang.compile(main)
#> CompileError: error[random-place]: a draw in T.Parallel is among draws that not all threads of the block make
#>   --> random_of_some_threads.py, line 14
#>  14 |         for i in T.Parallel(512):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let all threads draw, and use the numbers under the condition; or draw in T.serial loops over T.get_thread_binding()
