# SPDX-License-Identifier: Apache-2.0
"""The arguments of T.rng_init differ between threads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.rng_init(T.cast(A[T.get_thread_binding()], "int32"))
        for i in T.Parallel(64):
            A[i] = T.rng_rand_float()


tilelang.compile(main)
#> CompileError: error[random-place]: T.rng_rand_float is in T.Parallel, whose iterations may run on any thread, but the arguments of T.rng_init are known only to single threads
#>   --> random_of_single_threads.py, line 12
#>  10 |         T.rng_init(T.cast(A[T.get_thread_binding()], "int32"))
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ initialized here
#>  ...
#>  12 |             A[i] = T.rng_rand_float()
#>     |                    ^^^^^^^^^^^^^^^^^^
#> help: pass T.rng_init arithmetic of thread and block indices, or draw in loops of T.serial over T.get_thread_binding()
