# SPDX-License-Identifier: Apache-2.0
# Half of the threads reach the barrier. If both branches have one, all threads synchronize; and if the
# condition lets all of them through, too.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128) as _:
        t = T.get_thread_binding()
        s = T.alloc_shared((128,), "float32")
        s[t] = A[t]
        if t < 64:
            T.sync_threads()
        if t % 2 == 0:
            T.sync_threads()
        else:
            T.sync_threads()
        if t < 128:
            T.sync_threads()
        for k in T.serial(t % 3):
            T.sync_threads()
        B[t] = s[127 - t]


tilelang.compile(f)
#> TilelabWarning: warning[divergent-barrier]: divergent barrier: only some threads reach T.sync_threads
#>   --> barrier_in_a_branch.py, line 15
#>  14 |         if t < 64:
#>     |         ~~~~~~~~~~ only some threads pass this condition
#>  15 |             T.sync_threads()
#>     |             ^^^^^^^^^^^^^^^^
#> help: move it out of the condition, so that all threads reach it
#> TilelabWarning: warning[divergent-barrier]: divergent barrier: only some threads reach T.sync_threads
#>   --> barrier_in_a_branch.py, line 23
#>  22 |         for k in T.serial(t % 3):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ only some threads pass this condition
#>  23 |             T.sync_threads()
#>     |             ^^^^^^^^^^^^^^^^
#> help: move it out of the condition, so that all threads reach it
