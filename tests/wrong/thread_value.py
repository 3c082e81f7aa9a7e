# SPDX-License-Identifier: Apache-2.0
"""Values of single threads where threads act together: which thread executes an iteration or element is the layout's choice."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128,), "int32"), B: T.Tensor((128,), "int32")):
    with T.Kernel(1, threads=128):
        tx = T.get_thread_binding()
        s = T.alloc_shared((128,), "int32")
        mine = T.alloc_local((1,), "int32")
        late = T.alloc_var("int32", 0)
        mine[0] = A[tx]
        if tx < 64:
            late = 1
            T.fill(s[late:late + 4], late)
        for i in T.Parallel(128):
            B[i] = A[tx]
        for i in T.Parallel(128):
            B[i] = A[i] + T.get_lane_idx()
        for i in T.Parallel(128):
            B[i] = mine[0]
        for i in T.Parallel(128):
            if tx > 3:
                B[i] = late
        for i in T.Parallel(tx):
            B[i] = 0
        for i in T.Parallel(128):
            B[i] = T.shfl_xor(A[i], 1)
        T.fill(s, A[tx])
        T.copy(A[tx:tx + 4], s[0:4])
        T.atomic_add(B, A[tx])
        T.copy(s[late:late + 4], B[0:4])


tilelang.compile(main)
#> CompileError: error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 19
#>  19 |             B[i] = A[tx]
#>     |                    ^^^^^
#> help: use the loop's variables, or move the statement out of the loop
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 21
#>  21 |             B[i] = A[i] + T.get_lane_idx()
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^
#> help: use the loop's variables, or move the statement out of the loop
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 23
#>  23 |             B[i] = mine[0]
#>     |                    ^^^^^^^
#> help: use the loop's variables, or move the statement out of the loop
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 25
#>  25 |             if tx > 3:
#>     |                ^^^^^^
#> help: use the loop's variables, or move the statement out of the loop
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 26
#>  26 |                 B[i] = late
#>     |                 ^^^^^^^^^^^
#> help: use the loop's variables, or move the statement out of the loop
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> thread_value.py, line 27
#>  27 |         for i in T.Parallel(tx):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give all threads the same number of iterations
#>
#> error[parallel-tile-op]: T.shfl_xor inside a T.Parallel
#>   --> thread_value.py, line 30
#>  29 |         for i in T.Parallel(128):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  30 |             B[i] = T.shfl_xor(A[i], 1)
#>     |                    ^^^^^^^^^^^^^^^^^^^
#> help: move it out of the loop, to statements of single threads
#>
#> error[thread-value]: T.fill uses a value that differs between threads
#>   --> thread_value.py, line 31
#>  31 |         T.fill(s, A[tx])
#>     |                   ^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
#>
#> error[thread-value]: T.copy uses a value that differs between threads
#>   --> thread_value.py, line 32
#>  32 |         T.copy(A[tx:tx + 4], s[0:4])
#>     |                ^^^^^^^^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
#>
#> error[thread-value]: T.atomic_add uses a value that differs between threads
#>   --> thread_value.py, line 33
#>  33 |         T.atomic_add(B, A[tx])
#>     |                         ^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
#>
#> error[thread-value]: T.copy uses a value that differs between threads
#>   --> thread_value.py, line 34
#>  34 |         T.copy(s[late:late + 4], B[0:4])
#>     |                ^^^^^^^^^^^^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
