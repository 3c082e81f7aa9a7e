# SPDX-License-Identifier: Apache-2.0
"""Operations of the block on memory of single threads, and atomic operations on what no other thread sees."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 8), "float32"), B: T.Tensor((128,), "int32")):
    with T.Kernel(1, threads=32):
        a = T.alloc_fragment((4, 8), "float32")
        rows = T.alloc_local((4,), "float32")
        n = T.alloc_fragment((128,), "int32")
        own = T.alloc_local((4,), "int32")
        T.copy(A, a)
        T.copy(B, n)
        T.clear(own)
        T.reduce_sum(a, rows, dim=1)
        T.cumsum(rows)
        T.atomic_add(n[T.get_thread_binding()], 5)
        T.atomic_max(own[1], 5)
        for i in T.Parallel(128):
            T.atomic_add(n[i], 5)


tilelang.compile(main)
#> CompileError: error[private-tile]: T.reduce_sum of `rows`, which is memory of one thread
#>   --> private_memory.py, line 17
#>  17 |         T.reduce_sum(a, rows, dim=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use fragments: T.alloc_fragment
#>
#> error[private-tile]: T.cumsum of `rows`, which is memory of one thread
#>   --> private_memory.py, line 18
#>  18 |         T.cumsum(rows)
#>     |         ^^^^^^^^^^^^^^
#> help: write the sum as a serial loop
#>
#> error[private-atomic]: T.atomic_add on `n`, which is a fragment
#>   --> private_memory.py, line 19
#>  19 |         T.atomic_add(n[T.get_thread_binding()], 5)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use shared memory, T.alloc_shared, or T.reduce_sum
#>
#> error[private-atomic]: T.atomic_max on `own`, which is memory of one thread
#>   --> private_memory.py, line 20
#>  20 |         T.atomic_max(own[1], 5)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^
#> help: store the result: one thread alone uses this memory
#>
#> error[private-atomic]: T.atomic_add on `n`, which is a fragment
#>   --> private_memory.py, line 22
#>  22 |             T.atomic_add(n[i], 5)
#>     |             ^^^^^^^^^^^^^^^^^^^^^
#> help: use shared memory, T.alloc_shared, or T.reduce_sum
