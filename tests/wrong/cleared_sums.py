# SPDX-License-Identifier: Apache-2.0
# Sums that are cleared in the loop that adds to them: a tile, elements, a carry. Right are a tile
# that is read in each iteration, a sum of an outer iteration, one cleared only in the first iteration, and a
# set that an inner loop asks before it adds to it.
import tilelang
import tilelang.language as T


@T.prim_func
def product(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        for k in T.Pipelined(4, num_stages=2):
            T.clear(c)
            T.copy(A[0, k * 32], a)
            T.copy(B[k * 32, 0], b)
            T.gemm(a, b, c)
        T.copy(c, C)


@T.prim_func
def running(X: T.Tensor((512,), "float32"), Y: T.Tensor((512,), "float32")):
    with T.Kernel(1, threads=128):
        x = T.alloc_shared((128,), "float32")
        carry = T.alloc_shared((1,), "float32")
        for k in T.serial(4):
            carry[0] = 0.0
            T.copy(X[k * 128], x)
            T.cumsum(x, dim=0)
            for i in T.Parallel(128):
                Y[k * 128 + i] = x[i] + carry[0]
            carry[0] = carry[0] + x[127]


@T.prim_func
def right(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32"),
          D: T.Tensor((4, 64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c, d, e = [T.alloc_fragment((64, 64), "float32") for _ in range(3)]
        T.clear(d)
        for k in T.serial(4):
            T.clear(c)
            if k == 0:
                T.clear(e)
            for outer in T.serial(2):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
                T.gemm(a, b, e)
            for i, j in T.Parallel(64, 64):
                d[i, j] += c[i, j]
        for i, j in T.Parallel(64, 64):
            C[i, j] = d[i, j] + e[i, j]


@T.prim_func
def summed(A: T.Tensor((64, 4), "int32"), B: T.Tensor((64, 4), "int32")):
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        seen = T.alloc_local((1,), "int32")
        for i in T.serial(2):
            seen[0] = 0
            for j in T.serial(4):
                bit = 1 << A[i * 32 + t, j]
                B[i * 32 + t, j] = seen[0] & bit
                seen[0] |= bit


@T.prim_func
def asked_outside(A: T.Tensor((64, 4), "int32"), B: T.Tensor((64, 4), "int32")):
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        seen = T.alloc_local((1,), "int32")
        for i in T.serial(2):
            seen[0] = 0
            B[i * 32 + t, 0] = seen[0]
            for j in T.serial(4):
                seen[0] |= 1 << A[i * 32 + t, j]


for f in product, running, right, summed, asked_outside:
    tilelang.compile(f)
#> TilelabWarning: warning[accumulator-reset-in-loop]: accumulator `c` is reset in every iteration
#>   --> cleared_sums.py, line 16
#>  15 |         for k in T.Pipelined(4, num_stages=2):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  16 |             T.clear(c)
#>     |             ^^^^^^^^^^
#>  ...
#>  19 |             T.gemm(a, b, c)
#>     |             ~~~~~~~~~~~~~~~ only the last iteration's update is kept
#> help: reset it before the loop
#> TilelabWarning: warning[accumulator-reset-in-loop]: accumulator `carry` is reset in every iteration
#>   --> cleared_sums.py, line 29
#>  28 |         for k in T.serial(4):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  29 |             carry[0] = 0.0
#>     |             ^^^^^^^^^^^^^^
#>  ...
#>  34 |             carry[0] = carry[0] + x[127]
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ only the last iteration's update is kept
#> help: reset it before the loop
#> TilelabWarning: warning[accumulator-reset-in-loop]: accumulator `seen` is reset in every iteration
#>   --> cleared_sums.py, line 79
#>  78 |         for i in T.serial(2):
#>     |         ~~~~~~~~~~~~~~~~~~~~~ in this loop
#>  79 |             seen[0] = 0
#>     |             ^^^^^^^^^^^
#>  ...
#>  82 |                 seen[0] |= 1 << A[i * 32 + t, j]
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ only the last iteration's update is kept
#> help: reset it before the loop
