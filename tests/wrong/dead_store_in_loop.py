# SPDX-License-Identifier: Apache-2.0
# A matmul after the loop that loads its tiles, one that is reset, `=` for `+=`. Correct are a last
# value that sums up what went before, a search, and a value that every iteration writes.
import tilelang
import tilelang.language as T


@T.prim_func
def later(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.serial(4):
            T.copy(A[0, k * 32], a)
            T.copy(B[k * 32, 0], b)
        T.gemm(a, b, c)
        T.copy(c, C)


@T.prim_func
def again(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        for k in T.serial(4):
            T.copy(A[0, k * 32], a)
            T.copy(B[k * 32, 0], b)
            T.gemm(a, b, c, clear_accum=True)
        T.copy(c, C)


@T.prim_func
def rows(A: T.Tensor((64, 48), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            for j in T.serial(48):
                B[i] = A[i, j]


@T.prim_func
def right(A: T.Tensor((64, 48), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            total = T.alloc_var("float32", init=0.0)
            first = T.alloc_var("int32", init=-1)
            for j in T.serial(48):
                total += A[i, j]
                B[i] = total
                if A[i, j] > 0 and first < 0:
                    first = j
            C[i] = first


for f in later, again, rows, right:
    tilelang.compile(f)
#> TilelabWarning: warning[dead-store-in-loop]: every iteration overwrites `a`, which is only read after the loop
#>   --> dead_store_in_loop.py, line 16
#>  15 |         for k in T.serial(4):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  16 |             T.copy(A[0, k * 32], a)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^
#> help: move the uses of `a` into the loop
#> TilelabWarning: warning[dead-store-in-loop]: every iteration overwrites `b`, which is only read after the loop
#>   --> dead_store_in_loop.py, line 17
#>  15 |         for k in T.serial(4):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  ...
#>  17 |             T.copy(B[k * 32, 0], b)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^
#> help: move the uses of `b` into the loop
#> TilelabWarning: warning[dead-store-in-loop]: every iteration overwrites `c`, which is only read after the loop
#>   --> dead_store_in_loop.py, line 31
#>  28 |         for k in T.serial(4):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  ...
#>  31 |             T.gemm(a, b, c, clear_accum=True)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: to accumulate, remove clear_accum and put T.clear(c) before the loop
#> TilelabWarning: warning[dead-store-in-loop]: every iteration overwrites `B`, which is only read after the loop
#>   --> dead_store_in_loop.py, line 40
#>  39 |             for j in T.serial(48):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  40 |                 B[i] = A[i, j]
#>     |                 ^^^^^^^^^^^^^^
#> help: to accumulate, write `+=` and set `B` before the loop
